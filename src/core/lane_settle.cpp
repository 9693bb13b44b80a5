// Sends, their answers, and what an answer means for the key and for the parked row.
#include <algorithm>
#include <utility>

#include "core/error_text.hpp"
#include "core/fate.hpp"
#include "core/lane.hpp"
#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// The main lane may send so many for one of a side lane.
constexpr std::size_t main_turns = 4;

}  // namespace

std::vector<Delivery> Lane::release(MonotonicTime now) {
  std::vector<Delivery> deliveries;
  if (std::exchange(is_away_, false)) destinations_.come_back();
  if (!may_send(now) || is_all_sent() || (is_isolating() && in_flight_count_ > 0)) return deliveries;
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    DestinationState& state = destinations_[index];
    while (state.has_place(now)) {
      auto* ready = next_ready(index);
      if (ready == nullptr) break;
      const CarriedIndex next = ready->front();
      const Carried& carried = window_.at(next);
      auto refusal = refusal_of(carried, now);
      if (!refusal && !state.rate.take(now)) break;
      ready->pop_front();
      if (carried.is_parked) --state.ready_parked;
      if (refusal) {
        end_unsent(next, std::move(*refusal), now);
      } else {
        start(next, deliveries, now);
      }
    }
  }
  return deliveries;
}

void Lane::start(CarriedIndex index, std::vector<Delivery>& deliveries, MonotonicTime now) {
  Carried& carried = window_.at(index);
  DestinationState& state = destinations_[carried.destination];
  carried.is_in_flight = true;
  carried.sent_at = now;
  carried.is_probe = state.circuit.sent();
  if (carried.side == nullptr) {
    ++state.main_streak;
  } else {
    state.main_streak = 0;
    ++state.side_turn;
  }
  ++state.in_flight;
  ++in_flight_count_;
  deliveries.push_back(
      {carried.message, state.settings, outbox_, carried.attempts, window_.ticket_of(index), incarnation_});
}

/// The lanes of a destination take turns; the main lane has several for each of a side lane. Null: nothing can go.
std::deque<CarriedIndex>* Lane::next_ready(DestinationIndex index) {
  DestinationState& state = destinations_[index];
  if (is_isolating()) return next_isolated(index);
  const bool is_main_ready = can_go(state.ready);
  if (sides_.is_empty()) return is_main_ready ? &state.ready : nullptr;
  if (sides_.is_paused(index)) return nullptr;
  if (is_main_ready && state.main_streak < main_turns) return &state.ready;
  const auto sides = sides_.at(index);
  for (std::size_t step = 0; step < sides.size(); ++step) {
    Side& side = *sides[(state.side_turn + step) % sides.size()];
    if (can_go(side.ready) && !is_held_up(side)) return &side.ready;
  }
  return is_main_ready ? &state.ready : nullptr;
}

/// Only the suspect itself, once nothing else is in flight.
std::deque<CarriedIndex>* Lane::next_isolated(DestinationIndex index) {
  if (!alone_) return nullptr;
  const Carried& carried = window_.at(*alone_);
  auto& ready = carried.side != nullptr ? carried.side->ready : destinations_[index].ready;
  if (carried.destination != index || !may_reach(carried)) return nullptr;
  const auto place = std::ranges::find(ready, *alone_);
  if (place == ready.end()) return nullptr;
  std::rotate(ready.begin(), place, std::next(place));  // Others may have been queued before it.
  return can_go(ready) ? &ready : nullptr;
}

/// A replay of history may come upon a message of a tenant that is paused: then it stands still, too.
bool Lane::is_held_up(const Side& side) const {
  if (sides_.is_paused(side)) return true;
  if (!side.is_history()) return false;
  const Message& message = *window_.at(side.ready.front()).message;
  return sides_.is_paused(side.destination, {side.lane.scope.destination, std::string(message.tenant_id),
                                             std::string(message.dispatch_key)});
}

bool Lane::can_go(const std::deque<CarriedIndex>& ready) const {
  return !ready.empty() && (window_.at(ready.front()).covered_by <= turn_ || is_mutant("send_before_turn"));
}

/// Why it must not be sent, now that it is its turn: that came too late, or its destination has become another
/// tenant's.
std::optional<Outcome> Lane::refusal_of(const Carried& carried, MonotonicTime now) const {
  const Message& message = *carried.message;
  const std::string& tenant_id = destinations_[carried.destination].settings->tenant_id;
  if (message.expires_at && *message.expires_at <= store_time(now)) {
    return Outcome::fail(std::string(to_string(Errc::expired)), "It expired before it could be sent.");
  }
  const bool is_foreign = !tenant_id.empty() && tenant_id != message.tenant_id && !is_mutant("tenants_are_mixed");
  if (!is_foreign) return std::nullopt;
  return Outcome::fail(std::string(to_string(Errc::no_route)), "Its destination belongs to another tenant.");
}

