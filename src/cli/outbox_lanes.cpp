// makegood outbox lanes: how far the lane and its side lanes are, as the last turn tells it.
#include <fmt/format.h>

#include <memory>

#include "cli/outbox.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

using Members = std::vector<std::pair<std::string_view, std::string>>;

struct Suspect {
  std::string destination;
  Sequence sequence = 0;
  unsigned deaths = 0;
  bool is_alone = false;
};

std::string number(auto value) { return fmt::format("{}", value); }
std::string yes_or_no(bool value) { return value ? "yes" : "no"; }
std::string json_flag(bool value) { return value ? "true" : "false"; }

std::size_t under_way_count(const Position& position) {
  std::size_t count = 0;
  for (const auto& [destination, numbers] : position.under_way) count += numbers.size();
  return count;
}

/// In numbers of the log, whosever they are: up to the counter, or to where a replay of history ends.
Sequence lag_of(const SideLane& side, Sequence counter) {
  return (side.why == SideLane::Why::history ? side.end : counter) - side.reached;
}

std::vector<Suspect> suspects_of(const Position& position) {
  std::vector<Suspect> suspects;
  for (const auto& [destination, deaths_of] : position.suspects) {
    for (const auto& [sequence, deaths] : deaths_of) {
      const bool is_alone = position.alone == Position::Alone{destination, sequence};
      suspects.push_back({destination, sequence, deaths, is_alone});
    }
  }
  return suspects;
}

std::string to_json(const SideLane& side, Sequence counter) {
  const Scope& scope = side.scope;
  const bool is_history = side.why == SideLane::Why::history;
  Members members = {{"destination", json_text(scope.destination)},
                     {"tenant_id", json_text(scope.tenant_id)},
                     {"dispatch_key", json_text(scope.dispatch_key)},
                     {"priority", scope.priority ? number(*scope.priority) : "null"},
                     {"why", json_text(to_string(side.why))},
                     {"is_paused", json_flag(side.is_paused)},
                     {"reached", number(side.reached)},
                     {"lag", number(lag_of(side, counter))},
                     {"under_way_count", number(side.under_way.size())},
                     {"end", is_history ? number(side.end) : "null"}};
  return json_object(members);
}

std::string to_json(const Suspect& suspect) {
  return json_object({{"destination", json_text(suspect.destination)},
                      {"sequence", number(suspect.sequence)},
                      {"deaths", number(suspect.deaths)},
                      {"is_alone", json_flag(suspect.is_alone)}});
}

std::string to_json(const LaneView& lane) {
  std::vector<std::string> sides;
  sides.reserve(lane.position.sides.size());
  for (const SideLane& side : lane.position.sides) sides.push_back(to_json(side, lane.counter));
  std::vector<std::string> suspects;
  for (const Suspect& suspect : suspects_of(lane.position)) suspects.push_back(to_json(suspect));
  return json_object({{"owner", json_text(lane.owner)},
                      {"turn", number(lane.turn)},
                      {"at", json_text(time_text(lane.at))},
                      {"lease_until", json_text(time_text(lane.lease_until))},
                      {"counter", number(lane.counter)},
                      {"reached", number(lane.position.reached)},
                      {"lag", number(lane.counter - lane.position.reached)},
                      {"under_way_count", number(under_way_count(lane.position))},
                      {"open_count", number(lane.position.open.count())},
                      {"sides", json_array(sides)},
                      {"suspects", json_array(suspects)}});
}

void print_owner(const LaneView& lane) {
  if (lane.owner.empty()) {
    fmt::print("No relay has ever taken this lane. The counter is at {}.\n\n", lane.counter);
    return;
  }
  const bool is_given_up = lane.lease_until <= lane.at;
  const std::string lease = is_given_up ? "given up" : "lease until " + time_text(lane.lease_until);
  fmt::print("Owner {}, turn {} of {}, {}. The counter is at {}.\n\n", config::printable(lane.owner), lane.turn,
             time_text(lane.at), lease, lane.counter);
}

void print_lanes(const LaneView& lane) {
  const Position& position = lane.position;
  std::vector<Row> rows = {{"main", "-", "no", number(position.reached), number(lane.counter - position.reached),
                            number(under_way_count(position)), "-"}};
  for (const SideLane& side : position.sides) {
    const bool is_history = side.why == SideLane::Why::history;
    rows.push_back({to_string(side.scope), std::string(to_string(side.why)), yes_or_no(side.is_paused),
                    number(side.reached), number(lag_of(side, lane.counter)), number(side.under_way.size()),
                    is_history ? number(side.end) : "-"});
  }
  print_table({"LANE", "WHY", "PAUSED", "REACHED", "LAG", "UNDER WAY", "END"}, rows);
}

void print_suspects(const Position& position) {
  std::vector<Row> rows;
  for (const Suspect& suspect : suspects_of(position)) {
    rows.push_back(
        {number(suspect.sequence), suspect.destination, number(suspect.deaths), yes_or_no(suspect.is_alone)});
  }
  if (rows.empty()) return;
  fmt::print("\n");
  print_table({"SUSPECT", "DESTINATION", "DEATHS", "ALONE"}, rows);
}

Result<> show_lanes(const Program& program, bool as_json) {
  const auto letters = MAKEGOOD_TRY(open_letters(program));
  const LaneView lane = MAKEGOOD_TRY(letters->lane());
  if (as_json) {
    fmt::print("{}\n", to_json(lane));
    return {};
  }
  print_owner(lane);
  print_lanes(lane);
  print_suspects(lane.position);
  return {};
}

}  // namespace

void add_outbox_lanes(CLI::App& outbox, Program& program) {
  CLI::App& verb = *outbox.add_subcommand("lanes", "Show how far the lane and its side lanes are");
  add_outbox_flags(verb, program);
  const auto as_json = std::make_shared<bool>(false);
  verb.add_flag("--json", *as_json, "For programs");
  verb.footer(
      "LAG counts numbers of the log up to the newest, or to the end of a replay; in a side lane most may be others'.\n"
      "SUSPECT: a message that was under way when an owner died; after the second death it is sent alone.");
  run(verb, program, [&program, as_json] { return show_lanes(program, *as_json); });
}

}  // namespace makegood::cli
