// makegood destinations add: a destination that is reached over HTTP, and the routes to it, in one change.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/json.hpp"
#include "cli/apply.hpp"
#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"
#include "config/quantity.hpp"

namespace makegood::cli {
namespace {

struct NewDestination {
  std::string name = {};
  std::string url = {};
  std::vector<std::string> routes = {};
  std::vector<std::string> headers = {};
  std::vector<std::string> secret_headers = {};
  std::vector<std::string> signing_keys = {};
  std::string timeout = {};
  std::optional<double> rate = {};
  std::optional<int> in_flight = {};
  std::optional<int> attempts = {};
  std::string ordering = {};
  std::string reason = {};
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

Result<Pairs> pairs_of(const std::vector<std::string>& settings) {
  Pairs pairs;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{Errc::invalid, fmt::format("'{}' is not of the form NAME=VALUE.", config::printable(setting))};
    }
    pairs.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return pairs;
}

void put_pairs(api::Writer& writer, std::string_view name, const Pairs& pairs) {
  if (pairs.empty()) return;
  json::write_name(writer, name);
  writer.StartObject();
  for (const auto& [key, value] : pairs) api::put(writer, key, std::string_view(value));
  writer.EndObject();
}

Result<std::string> http_json(const NewDestination& wanted) {
  const Pairs headers = MAKEGOOD_TRY(pairs_of(wanted.headers));
  const Pairs secrets = MAKEGOOD_TRY(pairs_of(wanted.secret_headers));
  return body_of([&](api::Writer& writer) {
    api::put(writer, "url", std::string_view(wanted.url));
    put_pairs(writer, "headers", headers);
    put_pairs(writer, "secret_headers", secrets);
    if (wanted.signing_keys.empty()) return;
    api::put_array(writer, "signing_keys", wanted.signing_keys, json::write_text);
  });
}

Result<std::string> destination_json(const NewDestination& wanted) {
  const auto timeout = config::parse_duration(wanted.timeout.empty() ? "0" : wanted.timeout);
  if (!timeout) {
    return Error{Errc::invalid, fmt::format("--timeout '{}' is no duration; write 500ms, 10s or 1m.",
                                            config::printable(wanted.timeout))};
  }
  const std::string http = MAKEGOOD_TRY(http_json(wanted));
  return body_of([&](api::Writer& writer) {
    api::put(writer, "name", std::string_view(wanted.name));
    if (!wanted.timeout.empty()) api::put_milliseconds(writer, "timeout_ms", *timeout);
    if (wanted.rate) api::put(writer, "rate_max", *wanted.rate);
    if (wanted.in_flight) api::put(writer, "in_flight_max", *wanted.in_flight);
    put_if(writer, "ordering", wanted.ordering);
    if (wanted.attempts) {
      api::put_json(writer, "retry", fmt::format(R"({{"attempts_max":{}}})", *wanted.attempts));
    }
    api::put_json(writer, "http", http);
  });
}

std::string routes_json(const NewDestination& wanted) {
  std::string list;
  for (const std::string& pattern : wanted.routes) {
    list += list.empty() ? "" : ",";
    list += body_of([&](api::Writer& writer) {
      api::put(writer, "pattern", std::string_view(pattern));
      api::put(writer, "destination", std::string_view(wanted.name));
    });
  }
  return "[" + list + "]";
}

Result<> add_destination(const Program& program, const NewDestination& wanted) {
  const std::string destination = MAKEGOOD_TRY(destination_json(wanted));
  const WantedOutbox document{.destinations = "[" + destination + "]", .routes = routes_json(wanted)};
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string body = apply_body(document, false, false, wanted.reason);
  const std::string answer = MAKEGOOD_TRY(client->send_to_outbox("POST", "/apply", body));
  if (!program.as_json) print_difference(answer);
  return tell_applied(program, answer);
}

}  // namespace

void add_destinations_add(CLI::App& destinations, Program& program) {
  CLI::App& verb = *destinations.add_subcommand("add", "Add a destination with routes to it, or change one");
  add_call_flags(verb, program);
  const auto wanted = std::make_shared<NewDestination>();
  verb.add_option("name", wanted->name, "Its name, as in http:billing")->required()->type_name("NAME");
  verb.add_option("--url", wanted->url, "Where to")->required()->type_name("URL");
  verb.add_option("--route", wanted->routes, "Topics that lead to it, as in order.*; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  verb.add_option("--header", wanted->headers, "May be repeated")->type_name("NAME=VALUE")->allow_extra_args(false);
  verb.add_option("--secret-header", wanted->secret_headers, "Where its value is: NAME=env:VARIABLE or NAME=file:PATH")
      ->type_name("NAME=WHERE")
      ->allow_extra_args(false);
  verb.add_option("--signing-key", wanted->signing_keys, "Where the key is: env:VARIABLE or file:PATH")
      ->type_name("WHERE")
      ->allow_extra_args(false);
  verb.add_option("--timeout", wanted->timeout, "Of one attempt, default 30s")->type_name("DURATION");
  verb.add_option("--rate", wanted->rate, "At most so many sends per second")->type_name("N");
  verb.add_option("--in-flight", wanted->in_flight, "At most so many at once, default 1024")->type_name("N");
  verb.add_option("--attempts", wanted->attempts, "Before it is a dead letter, default 12")->type_name("N");
  verb.add_option("--ordering", wanted->ordering, "block, skip or block_on_dead")->type_name("WORD");
  add_asking_flags(verb, program, wanted->reason);
  verb.footer("What is left out gets its default. Every setting: 'makegood apply' with a file.");
  run(verb, program, [&program, wanted] { return add_destination(program, *wanted); });
}

}  // namespace makegood::cli