/// Recorded as an answer that the lane gives itself; no attempt was made.
void Lane::end_unsent(CarriedIndex index, Outcome refusal, MonotonicTime now) {
  --window_.at(index).attempts;
  answers_.push_back({index, std::move(refusal), now});
}

void Lane::answered(std::vector<Completion> completions, MonotonicTime now) {
  for (Completion& completion : completions) {
    Carried* carried = window_.find(completion.ticket);
    if (carried == nullptr || !carried->is_in_flight) continue;
    carried->is_in_flight = false;
    DestinationState& state = destinations_[carried->destination];
    --state.in_flight;
    ++state.ended_meanwhile;
    --in_flight_count_;
    hide_content(completion.outcome, carried->message->content);
    const bool is_spent = judge(completion.outcome, *carried, now);
    const CarriedIndex index = Window::index_of(completion.ticket);
    if (completion.outcome.kind == Outcome::Kind::ok && !carried->is_parked) {
      delivered(index, now);
    } else {
      answers_.push_back({index, std::move(completion.outcome), now, is_spent});
    }
  }
}

/// What an answer tells about the destination. False: it was sent before the circuit opened, and an outage must not use
/// up its attempts; or the destination is gone, which is not the message's fault.
bool Lane::judge(const Outcome& outcome, const Carried& carried, MonotonicTime now) {
  DestinationState& state = destinations_[carried.destination];
  if (!state.is_registered) return outcome.kind != Outcome::Kind::gone;  // Removed meanwhile.
  const bool was_open = state.circuit.is_open();
  const bool is_definite = outcome.kind != Outcome::Kind::retry;
  if (is_definite) {
    state.circuit.answered();
  } else {
    state.circuit.failed(state.settings->circuit, carried.is_probe, now, obeyed(outcome, state.settings->retry));
  }
  watch_health(carried.destination, outcome, now);
  if (was_open != state.circuit.is_open()) {
    const auto kind = was_open ? LaneNews::Kind::circuit_closed : LaneNews::Kind::circuit_opened;
    news_.push_back({.kind = kind, .scope = {state.settings->name}});
  }
  if (outcome.kind == Outcome::Kind::gone) return is_mutant("gone_is_dead");
  if (is_mutant("probe_without_attempt") && was_open) return is_definite;
  return is_definite || !was_open || carried.is_probe || is_mutant("outage_spends_attempts");
}

/// The common case: nothing is written but the position, with the next turn, in which this hole is missing.
void Lane::delivered(CarriedIndex index, MonotonicTime at) {
  Carried& carried = window_.at(index);
  report(carried, Fate::delivered, {}, at);
  Key* key = carried.key;
  end(index);
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
  const auto answers = std::exchange(answers_, {});
  for (const Answer& answer : answers) {
    if (answer.is_spent) {
      record(answer);
    } else {
      give_back(answer.index);
    }
  }
  disable_hopeless();
  open_broken();
}

void Lane::record(const Answer& answer) {
  const Carried& carried = window_.at(answer.index);
  Key* key = carried.key;
  if (key != nullptr) key->going.reset();
  if (answer.outcome.kind == Outcome::Kind::ok) {
    report(carried, Fate::delivered, answer.outcome, answer.at);
    Parked row = row_of(carried);
    row.state = ParkedState::done;
    AttemptNote note = note_on(row, "ok", store_time(answer.at));
    park(std::move(row), std::move(note), true);
  } else {
    park_failed(answer, row_of(carried));
  }
  end(answer.index);
  if (key != nullptr) pass_on(*key);
}

/// Sent into an outage: as if it had not been sent. Those behind it go back too, so that none passes it.
void Lane::give_back(CarriedIndex index) {
  Key* key = window_.at(index).key;
  if (window_.at(index).is_parked) {
    if (key != nullptr) put_back_followers(*key, window_.at(index).message->sequence);
    put_back_parked(index);
  } else if (key != nullptr) {
    put_back_key(*key);
  } else {
    put_back(index);
  }
}

