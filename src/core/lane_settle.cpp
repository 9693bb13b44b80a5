// Sends, their answers, and what an answer means for the key and for the parked row.
#include <algorithm>
#include <utility>

#include "core/error_text.hpp"
#include "core/fate.hpp"
#include "core/lane.hpp"

namespace makegood::core {

std::vector<Delivery> Lane::release(MonotonicTime now) {
  std::vector<Delivery> deliveries;
  if (!may_send(now)) return deliveries;
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    DestinationState& state = destinations_[index];
    while (!state.ready.empty() && state.has_place()) {
      const CarriedIndex next = state.ready.front();
      Carried& carried = window_.at(next);
      const bool is_expired = carried.message->expires_at && *carried.message->expires_at <= store_time(now);
      if (carried.covered_by > turn_ || (!is_expired && !state.rate.take(now))) break;
      state.ready.pop_front();
      if (carried.is_parked) --state.ready_parked;
      if (is_expired) {
        expired_in_hand(next, now);
        continue;
      }
      carried.is_in_flight = true;
      carried.sent_at = now;
      ++state.in_flight;
      ++in_flight_count_;
      deliveries.push_back({carried.message, state.settings, outbox_, carried.attempts, window_.ticket_of(next)});
    }
  }
  return deliveries;
}

/// Its turn to be sent came too late. Recorded as an answer that the lane gives itself; no attempt was made.
void Lane::expired_in_hand(CarriedIndex index, MonotonicTime now) {
  --window_.at(index).attempts;
  answers_.push_back(
      {index, Outcome::fail(std::string(to_string(Errc::expired)), "It expired before it could be sent."), now});
}

void Lane::answered(std::vector<Completion> completions, MonotonicTime now) {
  for (Completion& completion : completions) {
    Carried* carried = window_.find(completion.ticket);
    if (carried == nullptr || !carried->is_in_flight) continue;
    carried->is_in_flight = false;
    --destinations_[carried->destination].in_flight;
    --in_flight_count_;
    const CarriedIndex index = Window::index_of(completion.ticket);
    if (completion.outcome.kind == Outcome::Kind::ok && !carried->is_parked) {
      delivered(index, now);
    } else {
      answers_.push_back({index, std::move(completion.outcome), now});
    }
  }
}

/// The common case: nothing is written but the position, with the next turn, in which this hole is missing.
void Lane::delivered(CarriedIndex index, MonotonicTime at) {
  Carried& carried = window_.at(index);
  report(carried, Fate::delivered, {}, at);
  Key* key = carried.key;
  window_.remove(index);
  if (!unrecorded_since_) unrecorded_since_ = at;
  if (key == nullptr) return;
  key->going.reset();
  let_next_go(*key, turn_);
  if (next_held(*key, window_)) freed_.push_back(key);
  drop_if_idle(*key);
}

void Lane::drop_if_idle(Key& key) {
  if (!key.is_idle()) return;
  std::erase(freed_, &key);
  keys_.drop_if_idle(key);
}

void Lane::promote_freed() {
  for (Key* key : std::exchange(freed_, {})) promote(*key);
}

void Lane::record_answers() {
  for (const Answer& answer : std::exchange(answers_, {})) record(answer);
}

void Lane::record(const Answer& answer) {
  const Carried& carried = window_.at(answer.index);
  Key* key = carried.key;
  if (key != nullptr) key->going.reset();
  if (answer.outcome.kind == Outcome::Kind::ok) {
    report(carried, Fate::delivered, answer.outcome, answer.at);
    Parked row = row_of(carried);
    row.state = ParkedState::done;
    park(std::move(row), AttemptNote{carried.attempts, store_time(answer.at), "ok"});
  } else {
    park_failed(answer, row_of(carried));
  }
  window_.remove(answer.index);
  if (key != nullptr) pass_on(*key);
}

void Lane::park_failed(const Answer& answer, Parked row) {
  const Carried& carried = window_.at(answer.index);
  const Destination& destination = *destinations_[carried.destination].settings;
  const auto verdict = verdict_on(answer.outcome, carried.attempts, destination.retry, store_now_, unit_random());
  if (const auto* waits = std::get_if<Waits>(&verdict)) {
    row.due_at = waits->due_at;
    report(carried, Fate::retried, answer.outcome, answer.at);
  } else {
    row.state = ParkedState::dead;
    report(carried, Fate::died, answer.outcome, answer.at);
  }
  row.blocks = blocks_key(row);
  row.error_code = storable(answer.outcome.code.empty() ? to_string(Errc::internal) : answer.outcome.code);
  row.last_error = storable(answer.outcome.detail);
  const bool is_retry = answer.outcome.kind == Outcome::Kind::retry;
  AttemptNote note{carried.attempts, store_time(answer.at), is_retry ? "retry" : "fail", row.error_code};
  if (row.blocks) block(*carried.key, row.sequence, {row.state, row.attempts});
  park(std::move(row), std::move(note));
}

