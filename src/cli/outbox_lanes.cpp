// makegood outbox lanes: how far the lane and its side lanes are, as the last turn tells it.
#include <fmt/format.h>

#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

void print_owner(const Json& lane) {
  const std::string owner = text_at(lane, "owner");
  const std::int64_t counter = number_at(lane, "counter");
  if (owner.empty()) return fmt::print("No relay has ever taken this lane. The counter is at {}.\n\n", counter);
  const std::string at = text_at(lane, "at");
  const std::string until = text_at(lane, "lease_until");
  fmt::print("Owner {}, turn {} of {}, {}. The counter is at {}.\n\n", config::printable(owner),
             number_at(lane, "turn"), at, until <= at ? "given up" : "lease until " + until, counter);
}

/// `fn:billing tenant=acme key=order-7`
std::string scope_of(const Json& side) {
  std::string scope = text_at(side, "destination");
  if (const std::string tenant = text_at(side, "tenant_id"); !tenant.empty()) scope += " tenant=" + tenant;
  if (const std::string key = text_at(side, "dispatch_key"); !key.empty()) scope += " key=" + key;
  if (side.HasMember("priority") && side["priority"].IsInt64()) scope += " priority=" + cell(side, "priority");
  return scope;
}

void print_lanes(const Json& lane, const Json& sides) {
  std::vector<Row> rows = {
      {"main", "-", "no", cell(lane, "reached"), cell(lane, "lag"), cell(lane, "under_way_count"), "-"}};
  for (const Json& side : sides.GetArray()) {
    rows.push_back({scope_of(side), cell(side, "why"), yes_or_no(flag_at(side, "is_paused")), cell(side, "reached"),
                    cell(side, "lag"), cell(side, "under_way_count"), cell(side, "end")});
  }
  print_table({"LANE", "WHY", "PAUSED", "REACHED", "LAG", "UNDER WAY", "END"}, rows);
}

void print_suspects(const Json& suspects) {
  std::vector<Row> rows;
  for (const Json& suspect : suspects.GetArray()) {
    rows.push_back({cell(suspect, "sequence"), cell(suspect, "destination"), cell(suspect, "deaths"),
                    yes_or_no(flag_at(suspect, "is_alone"))});
  }
  if (rows.empty()) return;
  fmt::print("\n");
  print_table({"SUSPECT", "DESTINATION", "DEATHS", "ALONE"}, rows);
}

Result<> show_lanes(const Program& program) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->get_of_outbox("/lanes"));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto lane = MAKEGOOD_TRY(parse_answer(answer));
  print_owner(lane);
  print_lanes(lane, array_at(lane, "sides"));
  print_suspects(array_at(lane, "suspects"));
  return {};
}

}  // namespace

void add_outbox_lanes(CLI::App& outbox, Program& program) {
  CLI::App& verb = *outbox.add_subcommand("lanes", "Show how far the lane and its side lanes are");
  add_call_flags(verb, program);
  verb.footer(
      "LAG counts numbers of the log up to the newest, or to the end of a replay; in a side lane most may be others'.\n"
      "SUSPECT: a message that was under way when an owner died; after the second death it is sent alone.");
  run(verb, program, [&program] { return show_lanes(program); });
}

}  // namespace makegood::cli
