// Side lanes: when a scope leaves, what it takes along, how far it may read, and when it comes back.
#include <algorithm>
#include <utility>

#include "core/lane_look.hpp"
#include "core/lane_read.hpp"
#include "core/lane_registry.hpp"
#include "core/lane_settle.hpp"
#include "core/lane_sides.hpp"
#include "core/mutant.hpp"
#include "makegood/events.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

/// What is in flight goes on under its name; what is in hand and not sent becomes numbers, and leaves the window.
void move_into(OwnedLane& lane, Side& side, Side* from) {
  std::vector<CarriedIndex> moved;
  lane.window.each([&](CarriedIndex index, const Carried& carried) {
    const Message& message = *carried.message;
    const bool is_mine = carried.side == from && !carried.is_parked && carried.destination == side.destination &&
                         contains(side.lane.scope, message.tenant_id, message.dispatch_key, message.priority);
    if (is_mine) moved.push_back(index);
  });
  for (const CarriedIndex index : moved) {
    Carried& carried = lane.window.at(index);
    lane.deliveries.move(index, &side);
    if (is_mutant("keys_per_lane") && carried.key != nullptr && carried.is_in_flight) carried.key->going.reset();
    if (!carried.is_in_flight) put_back(lane, index);
  }
  const bool is_whole = side.lane.scope.tenant_id.empty();
  if (from != nullptr || !is_whole) return;  // What is not read yet is handed over when it is.
  for (const Sequence number : lane.log.take_holes_at(side.lane.scope.destination)) side.unread.insert(number);
}

/// What this lane has looked up is not read now.
void disturb(OwnedLane& lane, const Side& side) {
  for (Asked::FromSide& asked : lane.asked.sides) {
    if (asked.side == &side) asked.side = nullptr;
  }
}

Sequence reached_around(const OwnedLane& lane, const Side& side) {
  const Side* outer = lane.sides.around(side);
  return outer != nullptr ? outer->lane.reached : lane.log.reached();
}

bool has_unread_around(const OwnedLane& lane, const Side& side) {
  if (!lane.log.holes().empty()) return true;
  return std::ranges::any_of(lane.sides.at(side.destination), [&](const Side* other) {
    const bool is_around = other != &side && !other->is_history();
    return is_around && is_inside(side.lane.scope, other->lane.scope) && !other->unread.empty();
  });
}

/// Of a side lane for one key: what it would read now would only be parked.
bool is_key_blocked(const OwnedLane& lane, const Side& side) {
  const Scope& scope = side.lane.scope;
  if (scope.dispatch_key.empty()) return false;
  const Key* key = lane.keys.find(scope.tenant_id, scope.dispatch_key, side.destination);
  const Sequence next = side.unread.empty() ? side.lane.reached + 1 : *side.unread.begin();
  return key != nullptr && key->is_blocked_before(next);
}

/// Half a window for all side lanes, and what the main lane leaves unused of the other half.
std::size_t side_budget(const OwnedLane& lane) {
  const std::size_t whole = lane.options.limits.window_rows_max;
  const std::size_t main = lane.deliveries.main_count();
  return std::max<std::size_t>(1, (whole - std::min(main, whole / 2)) / lane.sides.count());
}

/// All that it has in hand waits for retries of its keys, which wait for the numbers that went back. Of those, none
/// that is read then stays in hand for the same reason: it is held.
bool is_stuck(const OwnedLane& lane, const Side& side) {
  if (side.unread.empty() || !side.ready.empty()) return false;
  bool is_any_free = false;
  lane.window.each([&](CarriedIndex /*index*/, const Carried& carried) {
    const bool waits = carried.key != nullptr && carried.key->is_blocked_before(carried.message->sequence);
    is_any_free = is_any_free || (carried.side == &side && (carried.is_in_flight || !waits));
  });
  return !is_any_free;
}