void Lane::report(const Carried& carried, Fate fate, const Outcome& outcome, MonotonicTime at) {
  settled_.push_back({.message = carried.message,
                      .destination = destinations_[carried.destination].settings,
                      .attempt = carried.attempts,
                      .fate = fate,
                      .code = outcome.code,
                      .detail = outcome.detail,
                      .since_created = store_time(at) - carried.message->created_at,
                      .since_sent = carried.sent_at ? at - *carried.sent_at : Duration{}});
}

bool Lane::blocks_key(const Parked& row) const {
  const auto destination = destinations_.find(row.destination);
  if (row.dispatch_key.empty() || !destination || *destination == unrouted_index) return false;
  const Ordering ordering = destinations_[*destination].settings->ordering;
  if (row.state == ParkedState::dead) return ordering == Ordering::block_on_dead;
  return ordering != Ordering::skip;
}

void Lane::block(Key& key, Sequence sequence, Blocker blocker) {
  key.blockers[sequence] = blocker;
  hold_followers(key, sequence);
}

/// What is in hand behind a blocked head is parked too. Only rows from the log queue up in hand.
void Lane::hold_followers(Key& key, Sequence sequence) {
  for (const CarriedIndex index : std::exchange(key.queue, {})) {
    const Carried& carried = window_.at(index);
    if (carried.message->sequence < sequence) {
      key.queue.push_back(index);
      continue;
    }
    hold(key, row_of(*carried.message, destinations_[carried.destination].settings->name));
    window_.remove(index);
  }
}

/// The next of the key is parked and nothing is before it any more: it becomes due.
void Lane::promote(Key& key) {
  const auto next = next_held(key, window_);
  if (!next) return;
  Blocker& blocker = key.blockers[*next];
  blocker.state = ParkedState::waiting;
  park({.sequence = *next,
        .destination = destinations_[key.destination].settings->name,
        .tenant_id = key.tenant_id,
        .dispatch_key = key.dispatch_key,
        .blocks = true,
        .attempts = blocker.attempts,
        .due_at = store_now_});
}

void Lane::let_next_go(Key& key, TurnNumber not_before) {
  const auto next = let_go(key, window_);
  if (!next) return;
  Carried& carried = window_.at(*next);
  carried.covered_by = std::max(carried.covered_by, not_before);
  make_ready(*next);
}

/// The head of the key has ended, or is parked. Who follows has to wait for the turn that says so: if that turn is
/// lost, the head comes first again.
void Lane::pass_on(Key& key) {
  promote(key);
  let_next_go(key, turn_ + 1);
  drop_if_idle(key);
}

void Lane::park(Parked row, std::optional<AttemptNote> note) {
  if (row.state == ParkedState::waiting && !row.under_way) {
    if (const auto destination = destinations_.find(row.destination))
      destinations_[*destination].expect_due(row.due_at);
  }
  draft_->parked.push_back({std::move(row), std::move(note)});
}

void Lane::park_dead(const MessagePtr& message, Parked row, Errc code, std::string_view sentence) {
  row.state = ParkedState::dead;
  row.blocks = blocks_key(row);
  row.under_way = false;
  row.error_code = to_string(code);
  row.last_error = sentence;
  const DestinationIndex index = destinations_.find(row.destination).value_or(unrouted_index);
  settled_.push_back({.message = message,
                      .destination = destinations_[index].settings,
                      .attempt = row.attempts,
                      .fate = Fate::died,
                      .code = row.error_code,
                      .detail = row.last_error,
                      .since_created = store_now_ - message->created_at});
  if (row.blocks) block(keys_.at(row.tenant_id, row.dispatch_key, index), row.sequence, {row.state, row.attempts});
  AttemptNote note{row.attempts, store_now_, "dead", row.error_code};
  park(std::move(row), std::move(note));
}

Parked Lane::row_of(const Message& message, std::string_view destination) const {
  return {.sequence = message.sequence,
          .destination = std::string(destination),
          .tenant_id = std::string(message.tenant_id),
          .dispatch_key = std::string(message.dispatch_key)};
}

Parked Lane::row_of(const Carried& carried) const {
  Parked row = row_of(*carried.message, destinations_[carried.destination].settings->name);
  row.attempts = carried.attempts;
  return row;
}

}  // namespace makegood::core
