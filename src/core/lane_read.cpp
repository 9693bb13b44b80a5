// What a look has brought: rows from the log, holes of the position that was taken, parked deliveries that are due.
#include <algorithm>
#include <string>
#include <utility>

#include "core/lane.hpp"
#include "makegood/assert.hpp"

namespace makegood::core {

void Lane::read(Found& found) {
  if (!has_asked_rows_) return;
  auto asked = std::exchange(unread_, {});
  open_ = std::move(found.open);
  for (const Sequence number : found.unread) {
    if (const auto hole = asked.find(number); hole != asked.end()) {
      unread_.insert(asked.extract(hole));
    } else {
      open_.push_back(number);
    }
  }
  std::ranges::sort(open_);
  for (const MessagePtr& message : found.rows) {
    if (const auto hole = asked.find(message->sequence); hole != asked.end()) {
      read_again(message, asked.extract(hole).mapped());
    } else {
      read_fresh(message);
    }
  }
  for (const auto& [number, destinations] : asked) {
    alarms_.push_back({Errc::store_corrupt, "Message " + std::to_string(number) +
                                                " was under way and is no longer in " + outbox_ +
                                                ": it was deleted by hand, and nothing can be delivered of it."});
  }
  reached_ = std::max(reached_, found.looked_to);
}

void Lane::read_fresh(const MessagePtr& message) {
  const auto destinations = destinations_.leading_from(message->topic);
  if (destinations.empty()) {
    park_dead(message, row_of(*message, unrouted), Errc::no_route,
              "No route leads from this topic; add one, then replay.");
  }
  for (const DestinationIndex destination : destinations) take_in(message, destination, turn_ + 1);
}

/// A hole of the position that we took. The turn that covers it is committed already.
void Lane::read_again(const MessagePtr& message, const std::vector<std::string>& destinations) {
  for (const std::string& name : destinations) {
    if (const auto destination = destinations_.find(name)) {
      take_in(message, *destination, turn_);
    } else {
      park_dead(message, row_of(*message, name), Errc::no_route,
                "Its destination is not registered any more; register it, then replay.");
    }
  }
}

void Lane::take_in(const MessagePtr& message, DestinationIndex destination, TurnNumber covered_by) {
  const std::string& name = destinations_[destination].settings->name;
  if (message->expires_at && *message->expires_at <= store_now_) {
    park_dead(message, row_of(*message, name), Errc::expired, "It expired before it could be sent.");
  } else if (is_delayed(*message)) {
    Parked row = row_of(*message, name);
    row.due_at = message->available_at;
    park(std::move(row));
  } else if (is_behind_a_blocker(*message, destination)) {
    hold(keys_.at(message->tenant_id, message->dispatch_key, destination), row_of(*message, name));
  } else {
    carry({.message = message, .destination = destination, .covered_by = covered_by});
  }
}

/// It waits behind a blocked head, with a row of its own, so that it does not fill the window.
void Lane::hold(Key& key, Parked row) {
  row.state = ParkedState::held;
  row.blocks = true;
  row.under_way = false;
  key.blockers[row.sequence] = {row.state, row.attempts};
  park(std::move(row));
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
  if (message.dispatch_key.empty()) return make_ready(window_.add(std::move(carried)));
  Key& key = keys_.at(message.tenant_id, message.dispatch_key, carried.destination);
  carried.key = &key;
  enter(key, window_.add(std::move(carried)), window_);
  let_next_go(key, turn_);
}

void Lane::make_ready(CarriedIndex index) {
  const Carried& carried = window_.at(index);
  DestinationState& state = destinations_[carried.destination];
  if (carried.is_parked) {
    state.ready.push_front(index);
    ++state.ready_parked;
  } else {
    state.ready.push_back(index);
  }
}

/// What the store knows of those we asked about; what this decision parks comes on top.
void Lane::expect_due(const std::vector<NextDue>& next_due) {
  for (const DestinationIndex index : std::exchange(asked_due_, {})) destinations_[index].next_due.reset();
  for (const NextDue& next : next_due) {
    if (const auto index = destinations_.find(next.destination)) destinations_[*index].expect_due(next.due_at);
  }
}

void Lane::take_in_due(std::vector<DueDelivery> due) {
  for (DueDelivery& delivery : due) {
    const auto destination = destinations_.find(delivery.parked.destination);
    MAKEGOOD_ASSERT(destination.has_value());
    const Turn& turn = *draft_;
    const bool is_stale = std::ranges::any_of(turn.parked, [&](const Turn::Change& change) {
      return change.row.sequence == delivery.parked.sequence && change.row.destination == delivery.parked.destination;
    });
    if (!is_stale) take_in_due(std::move(delivery), *destination);
  }
}

void Lane::take_in_due(DueDelivery delivery, DestinationIndex destination) {
  Parked& row = delivery.parked;
  const Sequence sequence = row.sequence;
  Key* key = row.dispatch_key.empty() ? nullptr : &keys_.at(row.tenant_id, row.dispatch_key, destination);
  if (key != nullptr) key->blockers.erase(sequence);

  if (delivery.message == nullptr) {
    row.state = ParkedState::dead;
    row.blocks = false;
    row.under_way = false;
    row.error_code = to_string(Errc::not_found);
    row.last_error = "Its message is no longer in the log: it was deleted by hand.";
    park(std::move(row));
  } else if (destination == unrouted_index) {
    route_again(delivery);
  } else if (delivery.message->expires_at && *delivery.message->expires_at <= store_now_) {
    park_dead(delivery.message, std::move(row), Errc::expired, "It expired before it could be sent again.");
  } else {
    try_again(std::move(delivery), destination, key);
  }
  if (key != nullptr) pass_on(*key);
}

/// The attempt is counted here, once, before the send (I6): unless it was counted already and its owner did not live to
/// tell what came of it. A delivery whose turn it is not yet is held.
void Lane::try_again(DueDelivery delivery, DestinationIndex destination, Key* key) {
  Parked& row = delivery.parked;
  if (row.under_way) --row.attempts;
  if (key != nullptr && !is_next(*key, row.sequence, window_)) return hold(*key, std::move(row));
  ++row.attempts;
  row.under_way = true;
  carry({.message = std::move(delivery.message),
         .destination = destination,
         .attempts = row.attempts,
         .is_parked = true,
         .covered_by = turn_ + 1});
  park(std::move(row));
}

void Lane::route_again(const DueDelivery& due) {
  Parked row = due.parked;
  const auto destinations = destinations_.leading_from(due.message->topic);
  for (const DestinationIndex destination : destinations) {
    Parked routed = row_of(*due.message, destinations_[destination].settings->name);
    routed.due_at = store_now_;
    park(std::move(routed));
  }
  row.state = destinations.empty() ? ParkedState::dead : ParkedState::done;
  park(std::move(row));
}

}  // namespace makegood::core