void Lane::park_failed(const Answer& answer, Parked row) {
  const Carried& carried = window_.at(answer.index);
  const Destination& destination = *destinations_[carried.destination].settings;
  // The store's clock was read after the look was asked for: counted from there, no wait is too short.
  const TimePoint heard_at = store_now_ + std::max(Duration{}, answer.at - asked_at_);
  const auto verdict = verdict_on(answer.outcome, carried.attempts, destination.retry, heard_at, unit_random());
  if (const auto* waits = std::get_if<Waits>(&verdict)) {
    row.due_at = waits->due_at;
    if (is_mutant("retry_is_lost")) row.state = ParkedState::done;
    report(carried, Fate::retried, answer.outcome, answer.at);
  } else {
    row.state = is_mutant("dead_is_lost") ? ParkedState::done : ParkedState::dead;
    report(carried, Fate::died, answer.outcome, answer.at);
  }
  row.blocks = blocks_key(row);
  row.error_code = storable(answer.outcome.code.empty() ? to_string(Errc::internal) : answer.outcome.code);
  row.last_error = storable(answer.outcome.detail);
  if (std::holds_alternative<Dies>(verdict)) tell_of_death(*carried.message, row);
  const bool is_retry = answer.outcome.kind == Outcome::Kind::retry;
  AttemptNote note = note_of_failure(row, is_retry ? "retry" : "fail", store_time(answer.at));
  if (row.blocks && destinations_[carried.destination].circuit.is_open()) {
    // Into an outage nobody follows: those in hand behind it go back, instead of being written down one by one.
    carried.key->blockers[row.sequence] = {row.state, row.attempts};
    put_back_followers(*carried.key, row.sequence);
  } else if (row.blocks) {
    block(*carried.key, row.sequence, {row.state, row.attempts});
  }
  park(std::move(row), std::move(note), window_.at(answer.index).is_parked);
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

/// A destination that was removed may come back before they are due; but nobody waits for its dead.
bool Lane::blocks_key(const Parked& row) {
  const DestinationIndex destination = destinations_.at(row.destination);
  if (row.dispatch_key.empty() || destination == unrouted_index) return false;
  if (is_mutant("head_does_not_block")) return false;
  const DestinationState& state = destinations_[destination];
  const Ordering ordering = state.settings->ordering;
  if (row.state == ParkedState::dead) return state.is_registered && ordering == Ordering::block_on_dead;
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
    Parked row = row_of(*carried.message, destinations_[carried.destination].settings->name);
    row.deaths = carried.deaths;
    hold(key, std::move(row), false);
    end(index);
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
        .due_at = store_now_},
       {}, true);
}

void Lane::let_next_go(Key& key, TurnNumber not_before) {
  const auto next = let_go(key, window_);
  if (!next) return;
  Carried& carried = window_.at(*next);
  carried.covered_by = std::max(carried.covered_by, not_before);
  is_turn_needed_ = is_turn_needed_ || carried.covered_by > turn_;
  make_ready(*next);
}

/// The head of the key has ended, or is parked. Who follows has to wait for the turn that says so: if that turn is
/// lost, the head comes first again.
void Lane::pass_on(Key& key) {
  promote(key);
  let_next_go(key, is_mutant("key_freed_early") ? turn_ : turn_ + 1);
  drop_if_idle(key);
}

/// Delayed ones have not been tried; dead ones are not on their way any more.
bool counts(const Parked& row) {
  return row.state == ParkedState::held || (row.state == ParkedState::waiting && row.attempts > 0);
}

void Lane::park(Parked row, std::optional<AttemptNote> note, bool was_counted) {
  DestinationState& state = destinations_[destinations_.at(row.destination)];
  if (row.state == ParkedState::waiting && !row.under_way) state.expect_due(row.due_at);
  state.parked_count += counts(row) ? 1U : 0U;
  state.parked_count -= std::min<std::size_t>(state.parked_count, was_counted ? 1 : 0);
  draft_->parked.push_back({std::move(row), std::move(note)});
}

void Lane::park_dead(const MessagePtr& message, Parked row, Errc code, std::string_view sentence, bool was_counted) {
  row.state = ParkedState::dead;
  row.blocks = blocks_key(row);
  row.under_way = false;
  row.error_code = to_string(code);
  row.last_error = sentence;
  const DestinationIndex index = destinations_.at(row.destination);
  settled_.push_back({.message = message,
                      .destination = destinations_[index].settings,
                      .attempt = row.attempts,
                      .fate = Fate::died,
                      .code = row.error_code,
                      .detail = row.last_error,
                      .since_created = store_now_ - message->created_at});
  tell_of_death(*message, row);
  if (row.blocks) block(keys_.at(row.tenant_id, row.dispatch_key, index), row.sequence, {row.state, row.attempts});
  AttemptNote note = note_of_failure(row, "dead", store_now_);
  park(std::move(row), std::move(note), was_counted);
}

AttemptNote Lane::note_on(const Parked& row, std::string_view outcome, TimePoint at) const {
  return {.attempt = row.attempts, .at = at, .outcome = std::string(outcome), .owner = owner_};
}

AttemptNote Lane::note_of_failure(const Parked& row, std::string_view outcome, TimePoint at) const {
  AttemptNote note = note_on(row, outcome, at);
  note.code = row.error_code;
  note.error = beginning_of(row.last_error);
  return note;
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
  row.deaths = carried.deaths;
  return row;
}

}  // namespace makegood::core
