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
  std::vector<std::string> raw_prefixes = {};
  std::vector<std::string> routes = {};
  std::vector<std::string> headers = {};
  std::vector<std::string> secret_headers = {};
  std::vector<std::string> signing_keys = {};
  std::string format = {};
  std::string ca_file = {};
  std::vector<std::string> client_certificate = {};  ///< And its key.
  std::string tenant = {};
  std::string timeout = {};
  std::optional<double> rate = {};
  std::optional<int> in_flight = {};
  std::optional<int> attempts = {};
  std::vector<std::string> schedule = {};
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

Result<Duration> duration_in(std::string_view flag, const std::string& text) {
  const auto duration = config::parse_duration(text);
  if (duration) return *duration;
  return Error{Errc::invalid,
               fmt::format("{} '{}' is no duration; write 500ms, 10s or 1m.", flag, config::printable(text))};
}

void put_pairs(api::Writer& writer, std::string_view name, const Pairs& pairs) {
  if (pairs.empty()) return;
  json::write_name(writer, name);
  writer.StartObject();
  for (const auto& [key, value] : pairs) api::put(writer, key, std::string_view(value));
  writer.EndObject();
}

void put_texts(api::Writer& writer, std::string_view name, const std::vector<std::string>& texts) {
  if (!texts.empty()) api::put_array(writer, name, texts, json::write_text);
}

/// Empty when nothing is said of it.
Result<std::string> retry_json(const NewDestination& wanted) {
  std::vector<Duration> delays;
  for (const std::string& delay : wanted.schedule) {
    delays.push_back(MAKEGOOD_TRY(duration_in("--schedule", delay)));
  }
  if (!wanted.attempts && delays.empty()) return std::string();
  return body_of([&](api::Writer& writer) {
    if (wanted.attempts) api::put(writer, "attempts_max", *wanted.attempts);
    if (delays.empty()) return;
    api::put_array(writer, "schedule_ms", delays,
                   [](api::Writer& to, Duration delay) { to.Int64(delay / std::chrono::milliseconds(1)); });
  });
}

Result<std::string> http_json(const NewDestination& wanted) {
  const Pairs headers = MAKEGOOD_TRY(pairs_of(wanted.headers));
  const Pairs secrets = MAKEGOOD_TRY(pairs_of(wanted.secret_headers));
  return body_of([&](api::Writer& writer) {
    put_if(writer, "url", wanted.url);
    put_texts(writer, "raw_prefixes", wanted.raw_prefixes);
    put_pairs(writer, "headers", headers);
    put_pairs(writer, "secret_headers", secrets);
    put_texts(writer, "signing_keys", wanted.signing_keys);
    put_if(writer, "format", wanted.format);
    put_if(writer, "ca_file", wanted.ca_file);
    if (wanted.client_certificate.empty()) return;
    put_if(writer, "client_certificate", wanted.client_certificate.front());
    put_if(writer, "client_key", wanted.client_certificate.back());
  });
}

Result<std::string> destination_json(const NewDestination& wanted) {
  const Duration timeout = MAKEGOOD_TRY(duration_in("--timeout", wanted.timeout.empty() ? "0" : wanted.timeout));
  const std::string retry = MAKEGOOD_TRY(retry_json(wanted));
  const std::string http = MAKEGOOD_TRY(http_json(wanted));
  return body_of([&](api::Writer& writer) {
    api::put(writer, "name", std::string_view(wanted.name));
    if (!wanted.timeout.empty()) api::put_milliseconds(writer, "timeout_ms", timeout);
    if (wanted.rate) api::put(writer, "rate_max", *wanted.rate);
    if (wanted.in_flight) api::put(writer, "in_flight_max", *wanted.in_flight);
    put_if(writer, "ordering", wanted.ordering);
    put_if(writer, "tenant_id", wanted.tenant);
    if (!retry.empty()) api::put_json(writer, "retry", retry);
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

void add_list(CLI::App& verb, const std::string& flag, std::vector<std::string>& list, const std::string& type,
              const std::string& meaning) {
  verb.add_option(flag, list, meaning)->type_name(type)->allow_extra_args(false);
}

}  // namespace

void add_destinations_add(CLI::App& destinations, Program& program) {
  CLI::App& verb = *destinations.add_subcommand("add", "Add a destination with routes to it, or change one");
  add_call_flags(verb, program);
  const auto wanted = std::make_shared<NewDestination>();
  verb.add_option("name", wanted->name, "Its name, as in http:billing")->required()->type_name("NAME");
  verb.add_option("--url", wanted->url, "Where to; this or --raw-prefix")->type_name("URL");
  add_list(verb, "--raw-prefix", wanted->raw_prefixes, "URL", "Beginnings of URLs that topics http:<url> may name");
  add_list(verb, "--route", wanted->routes, "PATTERN", "Topics that lead to it, as in order.*; may be repeated");
  add_list(verb, "--header", wanted->headers, "NAME=VALUE", "Shown to all who may look; may be repeated");
  add_list(verb, "--secret-header", wanted->secret_headers, "N=WHERE",
           "Where its value is: N=env:VARIABLE or N=file:PATH");
  add_list(verb, "--signing-key", wanted->signing_keys, "WHERE", "Where the key is: env:VARIABLE or file:PATH");
  verb.add_option("--format", wanted->format, "Of CloudEvents: binary or structured")->type_name("WORD");
  verb.add_option("--ca-file", wanted->ca_file, "A PEM file that is trusted instead of the system's")
      ->type_name("FILE");
  verb.add_option("--client-cert", wanted->client_certificate, "The PEM files of a client certificate and of its key")
      ->type_name("PEM,PEM")
      ->delimiter(',')
      ->expected(2);
  verb.add_option("--tenant", wanted->tenant, "On whose behalf; without it, the operator's own")->type_name("TENANT");
  verb.add_option("--timeout", wanted->timeout, "Of one attempt, as in 10s")->type_name("DURATION");
  verb.add_option("--rate", wanted->rate, "At most so many sends per second")->type_name("N");
  verb.add_option("--in-flight", wanted->in_flight, "At most so many at once")->type_name("N");
  verb.add_option("--attempts", wanted->attempts, "Before it is a dead letter")->type_name("N");
  verb.add_option("--schedule", wanted->schedule, "The delay after each failure, as in 1s,10s,5m")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--ordering", wanted->ordering, "block, skip or block_on_dead")->type_name("WORD");
  add_asking_flags(verb, program, wanted->reason);
  verb.footer("What is left out gets the default of the configuration. Every setting: 'makegood apply' with a file.");
  run(verb, program, [&program, wanted] { return add_destination(program, *wanted); });
}

}  // namespace makegood::cli