bool may_probe_from(const OwnedLane& lane, const Side& side, MonotonicTime now) {
  const DestinationState& state = lane.destinations[side.destination];
  if (!state.endpoint.has_place(now) || !state.ready.empty()) return false;
  const bool is_retry_due = state.next_due && *state.next_due <= lane.ownership.store_time(now);
  if (is_retry_due && due_places(lane, side.destination, now) > 0) return false;
  return std::ranges::none_of(lane.sides.at(side.destination), [&](const Side* other) {
    return !other->ready.empty() && !lane.sides.is_paused(*other);
  });
}

/// A row that committed late is no history yet: another lane carries it at this moment.
bool is_under_way(const OwnedLane& lane, DestinationIndex destination, Sequence sequence) {
  const std::string& name = lane.destinations[destination].settings->name;
  if (lane.window.has(sequence, destination) || lane.parked.has(sequence, name)) return true;
  if (lane.log.has_hole(sequence, name)) return true;
  return std::ranges::any_of(lane.sides.at(destination),
                             [&](const Side* side) { return !side->is_history() && side->unread.contains(sequence); });
}

/// For the first of its destinations, and unless a lane inside is still to read it.
void count_aside(OwnedLane& lane, const MessagePtr& message, const Side& side, const Side& carrier) {
  const auto destinations =
      lane.registry.routings().leading_from(message->topic, message->tenant_id, message->sequence, lane.destinations);
  const bool is_first = !destinations.empty() && destinations.front() == side.destination;
  const bool is_read_here = &carrier == &side || !carrier.is_beyond(message->sequence);
  if (is_first && is_read_here) lane.reports.fresh(message);
}

/// Nothing of what was read can be sent: the next try is not before the next probe's time.
void postpone_probe(OwnedLane& lane, const Side& side) {
  DestinationState& state = lane.destinations[side.destination];
  if (state.endpoint.is_broken() && state.ready.empty() && side.ready.empty() &&
      !lane.suspects.has_probe_for(side.destination)) {
    state.endpoint.postpone_probe(lane.ownership.store_now_at);
  }
}

}  // namespace

Side* open_side(OwnedLane& lane, SideLane opened, DestinationIndex destination) {
  if (lane.sides.count() >= lane.options.limits.side_lanes_max) return nullptr;
  lane.reports.news({.kind = LaneNews::Kind::side_opened, .scope = opened.scope, .why = opened.why});
  Side& side = lane.sides.add(std::move(opened), destination);
  if (side.is_history()) return &side;
  Side* from = lane.sides.around(side);
  side.lane.reached = from != nullptr ? from->lane.reached : lane.log.reached();
  move_into(lane, side, from);
  return &side;
}

void put_back(OwnedLane& lane, CarriedIndex index) {
  lane.deliveries.take_from_queues(index);
  const Carried& carried = lane.window.at(index);
  Key* key = carried.key;
  const Sequence sequence = carried.message->sequence;
  if (carried.side != nullptr) {
    carried.side->unread.insert(sequence);
    disturb(lane, *carried.side);
  } else {
    lane.log.add_hole(sequence, lane.destinations[carried.destination].settings->name);
    lane.asked.is_disturbed = true;
  }
  lane.deliveries.drop(index);
  if (key == nullptr) return;
  // A replay of history waits behind this one, and stays in hand.
  let_next_go(lane, *key, lane.ownership.turn + 1);
  if (next_held(*key, lane.window)) lane.freed.push_back(key);  // It was held behind this one, and comes before it.
  drop_if_idle(lane, *key);
}

void put_back_key(OwnedLane& lane, Key& key) {
  std::vector<CarriedIndex> indexes = key.queue;
  if (key.going) indexes.push_back(*key.going);
  for (const CarriedIndex index : indexes) put_back(lane, index);
}

void put_back_followers(OwnedLane& lane, Key& key, Sequence sequence) {
  const std::vector<CarriedIndex> indexes = key.queue;
  for (const CarriedIndex index : indexes) {
    if (lane.window.at(index).message->sequence > sequence) put_back(lane, index);
  }
}

void put_back_parked(OwnedLane& lane, CarriedIndex index) {
  lane.deliveries.take_from_queues(index);
  const Carried& carried = lane.window.at(index);
  Key* key = carried.key;
  Parked row = lane.parked.row_of(carried);
  --row.attempts;
  row.due_at = lane.ownership.store_now;
  row.blocks = blocks_key(lane, row);
  if (row.blocks) key->blockers[row.sequence] = blocker_of(row);
  lane.parked.park(std::move(row), {}, true);
  lane.deliveries.end(index);
  if (key != nullptr) pass_on(lane, *key);
}

