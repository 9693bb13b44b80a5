// What a look has brought: rows from the log, holes of the position that was taken, parked deliveries that are due.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/message_gone.hpp"
#include "core/lane_cancel.hpp"
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

constexpr std::string_view no_route_sentence =
    "No route leads anywhere for this topic and tenant; add one, then replay.";
/// Clocks of servers differ by a little, and a failover shows it.
constexpr Duration set_back_min = std::chrono::seconds(1);
constexpr std::string_view removed_sentence = "Its destination was removed; register it again, then replay.";

std::string_view expired_sentence(const Message& message) {
  if (!looks_like_seconds(*message.expires_at)) return "It expired before it could be sent.";
  return "Its expires_at lies in 1970: the column counts milliseconds, and this looks like seconds.";
}

/// Said as long as it lasts, so that the status can tell.
void watch_open(OwnedLane& lane) {
  if (has_room_for_open(lane)) return;
  lane.reports.alarm({Errc::unavailable, "Too many producer transactions on " + lane.lasting.outbox +
                                             " are not committed; reading is suspended. Find and end the oldest."});
}

/// A message is counted when it is read for the first of its destinations, so that it counts once, whichever lanes
/// carry it. If a side lane is still to read it, it counts there.
void count_fresh(OwnedLane& lane, const MessagePtr& message, std::span<const DestinationIndex> destinations) {
  const bool is_aside = !destinations.empty() && !lane.sides.is_empty();
  const Side* carrier = is_aside ? lane.sides.carrier(destinations.front(), *message) : nullptr;
  if (carrier == nullptr || !carrier->is_beyond(message->sequence)) lane.reports.fresh(message);
}

/// Who else is there decides whether it helps anybody when a scope leaves.
void note_neighbours(OwnedLane& lane, const Message& message) {
  lane.lasting.has_seen_tenants = lane.lasting.has_seen_tenants || message.tenant_id != default_tenant_id;
  if (message.dispatch_key.empty())
    lane.lasting.highest_priority = std::max(lane.lasting.highest_priority, message.priority);
}

/// A row that the main lane reads for the first time. What a side lane carries is left to it, or handed over if that is
/// past it already.
void read_fresh(OwnedLane& lane, const MessagePtr& message, bool was_open) {
  if (message->topic == anchor_topic) return;
  note_neighbours(lane, *message);
  const auto destinations =
      lane.registry.routings().leading_from(message->topic, message->tenant_id, message->sequence, lane.destinations);
  if (lane.cancelled.leaves_out(message->sequence, unrouted)) return count_fresh(lane, message, destinations);
  if (destinations.empty()) {
    park_dead(lane, message, new_row(*message, unrouted), Errc::no_route, no_route_sentence, false);
  }
  for (const DestinationIndex destination : destinations) {
    Side* carrier = lane.sides.is_empty() ? nullptr : lane.sides.carrier(destination, *message);
    if (carrier == nullptr) {
      take_in(lane, message, destination, lane.ownership.turn + 1, nullptr);
    } else if (!carrier->is_beyond(message->sequence) && !is_mutant("late_row_not_handed_over")) {
      carrier->unread.insert(message->sequence);
    }
  }
  count_fresh(lane, message, destinations);
  if (was_open && !lane.sides.is_empty()) hand_over_history(lane, *message, destinations);
}

/// A hole that is not in hand. The turn that covers it is committed already.
void read_again(OwnedLane& lane, const MessagePtr& message, const std::vector<std::string>& destinations) {
  if (message->topic == anchor_topic) return;  // The database has forgotten whoever had the number before.
  for (const std::string& name : destinations) {
    const DestinationIndex destination = lane.destinations.at(name);
    Side* carrier = lane.sides.carrier(destination, *message);
    if (carrier == nullptr) {
      take_in(lane, message, destination, lane.ownership.turn, nullptr);
    } else {
      carrier->unread.insert(message->sequence);
    }
  }
}

