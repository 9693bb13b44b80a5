// Side lanes: when a scope leaves, what it takes along, how far it may read, and when it comes back.
#include <algorithm>
#include <utility>

#include "core/lane.hpp"
#include "core/mutant.hpp"
#include "makegood/assert.hpp"

namespace makegood::core {

/// It starts where the lane around it is. Null when there are too many already.
Side* Lane::open_side(SideLane lane, DestinationIndex destination) {
  if (sides_.count() >= options_.limits.side_lanes_max) return nullptr;
  news_.push_back({.kind = LaneNews::Kind::side_opened, .scope = lane.scope, .why = lane.why});
  Side& side = sides_.add(std::move(lane), destination);
  if (side.is_history()) return &side;
  Side* from = sides_.around(side);
  side.lane.reached = from != nullptr ? from->lane.reached : reached_;
  move_into(side, from);
  return &side;
}

/// What is in flight goes on under its name; what is in hand and not sent becomes numbers, and leaves the window.
void Lane::move_into(Side& side, Side* from) {
  std::vector<CarriedIndex> moved;
  window_.each([&](CarriedIndex index, const Carried& carried) {
    const Message& message = *carried.message;
    const bool is_mine = carried.side == from && !carried.is_parked && carried.destination == side.destination &&
                         contains(side.lane.scope, message.tenant_id, message.dispatch_key, message.priority);
    if (is_mine) moved.push_back(index);
  });
  for (const CarriedIndex index : moved) {
    Carried& carried = window_.at(index);
    if (from != nullptr) --from->in_hand;
    if (from == nullptr) ++in_side_hands_;
    ++side.in_hand;
    if (!carried.is_in_flight) take_from_queues(index);
    carried.side = &side;
    if (is_mutant("keys_per_lane") && carried.key != nullptr && carried.is_in_flight) carried.key->going.reset();
    if (!carried.is_in_flight) put_back(index);
  }
  const bool is_whole = side.lane.scope.tenant_id.empty();
  if (from != nullptr || !is_whole) return;  // What is not read yet is handed over when it is.
  for (auto hole = unread_.begin(); hole != unread_.end();) {
    if (std::erase(hole->second, side.lane.scope.destination) > 0) side.unread.insert(hole->first);
    hole = hole->second.empty() ? unread_.erase(hole) : std::next(hole);
  }
}

/// Neither ready nor the next of its key any more.
void Lane::take_from_queues(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  DestinationState& state = destinations_[carried.destination];
  const auto erased = std::erase(carried.side != nullptr ? carried.side->ready : state.ready, index);
  if (carried.is_parked) state.ready_parked -= erased;
  std::erase(waiting_alone_, index);
  Key* key = carried.key;
  if (key == nullptr) return;
  if (key->going == index) key->going.reset();
  std::erase(key->queue, index);
}

/// Back to being a number of its lane: it is read again when the lane gets to it.
void Lane::put_back(CarriedIndex index) {
  take_from_queues(index);
  const Carried& carried = window_.at(index);
  Key* key = carried.key;
  const Sequence sequence = carried.message->sequence;
  if (carried.side != nullptr) {
    carried.side->unread.insert(sequence);
    disturb(*carried.side);
  } else {
    unread_[sequence].push_back(destinations_[carried.destination].settings->name);
    is_disturbed_ = true;
  }
  drop(index);
  if (key == nullptr) return;
  if (next_held(*key, window_)) freed_.push_back(key);  // It was held behind this one, and comes before it.
  drop_if_idle(*key);
}

/// What this lane has looked up is not read now.
void Lane::disturb(const Side& side) {
  for (AskedSide& asked : asked_sides_) {
    if (asked.side == &side) asked.side = nullptr;
  }
}

/// With everything in hand behind it, which must not pass it.
void Lane::put_back_key(Key& key) {
  std::vector<CarriedIndex> indexes = key.queue;
  if (key.going) indexes.push_back(*key.going);
  for (const CarriedIndex index : indexes) put_back(index);
}

/// Only rows from the log queue up in hand.
void Lane::put_back_followers(Key& key, Sequence sequence) {
  const std::vector<CarriedIndex> indexes = key.queue;
  for (const CarriedIndex index : indexes) {
    if (window_.at(index).message->sequence > sequence) put_back(index);
  }
}

/// A retry that was taken in and not sent: its row waits again, and its attempt is not spent.
void Lane::put_back_parked(CarriedIndex index) {
  take_from_queues(index);
  const Carried& carried = window_.at(index);
  Key* key = carried.key;
  Parked row = row_of(carried);
  --row.attempts;
  row.due_at = store_now_;
  row.blocks = blocks_key(row);
  if (row.blocks) key->blockers[row.sequence] = {row.state, row.attempts};
  park(std::move(row), {}, true);
  end(index);
  if (key != nullptr) pass_on(*key);
}

Sequence Lane::reached_around(const Side& side) const {
  const Side* outer = sides_.around(side);
  return outer != nullptr ? outer->lane.reached : reached_;
}

void Lane::choose_merging() {
  for (const auto& side : sides_) side->is_merging = false;
  // One at a time: the lane around it must not leave at the same moment.
  const auto ripe = std::ranges::find_if(sides_, [this](const auto& side) { return may_merge(*side); });
  if (ripe != sides_.end()) (*ripe)->is_merging = true;
}

bool Lane::may_merge(const Side& side) const {
  if (side.is_history() || side.lane.is_paused || !side.unread.empty() || has_unread_around(side)) return false;
  const bool is_level = side.lane.reached == reached_around(side) || is_mutant("merge_early");
  const DestinationState& state = destinations_[side.destination];
  if (!is_level || state.circuit.is_open()) return false;
  if (is_removed(side.destination)) return true;  // Nothing of it is ever in hand again.
  const LaneLimits& limits = options_.limits;
  if (side.in_hand > share_of(limits.window_rows_max) / 2) return false;  // It would soon leave again.
  return state.parked_count <= limits.parked_max / 2 && !is_key_blocked(side);
}

bool Lane::has_unread_around(const Side& side) const {
  if (!unread_.empty()) return true;
  return std::ranges::any_of(sides_.at(side.destination), [&](const Side* other) {
    const bool is_around = other != &side && !other->is_history();
    return is_around && is_inside(side.lane.scope, other->lane.scope) && !other->unread.empty();
  });
}

/// Of a side lane for one key: what it would read now would only be parked.
bool Lane::is_key_blocked(const Side& side) const {
  const Scope& scope = side.lane.scope;
  if (scope.dispatch_key.empty()) return false;
  const Key* key = keys_.find(scope.tenant_id, scope.dispatch_key, side.destination);
  const Sequence next = side.unread.empty() ? side.lane.reached + 1 : *side.unread.begin();
  return key != nullptr && key->is_blocked_before(next);
}

void Lane::close_sides() {
  std::vector<Side*> closing;
  for (const auto& side : sides_) {
    // A number that is open may still turn out to be one of its rows.
    const bool is_through = side->is_history() && side->lane.reached >= side->lane.end && side->unread.empty() &&
                            (open_.empty() || open_.front() > side->lane.end);
    if (side->is_merging || (is_through && side->in_hand == 0)) closing.push_back(side.get());
  }
  for (Side* side : closing) {
    const auto kind = side->is_history() ? LaneNews::Kind::side_ended : LaneNews::Kind::side_merged;
    close(*side, side->is_history() ? nullptr : sides_.around(*side), kind);
  }
}

/// What it has in hand goes on in the other lane.
void Lane::close(Side& side, Side* into, LaneNews::Kind kind) {
  window_.each([&](CarriedIndex /*index*/, Carried& carried) {
    if (carried.side == &side) carried.side = into;
  });
  auto& ready = into != nullptr ? into->ready : destinations_[side.destination].ready;
  ready.insert(ready.end(), side.ready.begin(), side.ready.end());
  if (into != nullptr) into->in_hand += side.in_hand;
  if (into == nullptr) in_side_hands_ -= side.in_hand;
  news_.push_back({.kind = kind, .scope = side.lane.scope, .why = side.lane.why});
  disturb(side);
  sides_.remove(side);
}

void Lane::open_broken() {
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    const DestinationState& state = destinations_[index];
    if (!state.circuit.is_open() || sides_.has_whole(index)) continue;
    open_side({.scope = {state.settings->name}, .why = SideLane::Why::broken}, index);
  }
}