void choose_merging(OwnedLane& lane) {
  for (const auto& side : lane.sides) side->is_merging = false;
  // One at a time: the lane around it must not leave at the same moment.
  const auto ripe = std::ranges::find_if(lane.sides, [&](const auto& side) { return may_merge(lane, *side); });
  if (ripe != lane.sides.end()) (*ripe)->is_merging = true;
}

bool may_merge(const OwnedLane& lane, const Side& side) {
  if (side.is_history() || side.lane.is_paused || !side.unread.empty() || has_unread_around(lane, side)) return false;
  const bool is_level = side.lane.reached == reached_around(lane, side) || is_mutant("merge_early");
  const DestinationState& state = lane.destinations[side.destination];
  if (!is_level || state.endpoint.is_broken()) return false;
  if (is_removed(lane, side.destination)) return true;  // Nothing of it is ever in hand again.
  const LaneLimits& limits = lane.options.limits;
  if (side.in_hand > share_of(limits.window_rows_max) / 2) return false;  // It would soon leave again.
  return state.parked_count <= limits.parked_max / 2 && !is_key_blocked(lane, side);
}

void close_sides(OwnedLane& lane) {
  std::vector<Side*> closing;
  for (const auto& side : lane.sides) {
    // A number that is open may still turn out to be one of its rows.
    const bool is_through = side->is_history() && side->lane.reached >= side->lane.end && side->unread.empty() &&
                            (lane.log.open().empty() || lane.log.open().front() > side->lane.end);
    if (side->is_merging || (is_through && side->in_hand == 0)) closing.push_back(side.get());
  }
  for (Side* side : closing) {
    const auto kind = side->is_history() ? LaneNews::Kind::side_ended : LaneNews::Kind::side_merged;
    close(lane, *side, side->is_history() ? nullptr : lane.sides.around(*side), kind);
  }
}

void close(OwnedLane& lane, Side& side, Side* into, LaneNews::Kind kind) {
  lane.deliveries.move_all(side, into);
  lane.reports.news({.kind = kind, .scope = side.lane.scope, .why = side.lane.why});
  disturb(lane, side);
  lane.sides.remove(side);
}

void open_broken(OwnedLane& lane) {
  for (DestinationIndex index = 0; index < lane.destinations.count(); ++index) {
    const DestinationState& state = lane.destinations[index];
    if (!state.endpoint.is_broken() || lane.sides.has_whole(index)) continue;
    open_side(lane, {.scope = {state.settings->name}, .why = SideLane::Why::broken}, index);
  }
}

Sequence side_end(const OwnedLane& lane, const Side& side) {
  if (lane.registry.routings().is_empty()) return side.lane.reached;
  if (side.is_history()) return std::min(lane.log.reached(), side.lane.end);
  const Sequence main = is_mutant("side_reads_beyond_main") ? lane.lasting.counter : lane.log.reached();
  return std::min(main, lane.registry.routings().end_after(side.lane.reached));
}

std::size_t side_room(const OwnedLane& lane, const Side& side, MonotonicTime now) {
  const DestinationState& state = lane.destinations[side.destination];
  const bool is_waited_for = !state.is_registered && !lane.lasting.is_registry_in_store;
  if (lane.lasting.is_stopping || side.is_merging || is_waited_for || lane.sides.is_paused(side)) return 0;
  const bool is_through = side.unread.empty() && side.lane.reached >= side_end(lane, side);
  if (is_through || has_unread_around(lane, side)) return 0;
  if (state.endpoint.is_broken()) return may_probe_from(lane, side, now) ? 1 : 0;
  const LaneLimits& limits = lane.options.limits;
  const std::size_t budget = side_budget(lane);
  const bool is_crowded =
      side.in_hand * 4 > budget * 3 || (side.in_hand > 0 && lane.window.bytes() >= limits.window_bytes_max * 2);
  if (is_crowded) return is_stuck(lane, side) ? 1 : 0;
  const std::size_t places = std::min(budget - side.in_hand, limits.batch_rows_max);
  // Numbers that went back are read whatever happens: retries wait for them, and they perhaps for a retry.
  if (!side.unread.empty()) return std::min(places, side.unread.size());
  if (is_removed(lane, side.destination)) return places;
  if (is_key_blocked(lane, side) || state.parked_count >= limits.parked_max) return 0;
  return std::min(places, limits.parked_max - state.parked_count);
}

