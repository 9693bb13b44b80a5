// makegood destinations: where messages go, how each is, and changes of them.
#include <fmt/format.h>

#include <memory>

#include "cli/age.hpp"
#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/url_text.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

constexpr Asking enabling{"enable", "Send to a destination again that was disabled or paused",
                          "sends to it again, beginning where it stood"};
constexpr Asking disabling{"disable", "Send nothing more to a destination; what is for it waits",
                           "stops sending to it; what comes meanwhile waits and costs no attempts"};
constexpr Asking removing{"remove", "Remove a destination and the routes to it",
                          "has removed it; messages that were on their way to it become dead letters"};

struct AboutDestination {
  std::string name = {};
  std::string reason = {};
  std::string topic = {};
  std::string payload = {};
};

std::string destination_path(const std::string& name) { return "/destinations/" + percent_encoded(name); }

Result<> list_destinations(const Program& program) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->get_of_outbox("/destinations"));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto all = MAKEGOOD_TRY(parse_answer(answer));
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& one : array_at(all, "items").GetArray()) {
    const Json& health = object_at(one, "health");
    const Json& backlog = object_at(one, "backlog");
    rows.push_back({cell(one, "name"), cell(health, "state"), ago_cell(health, "since", now), cell(health, "lag"),
                    cell(backlog, "under_way_count"), cell(backlog, "waiting_count"), cell(backlog, "held_count"),
                    cell(backlog, "dead_count"), cell(object_at(one, "http"), "url"), cell(health, "because")});
  }
  print_table({"NAME", "STATE", "SINCE", "LAG", "UNDER WAY", "WAITING", "HELD", "DEAD", "URL", "BECAUSE"}, rows);
  return {};
}

Result<> try_destination(Program& program, const AboutDestination& about) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string path = destination_path(about.name) + "/test";
  const std::string body = body_of([&](api::Writer& writer) {
    put_if(writer, "topic", about.topic);
    if (!about.payload.empty()) api::put_json(writer, "payload", about.payload);
  });
  const std::string answer = MAKEGOOD_TRY(client->send_to_outbox("POST", path, body));
  const auto outcome = MAKEGOOD_TRY(parse_answer(answer));
  const bool is_good = text_at(outcome, "outcome") == "ok";
  if (!is_good) program.exit = Exit::failed;
  if (program.as_json) {
    fmt::print("{}\n", answer);
  } else if (is_good) {
    fmt::print("{} has taken a test message, after {} ms.\n", config::printable(about.name),
               number_at(outcome, "duration_ms"));
  } else {
    fmt::print("{} has not taken a test message ({}, after {} ms): {} {}\n", config::printable(about.name),
               text_at(outcome, "outcome"), number_at(outcome, "duration_ms"), cell(outcome, "code"),
               config::printable(cell(outcome, "detail")));
  }
  return {};
}

Result<> ask_about_destination(const Program& program, const Asking& asking, const AboutDestination& about) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string path = destination_path(about.name);
  if (&asking == &removing) {
    const std::string query = Query().add("reason", about.reason).text();
    return tell_asked(program, asking, MAKEGOOD_TRY(client->send_to_outbox("DELETE", path, {}, query)));
  }
  const std::string body = body_of([&](api::Writer& writer) { put_if(writer, "reason", about.reason); });
  return tell_asked(program, asking, MAKEGOOD_TRY(client->send_to_outbox("POST", path + "/" + asking.name, body)));
}

void add_name(CLI::App& verb, std::string& name) {
  verb.add_option("name", name, "The destination, as 'destinations list' has it")->required()->type_name("NAME");
}

void add_destination_request(CLI::App& destinations, Program& program, const Asking& asking) {
  CLI::App& verb = *destinations.add_subcommand(asking.name, asking.description);
  add_call_flags(verb, program);
  const auto about = std::make_shared<AboutDestination>();
  add_name(verb, about->name);
  add_asking_flags(verb, program, about->reason);
  run(verb, program, [&program, &asking, about] { return ask_about_destination(program, asking, *about); });
}

}  // namespace

void add_destinations_list(CLI::App& destinations, Program& program) {
  CLI::App& verb = *destinations.add_subcommand("list", "List destinations with their health and backlog");
  add_call_flags(verb, program);
  verb.footer(
      "STATE: up; failing: without a success lately; broken: its circuit is open, only probes are sent; paused: by an\n"
      "operator; disabled: it said that it is gone, or has failed for days. LAG: numbers of the log still to go.");
  run(verb, program, [&program] { return list_destinations(program); });
}

void add_destinations_test(CLI::App& destinations, Program& program) {
  CLI::App& verb = *destinations.add_subcommand("test", "Send one made-up message right now, beside the log");
  add_call_flags(verb, program);
  const auto about = std::make_shared<AboutDestination>();
  add_name(verb, about->name);
  verb.add_option("--topic", about->topic, "Its topic, default makegood.test")->type_name("TOPIC");
  verb.add_option("--payload", about->payload, "Its payload")->type_name("JSON");
  verb.footer("Exit code 1 when it is not taken.");
  run(verb, program, [&program, about] { return try_destination(program, *about); });
}

void add_destinations_requests(CLI::App& destinations, Program& program) {
  add_destination_request(destinations, program, enabling);
  add_destination_request(destinations, program, disabling);
  add_destination_request(destinations, program, removing);
}

void add_destinations(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("destinations", "List, add, test, enable, disable and remove destinations");
  verb.require_subcommand(1);
  add_destinations_list(verb, program);
  add_destinations_add(verb, program);
  add_destinations_test(verb, program);
  add_destinations_requests(verb, program);
}

}  // namespace makegood::cli