/// Only by its producer's wish: when the clock has gone back, what was enqueued before is not late, and keeps its
/// order.
bool is_delayed(const OwnedLane& lane, const Message& message) {
  return message.available_at > lane.ownership.store_now && message.available_at > message.created_at;
}

bool is_behind_a_blocker(OwnedLane& lane, const Message& message, DestinationIndex destination) {
  if (message.dispatch_key.empty()) return false;
  const Key* key = lane.keys.find(message.tenant_id, message.dispatch_key, destination);
  return key != nullptr && key->is_blocked_before(message.sequence);
}

/// True: it is dead, delayed or held, and has a row of its own. That is rare, so the row is made only then.
bool park_instead(OwnedLane& lane, const MessagePtr& message, DestinationIndex destination, unsigned deaths,
                  std::int64_t replay) {
  const bool is_registered = lane.destinations[destination].is_registered;
  const bool is_killer = is_poison(deaths);
  const bool is_expired = message->expires_at && *message->expires_at <= lane.ownership.store_now;
  const bool is_late = is_delayed(lane, *message);
  const bool is_blocked = is_behind_a_blocker(lane, *message, destination);
  if (is_registered && !is_killer && !is_expired && !is_late && !is_blocked) return false;

  const std::string& name = lane.destinations[destination].settings->name;
  Parked row = new_row(*message, name);
  row.deaths = deaths;
  row.replay = replay;
  if (!is_registered) {
    park_dead(lane, message, std::move(row), Errc::no_route, removed_sentence, false);
  } else if (is_killer) {
    lane.reports.news({.kind = LaneNews::Kind::suspect_died, .scope = {name}, .sequence = message->sequence});
    park_dead(lane, message, std::move(row), Errc::poison, "The process died each time that it was sent.", false);
  } else if (is_expired) {
    park_dead(lane, message, std::move(row), Errc::expired, expired_sentence(*message), false);
  } else if (is_late) {
    row.due_at = message->available_at;
    if (!is_mutant("delayed_is_lost")) lane.parked.park(std::move(row), {}, false);
  } else {
    hold(lane, lane.keys.at(message->tenant_id, message->dispatch_key, destination), std::move(row), false);
  }
  return true;
}

void carry(OwnedLane& lane, Carried carried) {
  const Message& message = *carried.message;
  lane.is_turn_needed = lane.is_turn_needed || carried.covered_by > lane.ownership.turn;
  if (message.dispatch_key.empty()) return lane.deliveries.make_ready(lane.deliveries.admit(std::move(carried)));
  Key& key = lane.keys.at(message.tenant_id, message.dispatch_key, carried.destination);
  carried.key = &key;
  enter(key, lane.deliveries.admit(std::move(carried)), lane.window);
  let_next_go(lane, key, lane.ownership.turn);
}

/// When its last attempt had failed, at the latest: its shortest delay before it was due.
std::optional<MonotonicTime> when_tried(const OwnedLane& lane, const Parked& row, DestinationIndex destination) {
  if (row.attempts == 0) return std::nullopt;
  const Duration waited = backoff(lane.destinations[destination].settings->retry, row.attempts, 0);
  return lane.ownership.store_now_at + std::min(Duration::zero(), row.due_at - waited - lane.ownership.store_now);
}

/// The attempt is counted here, once, before the send (I6): unless it was counted already and its owner did not live to
/// tell what came of it. A delivery whose turn it is not yet is held.
void try_again(OwnedLane& lane, DueDelivery delivery, DestinationIndex destination, Key* key) {
  Parked& row = delivery.parked;
  const bool was_counted = counts(row);
  if (row.under_way) --row.attempts;
  if (key != nullptr && !is_next(*key, row.sequence, lane.window)) return hold(lane, *key, std::move(row), was_counted);
  const auto tried_at = when_tried(lane, row, destination);
  ++row.attempts;
  row.under_way = true;
  carry(lane, {.message = std::move(delivery.message),
               .destination = destination,
               .attempts = row.attempts,
               .answered = row.answered,
               .deaths = row.deaths,
               .is_parked = true,
               .replay = row.replay,
               .covered_by = lane.ownership.turn + 1,
               .tried_at = tried_at});
  lane.parked.park(std::move(row), {}, was_counted);
}