Sequence Lane::side_end(const Side& side) const {
  if (routings_.is_empty()) return side.lane.reached;
  if (side.is_history()) return std::min(reached_, side.lane.end);
  const Sequence main = is_mutant("side_reads_beyond_main") ? counter_ : reached_;
  return std::min(main, routings_.end_after(side.lane.reached));
}

/// Half a window for all side lanes, and what the main lane leaves unused of the other half.
std::size_t Lane::side_budget() const {
  const std::size_t whole = options_.limits.window_rows_max;
  const std::size_t main = window_.count() - in_side_hands_;
  return std::max<std::size_t>(1, (whole - std::min(main, whole / 2)) / sides_.count());
}

/// How many rows it may read now.
std::size_t Lane::side_room(const Side& side, MonotonicTime now) const {
  const DestinationState& state = destinations_[side.destination];
  const bool is_waited_for = !state.is_registered && !is_registry_in_store_;
  if (is_stopping_ || side.is_merging || is_waited_for || sides_.is_paused(side)) return 0;
  const bool is_through = side.unread.empty() && side.lane.reached >= side_end(side);
  if (is_through || has_unread_around(side)) return 0;
  if (state.circuit.is_open()) return may_probe_from(side, now) ? 1 : 0;
  const LaneLimits& limits = options_.limits;
  const std::size_t budget = side_budget();
  const bool is_crowded =
      side.in_hand * 4 > budget * 3 || (side.in_hand > 0 && window_.bytes() >= limits.window_bytes_max * 2);
  if (is_crowded) return 0;
  const std::size_t places = std::min(budget - side.in_hand, limits.batch_rows_max);
  // Numbers that went back are read whatever happens: retries wait for them, and they perhaps for a retry.
  if (!side.unread.empty()) return std::min(places, side.unread.size());
  if (is_removed(side.destination)) return places;
  if (is_key_blocked(side) || state.parked_count >= limits.parked_max) return 0;
  return std::min(places, limits.parked_max - state.parked_count);
}

