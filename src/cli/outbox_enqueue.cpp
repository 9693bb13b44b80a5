// makegood outbox enqueue: for tools and tests. A producer with something to commit enqueues in its own transaction.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>

#include "base/json.hpp"
#include "cli/age.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

struct NewOne {
  std::string topic = {};
  std::string payload = {};
  std::string lines_file = {};
  std::string event_id = {};
  std::string tenant = {};
  std::string key = {};
  std::optional<int> priority = {};
  std::vector<std::string> headers = {};
  std::string available_at = {};
  std::string expires_at = {};
};

Result<std::string> everything_in(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) return Error{Errc::invalid, fmt::format("{} cannot be read; name a file, or - for the input.", file)};
  return text;
}

Result<> put_headers(api::Writer& writer, const std::vector<std::string>& headers) {
  json::write_name(writer, "headers");
  writer.StartObject();
  for (const std::string& header : headers) {
    const std::size_t equals = header.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{Errc::invalid, fmt::format("'{}' is not of the form NAME=VALUE.", config::printable(header))};
    }
    api::put(writer, std::string_view(header).substr(0, equals), std::string_view(header).substr(equals + 1));
  }
  writer.EndObject();
  return {};
}

Result<std::string> one_message(const NewOne& one) {
  const std::string payload = one.payload == "-" ? MAKEGOOD_TRY(everything_in("-")) : one.payload;
  Result<> headers;
  const std::string body = body_of([&](api::Writer& writer) {
    api::put(writer, "topic", std::string_view(one.topic));
    api::put(writer, "payload_text", std::string_view(payload));
    put_if(writer, "event_id", one.event_id);
    put_if(writer, "tenant_id", one.tenant);
    put_if(writer, "dispatch_key", one.key);
    if (one.priority) api::put(writer, "priority", *one.priority);
    put_if(writer, "available_at", one.available_at);
    put_if(writer, "expires_at", one.expires_at);
    if (!one.headers.empty()) headers = put_headers(writer, one.headers);
  });
  MAKEGOOD_TRY(std::move(headers));
  return body;
}

/// One JSON object per line; the server checks them.
Result<std::string> many_messages(const std::string& file) {
  std::istringstream lines(MAKEGOOD_TRY(everything_in(file)));
  std::string list;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    list += list.empty() ? line : "," + line;
  }
  return fmt::format(R"({{"messages":[{}]}})", list);
}

void print_enqueued(const Json& one) {
  fmt::print("{} {}{}\n", cell(one, "sequence"), config::printable(cell(one, "event_id")),
             flag_at(one, "was_there") ? " (was there)" : "");
}

Result<> enqueue_messages(const Program& program, const NewOne& one) {
  const bool is_bulk = !one.lines_file.empty();
  if (is_bulk != one.topic.empty()) {
    return Error{Errc::invalid, "Name a topic and a payload, or a file with --lines."};
  }
  const std::string body = is_bulk ? MAKEGOOD_TRY(many_messages(one.lines_file)) : MAKEGOOD_TRY(one_message(one));
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->send_to_outbox("POST", "/messages", body));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto enqueued = MAKEGOOD_TRY(parse_answer(answer));
  if (!is_bulk) print_enqueued(enqueued);
  for (const Json& each : array_at(enqueued, "items").GetArray()) print_enqueued(each);
  return {};
}

}  // namespace

void add_outbox_enqueue(CLI::App& outbox, Program& program) {
  CLI::App& verb = *outbox.add_subcommand("enqueue", "Enqueue a message, or many from a file");
  add_call_flags(verb, program);
  const auto one = std::make_shared<NewOne>();
  verb.add_option("topic", one->topic, "Its topic")->type_name("TOPIC");
  one->payload = "{}";
  verb.add_option("payload", one->payload, "JSON, kept to the letter; - reads it from the input; default {}")
      ->type_name("JSON");
  verb.add_option("--lines", one->lines_file, "Many: one JSON object per line, as REST takes it; all or none")
      ->type_name("FILE");
  verb.add_option("--event-id", one->event_id, "Deduplicates; drawn if it is left out")->type_name("ID");
  verb.add_option("--tenant", one->tenant, "Whose message it is")->type_name("TENANT");
  verb.add_option("--key", one->key, "Messages of one key are delivered in order")->type_name("KEY");
  verb.add_option("--priority", one->priority, "A number, default 0")->type_name("N");
  verb.add_option("--header", one->headers, "May be repeated")->type_name("NAME=VALUE")->allow_extra_args(false);
  verb.add_option("--available-at", one->available_at, "Not before this moment")->type_name("TIME");
  verb.add_option("--expires-at", one->expires_at, "Not after this moment")->type_name("TIME");
  verb.footer("For tools and tests: a producer enqueues in its own transaction. Prints number and event id.");
  run(verb, program, [&program, one] { return enqueue_messages(program, *one); });
}

}  // namespace makegood::cli
