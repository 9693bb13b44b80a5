// makegood outbox show: one message with its whole story; without one, the outbox as a whole.
#include <fmt/format.h>

#include <memory>

#include "cli/age.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/story.hpp"
#include "cli/url_text.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

struct Shown {
  std::string message = {};
  std::string tenant = {};
};

void print_delivery(const Json& delivery, TimePoint now) {
  fmt::print("\n{}: {}", config::printable(text_at(delivery, "destination")), text_at(delivery, "state"));
  if (const std::string due = text_at(delivery, "due_at"); !due.empty()) fmt::print(", due {}", ago_text(due, now));
  if (flag_at(delivery, "blocks")) fmt::print(", later messages of its key wait for it");
  fmt::print("\n");
  print_attempts(array_at(delivery, "story"), now);
}

void print_message(const Json& message) {
  const TimePoint now = system_clock().now();
  fmt::print("Message {} is {}.\n", number_at(message, "sequence"), text_at(message, "state"));
  print_field("topic", cell(message, "topic"));
  print_field("tenant", cell(message, "tenant_id"));
  print_field("key", cell(message, "dispatch_key"));
  print_field("event", cell(message, "event_id"));
  print_field("created", fmt::format("{} ({})", ago_cell(message, "created_at", now), cell(message, "created_at")));
  if (!text_at(message, "expires_at").empty()) print_field("expires", ago_cell(message, "expires_at", now));
  print_content(message);
  for (const Json& delivery : array_at(message, "deliveries").GetArray()) print_delivery(delivery, now);
  print_requests(array_at(message, "requests"), now);
}

void print_sides(const Json& sides) {
  std::vector<Row> rows;
  for (const Json& side : sides.GetArray()) {
    rows.push_back({cell(side, "destination"), cell(side, "tenant_id"), cell(side, "dispatch_key"), cell(side, "why"),
                    cell(side, "is_paused"), cell(side, "reached"), cell(side, "lag"), cell(side, "because")});
  }
  if (rows.empty()) return;
  fmt::print("\n");
  print_table({"SIDE LANE", "TENANT", "KEY", "WHY", "PAUSED", "REACHED", "LAG", "BECAUSE"}, rows);
}

void print_backlog(const Json& backlog, TimePoint now) {
  std::vector<Row> rows;
  for (const Json& one : array_at(backlog, "destinations").GetArray()) {
    rows.push_back({cell(one, "destination"), cell(one, "under_way_count"), cell(one, "waiting_count"),
                    cell(one, "held_count"), cell(one, "dead_count"), cell(one, "quarantined_count"), cell(one, "lag"),
                    ago_cell(one, "oldest_at", now)});
  }
  if (rows.empty()) return;
  fmt::print("\n");
  print_table({"DESTINATION", "UNDER WAY", "WAITING", "HELD", "DEAD", "QUARANTINED", "LAG", "OLDEST"}, rows);
}

void print_outbox(const Json& outbox) {
  const TimePoint now = system_clock().now();
  const Json& lane = object_at(outbox, "lane");
  const Json& backlog = object_at(outbox, "backlog");
  const bool was_taken = !text_at(lane, "owner").empty();
  fmt::print("Outbox {}\n", config::printable(text_at(outbox, "outbox")));
  print_field("owner", !was_taken                  ? "nobody, ever"
                       : flag_at(lane, "is_owned") ? cell(lane, "owner")
                                                   : "nobody; the last was " + cell(lane, "owner"));
  if (was_taken) print_field("turn", fmt::format("{}, {}", cell(lane, "turn"), ago_cell(lane, "at", now)));
  print_field("read",
              fmt::format("{} of {}, {} to go", cell(lane, "reached"), cell(lane, "counter"), cell(lane, "lag")));
  print_field("oldest", ago_cell(backlog, "oldest_pending_at", now));
  print_field("under way", cell(lane, "under_way_count"));
  print_sides(array_at(outbox, "sides"));
  print_backlog(backlog, now);
}

Result<> show(const Program& program, const Shown& shown) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string below = shown.message.empty() ? "" : "/messages/" + percent_encoded(shown.message);
  const std::string query = Query().add("tenant", shown.tenant).text();
  const std::string answer = MAKEGOOD_TRY(client->get_of_outbox(below, query));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto parsed = MAKEGOOD_TRY(parse_answer(answer));
  shown.message.empty() ? print_outbox(parsed) : print_message(parsed);
  return {};
}

}  // namespace

void add_outbox_show(CLI::App& outbox, Program& program) {
  CLI::App& verb = *outbox.add_subcommand("show", "Show a message with its whole story, or the outbox as a whole");
  add_call_flags(verb, program);
  const auto shown = std::make_shared<Shown>();
  CLI::Option* message =
      verb.add_option("message", shown->message, "Its number or its event id; without it: owner, backlog, side lanes")
          ->type_name("MESSAGE");
  verb.add_option("--tenant", shown->tenant, "Whose event it is, if several tenants have one with this id")
      ->type_name("TENANT")
      ->needs(message);
  run(verb, program, [&program, shown] { return show(program, *shown); });
}

}  // namespace makegood::cli