bool Lane::may_probe_from(const Side& side, MonotonicTime now) const {
  const DestinationState& state = destinations_[side.destination];
  if (!state.has_place(now) || !state.ready.empty()) return false;
  const bool is_retry_due = state.next_due && *state.next_due <= store_time(now);
  if (is_retry_due && due_places(side.destination, now) > 0) return false;
  return std::ranges::none_of(sides_.at(side.destination),
                              [&](const Side* other) { return !other->ready.empty() && !sides_.is_paused(*other); });
}

LookFor::Side Lane::look_for_side(const Side& side, std::size_t free) const {
  const Sequence reached = side.lane.reached;
  const Routing* routing = side.is_history() ? routings_.find(side.lane.routing) : nullptr;
  if (routing == nullptr) routing = &routings_.version_of(reached + 1);
  LookFor::Side wanted{.reached = reached,
                       .until = side_end(side),
                       .rows_max = careful_rows_ > 0 ? 1 : free,
                       .bytes_max = options_.limits.batch_bytes_max,
                       .passed_max = options_.limits.passed_rows_max,
                       .filter = {.routes = routing->routes,
                                  .tenants = tenants_in(*routing),
                                  .scope = side.lane.scope,
                                  .is_history = side.is_history()}};
  if (!side.is_history()) wanted.filter.elsewhere = sides_.scopes_inside(&side);
  for (const Sequence number : side.unread) {
    if (wanted.numbers.size() == wanted.rows_max) break;
    wanted.numbers.push_back(number);
  }
  if (wanted.numbers.size() < side.unread.size()) wanted.until = reached;
  return wanted;
}

