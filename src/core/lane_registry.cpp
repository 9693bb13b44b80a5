// When a version of destinations and routes begins to count: who is registered, and what becomes of those that were
// waiting for a destination that is no longer there.
#include <algorithm>
#include <utility>

#include "core/lane_registry.hpp"
#include "core/lane_requests.hpp"
#include "core/lane_settle.hpp"
#include "core/lane_sides.hpp"
#include "core/mutant.hpp"
#include "core/request_answer.hpp"

namespace makegood::core {
namespace {

/// Nothing stands still any more: each side lane reads to its end, all of it is dead, and it merges. History ends here.
void release_sides(OwnedLane& lane, DestinationIndex index) {
  if (is_mutant("removed_stands_still")) return;
  std::vector<Side*> histories;
  for (Side* side : lane.sides.at(index)) {
    side->lane.is_paused = false;
    side->lane.since = {};
    side->is_resuming = false;
    if (side->is_history()) histories.push_back(side);
  }
  lane.destinations[index].expect_due(
      lane.ownership.store_now);  // Retries of what was paused were left out of the looks.
  for (Side* side : histories) cancel(lane, *side);
}

/// Back to numbers and waiting rows: the next looks bring them as what cannot be sent any more.
void put_back_unsent(OwnedLane& lane, DestinationIndex index) {
  if (is_mutant("removed_is_sent")) return;
  std::vector<CarriedIndex> unsent;
  lane.window.each([&](CarriedIndex carried_index, const Carried& carried) {
    if (carried.destination == index && !carried.is_in_flight) unsent.push_back(carried_index);
  });
  for (const CarriedIndex carried_index : unsent) {
    if (lane.window.at(carried_index).is_parked) {
      put_back_parked(lane, carried_index);
    } else {
      put_back(lane, carried_index);
    }
  }
}

void unblock_dead_head(OwnedLane& lane, Key& key, Sequence sequence) {
  Parked head{.sequence = sequence,
              .destination = lane.destinations[key.destination].settings->name,
              .tenant_id = key.tenant_id,
              .dispatch_key = key.dispatch_key,
              .state = ParkedState::dead,
              .attempts = key.blockers.at(sequence).attempts,
              .answered = key.blockers.at(sequence).answered,
              .event_id = key.blockers.at(sequence).event_id};
  AttemptNote note = lane.parked.note(head, "unblocked", lane.ownership.store_now);
  lane.parked.park(std::move(head), std::move(note), false);
  key.blockers.erase(sequence);
}

/// What is held behind a dead head waits for an operator, who has just said that there is nothing to wait for.
void release_from_dead_heads(OwnedLane& lane, DestinationIndex index) {
  for (Key* key : lane.keys.of(index)) {
    std::vector<Sequence> heads;
    for (const auto& [sequence, blocker] : key->blockers) {
      if (blocker.state == ParkedState::dead && sequence != key->blockers.rbegin()->first) heads.push_back(sequence);
    }
    for (const Sequence sequence : heads) unblock_dead_head(lane, *key, sequence);
    pass_on(lane, *key);
  }
}
}  // namespace

bool is_without_routes(const OwnedLane& lane) {
  if (!lane.lasting.is_registry_in_store || (lane.log.reached() > 0 && !is_mutant("routes_never_were"))) return false;
  return lane.registry.is_without_routes() && lane.log.holes().empty();
}

void adopt_routing(OwnedLane& lane) {
  auto adopted = lane.registry.adopt();
  if (!adopted) return;
  lane.draft->routing = std::move(adopted->routing);
  if (!adopted->is_first) lane.reports.news({.kind = LaneNews::Kind::routes_changed});
  if (lane.lasting.is_registry_in_store && !is_mutant("registry_of_the_taking")) register_newest(lane);
  if (adopted->request) lane.draft->answers.push_back({*adopted->request, std::string(done)});
}

void register_newest(OwnedLane& lane) {
  if (lane.registry.routings().is_empty()) return;
  for (const DestinationIndex index : lane.destinations.replace(lane.registry.routings().newest().destinations)) {
    DestinationState& state = lane.destinations[index];
    if (state.endpoint.is_broken()) {
      lane.reports.news({.kind = LaneNews::Kind::circuit_closed, .scope = {state.settings->name}});
    }
    state.endpoint.remove();
    lane.gone.erase(index);
    lane.removed.push_back(index);
  }
}

std::int64_t oldest_routing(const OwnedLane& lane) {
  Sequence lowest = lane.log.reached() + 1;
  if (!lane.log.open().empty()) lowest = std::min(lowest, lane.log.open().front());
  std::int64_t oldest = is_mutant("routes_never_were") ? lane.registry.routings().newest().version
                                                       : lane.registry.routings().newest_with_routes();
  for (const auto& side : lane.sides) {
    if (side->is_history()) oldest = std::min(oldest, side->lane.routing);
    lowest = std::min(lowest, side->lane.reached + 1);
  }
  return std::min(oldest, lane.registry.routings().version_of(lowest).version);
}

std::optional<std::string> change_registry(OwnedLane& lane, const Request& request) {
  const auto is_it = [&](const RequestAnswer& answer) { return answer.id == request.id; };
  if (std::ranges::any_of(lane.draft->answers, is_it)) return std::nullopt;  // This turn carries its version.
  return lane.registry.change(request);
}

bool is_removed(const OwnedLane& lane, DestinationIndex index) {
  return lane.lasting.is_registry_in_store && !lane.destinations[index].is_registered;
}

void wind_up_removed(OwnedLane& lane) {
  for (const DestinationIndex index : std::exchange(lane.removed, {})) {
    if (!is_removed(lane, index)) continue;
    release_sides(lane, index);
    put_back_unsent(lane, index);
    release_from_dead_heads(lane, index);
  }
}

}  // namespace makegood::core
