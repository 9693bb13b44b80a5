// What a look has brought: rows from the log, holes of the position that was taken, parked deliveries that are due.
#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "core/lane.hpp"
#include "core/mutant.hpp"
#include "makegood/assert.hpp"

namespace makegood::core {
namespace {

constexpr std::string_view no_route_sentence =
    "No route leads anywhere for this topic and tenant; add one, then replay.";
constexpr std::string_view removed_sentence = "Its destination was removed; register it again, then replay.";

}  // namespace

void Lane::read(Found& found) {
  if (!has_asked_rows_ || is_disturbed_) return;
  const bool had_room = has_room_for_open();
  const NumberSet was_open = std::exchange(open_, std::move(found.open));
  for (const MessagePtr& message : found.rows) {
    const Sequence number = message->sequence;
    if (number > reached_ || was_open.contains(number)) {
      read_fresh(message, number <= reached_);
    } else if (const auto hole = unread_.find(number); hole != unread_.end()) {
      read_again(message, unread_.extract(hole).mapped());
    }  // Or else a side lane has taken it along meanwhile.
  }
  careful_rows_ -= std::min(careful_rows_, found.rows.size());
  for (auto hole = unread_.begin(); hole != unread_.end();) {
    const Sequence number = hole->first;
    const bool is_missing = !std::ranges::binary_search(found.unread, number);
    if (is_missing) miss(number);
    hole = is_missing ? unread_.erase(hole) : std::next(hole);
  }
  reached_ = std::max(reached_, found.looked_to);
  watch_open(had_room);
}

void Lane::watch_open(bool had_room) {
  if (!had_room || has_room_for_open()) return;
  alarms_.push_back({Errc::unavailable, "So many transactions that have drawn numbers of " + outbox_ +
                                            " are open that no more of it is read until some have ended; look for one "
                                            "that somebody has left open."});
}

void Lane::miss(Sequence number) {
  alarms_.push_back({Errc::store_corrupt, "Message " + std::to_string(number) + " was under way and is no longer in " +
                                              outbox_ +
                                              ": it was deleted by hand, and nothing can be delivered of it."});
}

/// A row that the main lane reads for the first time. What a side lane carries is left to it, or handed over if that is
/// past it already.
void Lane::read_fresh(const MessagePtr& message, bool was_open) {
  note_neighbours(*message);
  const auto destinations =
      routings_.leading_from(message->topic, message->tenant_id, message->sequence, destinations_);
  if (destinations.empty()) {
    park_dead(message, row_of(*message, unrouted), Errc::no_route, no_route_sentence, false);
  }
  for (const DestinationIndex destination : destinations) {
    Side* carrier = sides_.is_empty() ? nullptr : sides_.carrier(destination, *message);
    if (carrier == nullptr) {
      take_in(message, destination, turn_ + 1, nullptr);
    } else if (!carrier->is_beyond(message->sequence) && !is_mutant("late_row_not_handed_over")) {
      carrier->unread.insert(message->sequence);
    }
  }
  count_fresh(message, destinations);
  if (was_open && !sides_.is_empty()) hand_over_history(*message, destinations);
}

/// A message is counted when it is read for the first of its destinations, so that it counts once, whichever lanes
/// carry it. If a side lane is still to read it, it counts there.
void Lane::count_fresh(const MessagePtr& message, std::span<const DestinationIndex> destinations) {
  const bool is_aside = !destinations.empty() && !sides_.is_empty();
  const Side* carrier = is_aside ? sides_.carrier(destinations.front(), *message) : nullptr;
  if (carrier == nullptr || !carrier->is_beyond(message->sequence)) fresh_.push_back(message);
}

/// Who else is there decides whether it helps anybody when a scope leaves.
void Lane::note_neighbours(const Message& message) {
  has_seen_tenants_ = has_seen_tenants_ || message.tenant_id != default_tenant_id;
  if (message.dispatch_key.empty()) highest_priority_ = std::max(highest_priority_, message.priority);
}

/// A hole that is not in hand. The turn that covers it is committed already.
void Lane::read_again(const MessagePtr& message, const std::vector<std::string>& destinations) {
  for (const std::string& name : destinations) {
    const DestinationIndex destination = destinations_.at(name);
    Side* carrier = sides_.carrier(destination, *message);
    if (carrier == nullptr) {
      take_in(message, destination, turn_, nullptr);
    } else {
      carrier->unread.insert(message->sequence);
    }
  }
}

void Lane::take_in(const MessagePtr& message, DestinationIndex destination, TurnNumber covered_by, Side* side) {
  const unsigned deaths = deaths_of(destination, message->sequence);
  if (park_instead(message, destination, deaths)) {
    if (deaths > 0) suspects_.erase({destination, message->sequence});
    return;
  }
  // A suspect goes only when the turn is committed that counts the death it was there at; what has a key, when that
  // one is which may just have freed it; and after a failed look, when one shows that we still own the lane.
  if (deaths > 0 || !message->dispatch_key.empty() || has_look_failed_) covered_by = turn_ + 1;
  carry({.message = message, .destination = destination, .side = side, .deaths = deaths, .covered_by = covered_by});
}

/// True: it is dead, delayed or held, and has a row of its own. That is rare, so the row is made only then.
bool Lane::park_instead(const MessagePtr& message, DestinationIndex destination, unsigned deaths) {
  const bool is_registered = destinations_[destination].is_registered;
  const bool is_killer = is_poison(deaths);
  const bool is_expired = message->expires_at && *message->expires_at <= store_now_;
  const bool is_late = is_delayed(*message);
  const bool is_blocked = is_behind_a_blocker(*message, destination);
  if (is_registered && !is_killer && !is_expired && !is_late && !is_blocked) return false;

  const std::string& name = destinations_[destination].settings->name;
  Parked row = row_of(*message, name);
  row.deaths = deaths;
  if (!is_registered) {
    park_dead(message, std::move(row), Errc::no_route, removed_sentence, false);
  } else if (is_killer) {
    news_.push_back({.kind = LaneNews::Kind::suspect_died, .scope = {name}, .sequence = message->sequence});
    park_dead(message, std::move(row), Errc::poison, "The process died each time that it was sent.", false);
  } else if (is_expired) {
    park_dead(message, std::move(row), Errc::expired, "It expired before it could be sent.", false);
  } else if (is_late) {
    row.due_at = message->available_at;
    if (!is_mutant("delayed_is_lost")) park(std::move(row), {}, false);
  } else {
    hold(keys_.at(message->tenant_id, message->dispatch_key, destination), std::move(row), false);
  }
  return true;
}

/// It waits behind a blocked head, with a row of its own, so that it does not fill the window.
void Lane::hold(Key& key, Parked row, bool was_counted) {
  row.state = ParkedState::held;
  row.blocks = true;
  row.under_way = false;
  key.blockers[row.sequence] = {row.state, row.attempts};
  if (key.blockers.size() > options_.limits.held_per_key_max) {
    overheld_.push_back({row.destination, row.tenant_id, row.dispatch_key});
  }
  park(std::move(row), {}, was_counted);
}

/// Only by its producer's wish: when the clock has gone back, what was enqueued before is not late, and keeps its
/// order.
bool Lane::is_delayed(const Message& message) const {
  return message.available_at > store_now_ && message.available_at > message.created_at;
}

bool Lane::is_behind_a_blocker(const Message& message, DestinationIndex destination) {
  if (message.dispatch_key.empty()) return false;
  const Key* key = keys_.find(message.tenant_id, message.dispatch_key, destination);
  return key != nullptr && key->is_blocked_before(message.sequence);
}

void Lane::carry(Carried carried) {
  const Message& message = *carried.message;
  if (carried.side != nullptr) {
    ++carried.side->in_hand;
    ++in_side_hands_;
  }
  is_turn_needed_ = is_turn_needed_ || carried.covered_by > turn_;
  if (message.dispatch_key.empty()) return make_ready(window_.add(std::move(carried)));
  Key& key = keys_.at(message.tenant_id, message.dispatch_key, carried.destination);
  carried.key = &key;
  enter(key, window_.add(std::move(carried)), window_);
  let_next_go(key, turn_);
}

void Lane::make_ready(CarriedIndex index) {
  if (goes_alone(window_.at(index))) return waiting_alone_.push_back(index);
  queue_up(index);
}

/// Retries come first, then what has no key by its priority.
void Lane::queue_up(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  DestinationState& state = destinations_[carried.destination];
  if (carried.is_parked) {
    state.ready.push_front(index);
    ++state.ready_parked;
    return;
  }
  auto& ready = carried.side != nullptr ? carried.side->ready : state.ready;
  const auto priority = [this](CarriedIndex i) {
    const Carried& other = window_.at(i);
    return other.key == nullptr && !other.is_parked ? other.message->priority : 0;
  };
  const auto first = ready.begin() + static_cast<std::ptrdiff_t>(carried.side != nullptr ? 0 : state.ready_parked);
  if (first == ready.end() || priority(ready.back()) >= priority(index)) return ready.push_back(index);
  ready.insert(std::ranges::upper_bound(first, ready.end(), priority(index), std::ranges::greater(), priority), index);
}

/// What the store knows of those we asked about; what this decision parks comes on top.
void Lane::expect_due(const std::vector<NextDue>& next_due) {
  for (const DestinationIndex index : std::exchange(asked_due_, {})) destinations_[index].next_due.reset();
  for (const NextDue& next : next_due) {
    destinations_[destinations_.at(next.destination)].expect_due(next.due_at);
  }
}

/// Whether this turn already says something new about that row: whatever the look saw of it is old.
bool Lane::changes(Sequence sequence, std::string_view destination) const {
  return std::ranges::any_of(draft_->parked, [&](const Turn::Change& change) {
    return change.row.sequence == sequence && change.row.destination == destination;
  });
}

void Lane::take_in_due(std::vector<DueDelivery> due) {
  for (DueDelivery& delivery : due) {
    const DestinationIndex destination = destinations_.at(delivery.parked.destination);
    if (changes(delivery.parked.sequence, delivery.parked.destination)) continue;
    const Scope scope{delivery.parked.destination, delivery.parked.tenant_id, delivery.parked.dispatch_key};
    // Since the look was asked for, numbers that come before it may have gone back, or it was paused: it waits on.
    if (has_unread(destination) || sides_.is_paused(destination, scope)) {
      destinations_[destination].expect_due(delivery.parked.due_at);
    } else {
      take_in_due(std::move(delivery), destination);
    }
  }
}

void Lane::take_in_due(DueDelivery delivery, DestinationIndex destination) {
  Parked& row = delivery.parked;
  const Sequence sequence = row.sequence;
  const bool was_counted = counts(row);
  Key* key = row.dispatch_key.empty() ? nullptr : &keys_.at(row.tenant_id, row.dispatch_key, destination);
  if (key != nullptr) key->blockers.erase(sequence);
  if (row.under_way && is_after_death_ && is_to_blame(destination, sequence, row.deaths)) ++row.deaths;

  if (delivery.message == nullptr) {
    row.state = ParkedState::dead;
    row.blocks = false;
    row.under_way = false;
    row.error_code = to_string(Errc::not_found);
    row.last_error = "Its message is no longer in the log: it was deleted by hand.";
    park(std::move(row), {}, was_counted);
  } else if (destination == unrouted_index) {
    route_again(delivery);
  } else if (is_removed(destination)) {
    park_dead(delivery.message, std::move(row), Errc::no_route, removed_sentence, was_counted);
  } else if (is_poison(row.deaths)) {
    news_.push_back({.kind = LaneNews::Kind::suspect_died, .scope = {row.destination}, .sequence = sequence});
    park_dead(delivery.message, std::move(row), Errc::poison, "The process died each time that it was sent.",
              was_counted);
  } else if (delivery.message->expires_at && *delivery.message->expires_at <= store_now_) {
    park_dead(delivery.message, std::move(row), Errc::expired, "It expired before it could be sent again.",
              was_counted);
  } else {
    try_again(std::move(delivery), destination, key);
  }
  if (key != nullptr) pass_on(*key);
}

/// The attempt is counted here, once, before the send (I6): unless it was counted already and its owner did not live to
/// tell what came of it. A delivery whose turn it is not yet is held.
void Lane::try_again(DueDelivery delivery, DestinationIndex destination, Key* key) {
  Parked& row = delivery.parked;
  const bool was_counted = counts(row);
  if (row.under_way) --row.attempts;
  if (key != nullptr && !is_next(*key, row.sequence, window_)) return hold(*key, std::move(row), was_counted);
  if (!is_mutant("attempt_not_counted") || row.attempts == 0) ++row.attempts;
  row.under_way = true;
  carry({.message = std::move(delivery.message),
         .destination = destination,
         .attempts = row.attempts,
         .deaths = row.deaths,
         .is_parked = true,
         .covered_by = turn_ + 1});
  park(std::move(row), {}, was_counted);
}

void Lane::route_again(const DueDelivery& due) {
  Parked row = due.parked;
  const Message& message = *due.message;
  const auto destinations =
      routings_.leading_from(message.topic, message.tenant_id, std::numeric_limits<Sequence>::max(), destinations_);
  for (const DestinationIndex destination : destinations) {
    Parked routed = row_of(message, destinations_[destination].settings->name);
    routed.due_at = store_now_;
    park(std::move(routed), {}, false);
  }
  if (destinations.empty()) {
    return park_dead(due.message, std::move(row), Errc::no_route, no_route_sentence, counts(due.parked));
  }
  row.state = ParkedState::done;
  park(std::move(row), {}, counts(due.parked));
}

}  // namespace makegood::core