std::optional<Filter> Lane::main_filter() const {
  auto scopes = sides_.scopes_inside(nullptr);
  if (scopes.empty()) return std::nullopt;
  const Routing& routing = new_routing_ ? *new_routing_ : routings_.newest();
  return Filter{.routes = routing.routes, .tenants = tenants_in(routing), .elsewhere = std::move(scopes)};
}

/// A row that committed late is no history yet: another lane carries it at this moment.
bool Lane::is_under_way(DestinationIndex destination, Sequence sequence) const {
  const std::string& name = destinations_[destination].settings->name;
  if (window_.has(sequence, destination) || changes(sequence, name)) return true;
  const auto hole = unread_.find(sequence);
  if (hole != unread_.end() && std::ranges::find(hole->second, name) != hole->second.end()) return true;
  return std::ranges::any_of(sides_.at(destination),
                             [&](const Side* side) { return !side->is_history() && side->unread.contains(sequence); });
}

void Lane::read_side(Side& side, const std::vector<Sequence>& asked, const Found::Side& found) {
  for (const MessagePtr& message : found.rows) {
    const bool was_read_before = !side.is_beyond(message->sequence);
    side.unread.erase(message->sequence);
    if (side.is_history() && is_under_way(side.destination, message->sequence)) continue;
    Side* carrier = side.is_history() ? &side : sides_.carrier(side.destination, *message);
    if (!side.is_history() && !was_read_before && carrier != nullptr) count_aside(message, side, *carrier);
    if (carrier == &side) {
      take_in(message, side.destination, was_read_before ? turn_ : turn_ + 1, &side);
    } else if (carrier != nullptr && !carrier->is_beyond(message->sequence)) {
      carrier->unread.insert(message->sequence);
    }
  }
  for (const Sequence number : asked) {
    if (side.unread.contains(number) && !std::ranges::binary_search(found.unread, number)) {
      side.unread.erase(number);
      miss(number);
    }
  }
  side.lane.reached = std::max(side.lane.reached, found.looked_to);
  postpone_probe(side);
}

/// For the first of its destinations, and unless a lane inside is still to read it.
void Lane::count_aside(const MessagePtr& message, const Side& side, const Side& carrier) {
  const auto destinations =
      routings_.leading_from(message->topic, message->tenant_id, message->sequence, destinations_);
  const bool is_first = !destinations.empty() && destinations.front() == side.destination;
  const bool is_read_here = &carrier == &side || !carrier.is_beyond(message->sequence);
  if (is_first && is_read_here) fresh_.push_back(message);
}

/// Nothing of what was read can be sent: the next try is not before the next probe's time.
void Lane::postpone_probe(const Side& side) {
  DestinationState& state = destinations_[side.destination];
  if (state.circuit.is_open() && state.ready.empty() && side.ready.empty()) {
    state.circuit.postpone(state.settings->circuit, store_now_at_);
  }
}

/// A backfill that is already past this number takes it in; if its own routes lead there, it is no history.
void Lane::hand_over_history(const Message& message, std::span<const DestinationIndex> destinations) {
  for (const auto& side : sides_) {
    if (std::ranges::find(destinations, side->destination) != destinations.end()) continue;
    const bool is_passed = side->is_history() && message.sequence > side->lane.begin &&
                           message.sequence <= std::min(side->lane.reached, side->lane.end);
    if (!is_passed) continue;
    const Routing* routing = routings_.find(side->lane.routing);
    if (routing == nullptr) routing = &routings_.newest();
    const Filter filter{.routes = routing->routes, .tenants = tenants_in(*routing), .scope = side->lane.scope};
    if (wants(filter, message.topic, message.tenant_id, message.dispatch_key, message.priority)) {
      side->unread.insert(message.sequence);
    }
  }
}

}  // namespace makegood::core
