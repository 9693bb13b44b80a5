#include "core/lane_position.hpp"

#include <algorithm>
#include <utility>

#include "core/lane_registry.hpp"
#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// So many owners in a row took the lane and died before their first turn: one of the next rows may crash its reader.
constexpr std::size_t fruitless_takings_max = 3;

void load_figures(OwnedLane& lane, const Taken& taken) {
  lane.parked.begin(taken);
  for (const auto& [destination, failing] : taken.position.failing) {
    if (is_mutant("patience_ends_with_its_owner")) break;
    lane.destinations[lane.destinations.at(destination)].endpoint.keep_failing(failing);
  }
  lane.removed.clear();
  for (DestinationIndex index = 0; index < lane.destinations.count(); ++index) {
    if (is_removed(lane, index)) lane.removed.push_back(index);
  }
}

void load_holes(OwnedLane& lane, const Position& position, MonotonicTime now) {
  for (const SideLane& taken : position.sides) {
    Side& side = lane.sides.add(taken, lane.destinations.at(taken.scope.destination));
    side.unread.insert(taken.under_way.begin(), taken.under_way.end());
    DestinationState& state = lane.destinations[side.destination];
    if (!state.is_registered && !lane.lasting.is_registry_in_store) {
      lane.reports.alarm(
          {Errc::no_route, "A side lane waits for " + taken.scope.destination +
                               ", which is not registered: register it, or nothing of it is delivered."});
    } else if (state.is_registered && taken.why == SideLane::Why::broken) {
      state.endpoint.break_at_once(now);
    }
  }
}

void load_blockers(OwnedLane& lane, const std::vector<Parked>& blocking) {
  for (const Parked& row : blocking) {
    const DestinationIndex destination = lane.destinations.at(row.destination);
    if (row.dispatch_key.empty()) continue;
    if (is_mutant("unregistered_not_loaded") && !lane.destinations[destination].is_registered) continue;
    lane.keys.at(row.tenant_id, row.dispatch_key, destination).blockers[row.sequence] = blocker_of(row);
  }
  for (const Parked& row : blocking) {
    Key* key = lane.keys.find(row.tenant_id, row.dispatch_key, lane.destinations.at(row.destination));
    // It was held behind a delivery under way, which may have ended unseen: nobody else will call it up.
    if (key != nullptr && next_held(*key, lane.window) == row.sequence) lane.freed.push_back(key);
  }
}

void count_deaths(OwnedLane& lane) {
  for (const auto& [number, destinations] : lane.log.holes()) {
    for (const std::string& destination : destinations) {
      lane.suspects.was_under_way(lane.destinations.at(destination), number);
    }
  }
  for (const auto& side : lane.sides) {
    for (const Sequence number : side->unread) lane.suspects.was_under_way(side->destination, number);
  }
}

}  // namespace

void load(OwnedLane& lane, Taken taken, MonotonicTime asked_at) {
  const bool is_careful = taken.fruitless_takings >= fruitless_takings_max;
  lane.log.begin(taken.position, std::move(taken.mark), is_careful ? lane.options.limits.batch_rows_max : 0);
  lane.cancelled = Cancelled(taken.position.cancelled);
  lane.registry.routings().load(std::move(taken.routings));
  if (lane.lasting.is_registry_in_store) register_newest(lane);
  load_holes(lane, taken.position, asked_at);
  lane.suspects.begin(taken);
  if (lane.suspects.is_after_death()) count_deaths(lane);
  if (!is_mutant("forget_blocked_keys")) load_blockers(lane, taken.blocking);
  load_figures(lane, taken);
  lane.committed_position = std::move(taken.position);
  lane.clean_at = asked_at + lane.options.clean_interval;
}

Position position_of(OwnedLane& lane) {
  Position position{.reached = lane.log.reached(), .open = lane.log.open()};
  if (!is_mutant("cancelled_not_stored")) position.cancelled = lane.cancelled.marks();
  // A step back that is too small to be followed is remembered, until it is large enough with others.
  const bool is_followed = lane.draft && lane.draft->set_back > Duration::zero();
  position.clock =
      is_followed ? lane.ownership.store_now : std::max(lane.ownership.store_now, lane.committed_position.clock);
  std::vector<std::vector<Sequence>> holes(lane.destinations.count());
  for (const auto& side : lane.sides) side->lane.under_way.assign(side->unread.begin(), side->unread.end());
  lane.window.each_hole([&](Sequence sequence, const Carried& carried) {
    if (is_mutant("read_not_covered") && !carried.is_in_flight) return;
    if (is_mutant("side_forgets_flight") && carried.side != nullptr && carried.is_in_flight) return;
    auto& numbers = carried.side != nullptr ? carried.side->lane.under_way : holes[carried.destination];
    numbers.push_back(sequence);
  });
  for (DestinationIndex index = 0; index < holes.size(); ++index) {
    if (holes[index].empty()) continue;
    position.under_way.emplace(lane.destinations[index].settings->name, std::move(holes[index]));
  }
  for (const auto& [number, destinations] : lane.log.holes()) {
    for (const std::string& destination : destinations) {
      auto& numbers = position.under_way[destination];
      numbers.insert(std::ranges::upper_bound(numbers, number), number);
    }
  }
  for (const auto& side : lane.sides) {
    std::ranges::sort(side->lane.under_way);
    position.sides.push_back(side->lane);
  }
  lane.suspects.write(position);
  for (DestinationIndex index = 0; index < lane.destinations.count(); ++index) {
    DestinationState& state = lane.destinations[index];
    if (const auto& failing = state.endpoint.failing(lane.ownership.store_now))
      position.failing.emplace(state.settings->name, *failing);
  }
  return position;
}

}  // namespace makegood::core