/// For all destinations, by the turn that is being decided: what the look saw of it is old.
bool is_put_away_now(const OwnedLane& lane, Sequence sequence) {
  const Parked* whole = lane.parked.last_of(sequence, unrouted);
  return whole != nullptr && whole->state == ParkedState::quarantined;
}

/// A replay of history has failed there, and its row waits or is in hand: another in its place would send it twice.
bool is_parked_at(const OwnedLane& lane, const Message& message, DestinationIndex destination) {
  const Parked* told = lane.parked.last_of(message.sequence, lane.destinations[destination].settings->name);
  if (told != nullptr) return told->state == ParkedState::waiting || told->state == ParkedState::held;
  bool is_in_hand = false;
  lane.window.each([&](CarriedIndex /*index*/, const Carried& carried) {
    const bool is_here = carried.destination == destination && carried.message->event_id == message.event_id;
    is_in_hand = is_in_hand || (is_here && carried.is_parked);
  });
  return is_in_hand;
}

void route_again(OwnedLane& lane, const DueDelivery& due) {
  Parked row = due.parked;
  const Message& message = *due.message;
  const auto destinations = lane.registry.routings().leading_from(
      message.topic, message.tenant_id, std::numeric_limits<Sequence>::max(), lane.destinations);
  for (const DestinationIndex destination : destinations) {
    if (is_parked_at(lane, message, destination)) continue;
    Parked routed = new_row(message, lane.destinations[destination].settings->name);
    routed.due_at = lane.ownership.store_now;
    routed.replay = row.replay;
    lane.parked.park(std::move(routed), {}, false);
  }
  if (destinations.empty()) {
    return park_dead(lane, due.message, std::move(row), Errc::no_route, no_route_sentence, counts(due.parked));
  }
  row.state = ParkedState::done;
  lane.parked.park(std::move(row), {}, counts(due.parked));
}
}  // namespace

void read(OwnedLane& lane, Found& found) {
  if (!lane.asked.has_rows || lane.asked.is_disturbed) return;
  const NumberSet was_open = lane.log.replace_open(std::move(found.open));
  for (const MessagePtr& message : found.rows) {
    const Sequence number = message->sequence;
    if (number > lane.log.reached() || was_open.contains(number)) {
      read_fresh(lane, message, number <= lane.log.reached());
    } else if (const auto destinations = lane.log.take_hole(number); !destinations.empty()) {
      read_again(lane, message, destinations);
    }  // Or else a side lane has taken it along meanwhile.
  }
  for (const Sequence number : lane.log.pass(found)) miss(lane, number);
  watch_open(lane);
}

void miss(OwnedLane& lane, Sequence number) {
  lane.reports.alarm({Errc::store_corrupt, "Message " + std::to_string(number) + " was under way and is no longer in " +
                                               lane.lasting.outbox +
                                               ": it was deleted by hand, and nothing can be delivered of it."});
}

void take_in(OwnedLane& lane, const MessagePtr& message, DestinationIndex destination, TurnNumber covered_by,
             Side* side) {
  if (lane.cancelled.leaves_out(message->sequence, lane.destinations[destination].settings->name)) return;
  if (side != nullptr && side->is_history() && is_put_away_now(lane, message->sequence)) return;
  const unsigned deaths = lane.suspects.deaths_of(destination, message->sequence);
  const std::int64_t replay = side != nullptr && side->is_history() ? side->lane.replay : 0;
  if (park_instead(lane, message, destination, deaths, replay)) {
    if (deaths > 0) lane.suspects.acquit(destination, message->sequence);
    return;
  }
  // What a committed turn covers was perhaps sent.
  const bool is_fresh = side == nullptr && (covered_by > lane.ownership.turn || is_mutant("repeat_is_first"));
  // A suspect goes only when the turn is committed that counts the death it was there at; what has a key, when that
  // one is which may just have freed it; and after a failed look, when one shows that we still own the lane.
  if (deaths > 0 || !message->dispatch_key.empty() || lane.log.has_look_failed()) covered_by = lane.ownership.turn + 1;
  carry(lane, {.message = message,
               .destination = destination,
               .side = side,
               .deaths = deaths,
               .replay = replay,
               .is_first = is_fresh && lane.log.is_drawn_under_us(message->sequence),
               .covered_by = covered_by});
}