LookFor::Side look_for_side(const OwnedLane& lane, const Side& side, std::size_t free) {
  const Sequence reached = side.lane.reached;
  const Routing* routing = side.is_history() ? lane.registry.routings().find(side.lane.routing) : nullptr;
  if (routing == nullptr) routing = &lane.registry.routings().version_of(reached + 1);
  LookFor::Side wanted{.reached = reached,
                       .until = side_end(lane, side),
                       .rows_max = lane.log.is_careful() ? 1 : free,
                       .bytes_max = lane.options.limits.batch_bytes_max,
                       .passed_max = lane.options.limits.passed_rows_max,
                       .filter = {.routes = routing->routes,
                                  .tenants = tenants_in(*routing),
                                  .scope = side.lane.scope,
                                  .is_history = side.is_history()}};
  if (!side.is_history()) wanted.filter.elsewhere = lane.sides.scopes_inside(&side);
  for (const Sequence number : side.unread) {
    if (wanted.numbers.size() == wanted.rows_max) break;
    wanted.numbers.push_back(number);
  }
  if (wanted.numbers.size() < side.unread.size()) wanted.until = reached;
  return wanted;
}

std::optional<Filter> main_filter(const OwnedLane& lane) {
  auto scopes = lane.sides.scopes_inside(nullptr);
  if (scopes.empty()) return std::nullopt;
  const Routing& routing = lane.registry.current();
  return Filter{.routes = routing.routes, .tenants = tenants_in(routing), .elsewhere = std::move(scopes)};
}

void read_side(OwnedLane& lane, Side& side, const std::vector<Sequence>& asked, const Found::Side& found) {
  for (const MessagePtr& message : found.rows) {
    const bool was_read_before = !side.is_beyond(message->sequence);
    side.unread.erase(message->sequence);
    if (message->topic == anchor_topic) continue;
    if (side.is_history() && is_under_way(lane, side.destination, message->sequence)) continue;
    Side* carrier = side.is_history() ? &side : lane.sides.carrier(side.destination, *message);
    if (!side.is_history() && !was_read_before && carrier != nullptr) count_aside(lane, message, side, *carrier);
    if (carrier == &side) {
      take_in(lane, message, side.destination, was_read_before ? lane.ownership.turn : lane.ownership.turn + 1, &side);
    } else if (carrier != nullptr && !carrier->is_beyond(message->sequence)) {
      carrier->unread.insert(message->sequence);
    }
  }
  for (const Sequence number : asked) {
    if (side.unread.contains(number) && !std::ranges::binary_search(found.unread, number)) {
      side.unread.erase(number);
      miss(lane, number);
    }
  }
  side.lane.reached = std::max(side.lane.reached, found.looked_to);
  postpone_probe(lane, side);
}

void hand_over_history(OwnedLane& lane, const Message& message, std::span<const DestinationIndex> destinations) {
  for (const auto& side : lane.sides) {
    if (std::ranges::find(destinations, side->destination) != destinations.end()) continue;
    const bool is_passed = side->is_history() && message.sequence > side->lane.begin &&
                           message.sequence <= std::min(side->lane.reached, side->lane.end);
    if (!is_passed) continue;
    const Routing* routing = lane.registry.routings().find(side->lane.routing);
    if (routing == nullptr) routing = &lane.registry.routings().newest();
    const Filter filter{.routes = routing->routes, .tenants = tenants_in(*routing), .scope = side->lane.scope};
    if (wants(filter, message.topic, message.tenant_id, message.dispatch_key, message.priority)) {
      side->unread.insert(message.sequence);
    }
  }
}

}  // namespace makegood::core
