// makegood destinations add: a destination, and the routes to it, in one change.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include "base/json.hpp"
#include "base/transports.hpp"
#include "cli/apply.hpp"
#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/flag_texts.hpp"
#include "cli/json_view.hpp"
#include "cli/setting_flags.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {
namespace {

struct NewDestination {
  std::string name = {};
  std::vector<std::string> routes = {};
  /// Of its transport, as they were said, by flag. Kinds that have a setting of the same meaning share its flag.
  std::map<std::string_view, std::vector<std::string>> settings = {};
  std::string tenant = {};
  std::string timeout = {};
  std::optional<double> rate = {};
  std::optional<int> in_flight = {};
  std::optional<int> attempts = {};
  std::vector<std::string> schedule = {};
  std::string ordering = {};
  bool replaces = false;
  std::string reason = {};
};

const Transports& transports() {
  static const std::shared_ptr<Transports> transports = usual_transports();
  return *transports;
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

bool has_flag(const TransportKind* kind, std::string_view flag) {
  return kind != nullptr && std::ranges::find(kind->flags(), flag, &SettingFlag::flag) != kind->flags().end();
}

/// What was said of a transport; `{}` when nothing was. A flag that the destination's own transport has is said of
/// that.
Result<std::string> settings_json(const TransportKind& kind, const NewDestination& wanted) {
  const TransportKind* own = transports().kind_of(wanted.name);
  std::optional<Error> mistake;
  std::string json = body_of([&](api::Writer& writer) {
    for (const SettingFlag& setting : kind.flags()) {
      const auto& said = wanted.settings.at(setting.flag);
      const bool is_of_another = own != &kind && has_flag(own, setting.flag);
      if (said.empty() || is_of_another || mistake) continue;
      if (Result<> put = put_setting(writer, setting, said); !put) mistake = std::move(put).error();
    }
  });
  if (mistake) return *std::move(mistake);
  return json;
}

/// By the name of each transport that is its own, or that something was said of: the server tells what does not belong.
Result<std::map<std::string, std::string>> all_settings_json(const NewDestination& wanted) {
  std::map<std::string, std::string> settings;
  for (const auto& kind : transports().kinds()) {
    const std::string json = MAKEGOOD_TRY(settings_json(*kind, wanted));
    if (json != "{}" || kind.get() == transports().kind_of(wanted.name)) settings.emplace(kind->scheme(), json);
  }
  return settings;
}

Result<std::string> destination_json(const NewDestination& wanted) {
  const Duration timeout = MAKEGOOD_TRY(duration_in("--timeout", wanted.timeout.empty() ? "0" : wanted.timeout));
  const std::string retry = MAKEGOOD_TRY(retry_json(wanted));
  const auto settings = MAKEGOOD_TRY(all_settings_json(wanted));
  return body_of([&](api::Writer& writer) {
    api::put(writer, "name", std::string_view(wanted.name));
    if (!wanted.timeout.empty()) api::put_milliseconds(writer, "timeout_ms", timeout);
    if (wanted.rate) api::put(writer, "rate_max", *wanted.rate);
    if (wanted.in_flight) api::put(writer, "in_flight_max", *wanted.in_flight);
    put_if(writer, "ordering", wanted.ordering);
    put_if(writer, "tenant_id", wanted.tenant);
    if (!retry.empty()) api::put_json(writer, "retry", retry);
    for (const auto& [name, members] : settings) api::put_json(writer, name, members);
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
  const std::string body = apply_body(document, {.replaces = wanted.replaces, .reason = wanted.reason});
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
  CLI::App& verb =
      *destinations.add_subcommand("add", "Add a destination with routes to it, or change what is named of one");
  add_call_flags(verb, program);
  const auto wanted = std::make_shared<NewDestination>();
  verb.add_option("name", wanted->name, "Its name, as in http:billing")->required()->type_name("NAME");
  add_list(verb, "--route", wanted->routes, "PATTERN", "Topics that lead to it, as in order.*; may be repeated");
  for (const auto& kind : transports().kinds()) {
    for (const SettingFlag& setting : kind->flags()) {
      const auto [said, is_new] = wanted->settings.try_emplace(setting.flag);
      if (is_new) add_setting(verb, setting, said->second);
    }
  }
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
  verb.add_flag("--replace", wanted->replaces, "What is left out gets its default; without this it stays as it is");
  add_asking_flags(verb, program, wanted->reason);
  verb.footer("");  // The help fills a screen already.
  run(verb, program, [&program, wanted] { return add_destination(program, *wanted); });
}

}  // namespace makegood::cli