void hold(OwnedLane& lane, Key& key, Parked row, bool was_counted) {
  row.state = ParkedState::held;
  row.blocks = true;
  row.under_way = false;
  key.blockers[row.sequence] = blocker_of(row);
  if (key.blockers.size() > lane.options.limits.held_per_key_max) {
    lane.overheld.push_back({row.destination, row.tenant_id, row.dispatch_key});
  }
  lane.parked.park(std::move(row), {}, was_counted);
}

void follow_clock(OwnedLane& lane, std::vector<Request>& requests) {
  const Duration set_back = lane.committed_position.clock - lane.ownership.store_now;
  if (set_back < set_back_min || is_mutant("set_back_is_ignored")) return;
  lane.draft->set_back = set_back;
  lane.is_turn_needed = true;
  lane.parked.set_back(set_back);
  for (Request& request : requests) {  // What the look saw of their rows is from before this turn.
    const bool moves =
        request.row && (request.row->attempts > 0 || request.row->due_at <= lane.committed_position.clock);
    if (moves) request.row->due_at -= set_back;
  }
}

void take_in_due(OwnedLane& lane, std::vector<DueDelivery> due) {
  for (DueDelivery& delivery : due) {
    const DestinationIndex destination = lane.destinations.at(delivery.parked.destination);
    const bool is_told = lane.parked.has(delivery.parked.sequence, delivery.parked.destination);
    const Scope scope{delivery.parked.destination, delivery.parked.tenant_id, delivery.parked.dispatch_key};
    // Since the look was asked for, numbers that come before it may have gone back, or it was paused: it waits on. So
    // does one of which this turn already tells: it, or another message that had the same number.
    if (is_told || has_unread(lane, destination) || lane.sides.is_paused(destination, scope)) {
      lane.destinations[destination].expect_due(delivery.parked.due_at);
    } else {
      take_in_due(lane, std::move(delivery), destination);
    }
  }
}

void take_in_due(OwnedLane& lane, DueDelivery delivery, DestinationIndex destination) {
  Parked& row = delivery.parked;
  const Sequence sequence = row.sequence;
  const bool was_counted = counts(row);
  Key* key = row.dispatch_key.empty() ? nullptr : &lane.keys.at(row.tenant_id, row.dispatch_key, destination);
  if (key != nullptr) key->blockers.erase(sequence);
  if (row.under_way && lane.suspects.is_blamed(destination, sequence, row.deaths)) ++row.deaths;

  if (delivery.message == nullptr) {
    row.state = ParkedState::dead;
    row.blocks = false;
    row.under_way = false;
    row.error_code = to_string(Errc::not_found);
    row.last_error = message_gone;
    lane.parked.park(std::move(row), {}, was_counted);
  } else if (destination == unrouted_index) {
    route_again(lane, delivery);
  } else if (is_removed(lane, destination)) {
    park_dead(lane, delivery.message, std::move(row), Errc::no_route, removed_sentence, was_counted);
  } else if (is_poison(row.deaths)) {
    lane.reports.news({.kind = LaneNews::Kind::suspect_died, .scope = {row.destination}, .sequence = sequence});
    park_dead(lane, delivery.message, std::move(row), Errc::poison, "The process died each time that it was sent.",
              was_counted);
  } else if (delivery.message->expires_at && *delivery.message->expires_at <= lane.ownership.store_now) {
    park_dead(lane, delivery.message, std::move(row), Errc::expired, "It expired before it could be sent again.",
              was_counted);
  } else {
    try_again(lane, std::move(delivery), destination, key);
  }
  if (key != nullptr) pass_on(lane, *key);
}

}  // namespace makegood::core
