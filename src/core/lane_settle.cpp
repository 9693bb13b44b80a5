// Sends, their answers, and what an answer means for the key and for the parked row.
#include <algorithm>
#include <utility>

#include "core/error_text.hpp"
#include "core/fate.hpp"
#include "core/lane.hpp"
#include "core/lane_disable.hpp"
#include "core/lane_read.hpp"
#include "core/lane_settle.hpp"
#include "core/lane_sides.hpp"
#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// The main lane may send so many for one of a side lane.
constexpr std::size_t main_turns = 4;

void start(OwnedLane& lane, CarriedIndex index, Line::Place place, std::vector<Delivery>& deliveries,
           MonotonicTime now) {
  Carried& carried = lane.window.at(index);
  DestinationState& state = lane.destinations[carried.destination];
  lane.deliveries.sent(index, place, now);
  if (carried.side == nullptr) {
    ++state.main_streak;
  } else {
    state.main_streak = 0;
    ++state.side_turn;
  }
  deliveries.push_back({carried.message, state.settings, lane.lasting.outbox, carried.attempts,
                        lane.window.ticket_of(index), lane.ownership.incarnation});
  deliveries.back().replay = carried.replay;
  deliveries.back().is_first = carried.is_first;
}

bool can_go(const OwnedLane& lane, const std::deque<CarriedIndex>& ready) {
  return !ready.empty() &&
         (lane.window.at(ready.front()).covered_by <= lane.ownership.turn || is_mutant("send_before_turn"));
}

/// Only the suspect itself, once nothing else is in flight.
std::deque<CarriedIndex>* next_isolated(OwnedLane& lane, DestinationIndex index) {
  const auto named = lane.suspects.named();
  if (!named) return nullptr;
  const Carried& carried = lane.window.at(*named);
  auto& ready = carried.side != nullptr ? carried.side->ready : lane.destinations[index].ready;
  if (carried.destination != index || !lane.suspects.may_reach(carried)) return nullptr;
  const auto place = std::ranges::find(ready, *named);
  if (place == ready.end()) return nullptr;
  std::rotate(ready.begin(), place, std::next(place));  // Others may have been queued before it.
  return can_go(lane, ready) ? &ready : nullptr;
}

/// A replay of history may come upon a message of a tenant that is paused: then it stands still, too.
bool is_held_up(const OwnedLane& lane, const Side& side) {
  if (lane.sides.is_paused(side)) return true;
  if (!side.is_history()) return false;
  const Message& message = *lane.window.at(side.ready.front()).message;
  return lane.sides.is_paused(side.destination, {side.lane.scope.destination, std::string(message.tenant_id),
                                                 std::string(message.dispatch_key)});
}

/// Why it must not be sent, now that it is its turn: that came too late, or its destination has become another
/// tenant's.
std::optional<Outcome> refusal_of(const OwnedLane& lane, const Carried& carried, MonotonicTime now) {
  const Message& message = *carried.message;
  const std::string& tenant_id = lane.destinations[carried.destination].settings->tenant_id;
  if (message.expires_at && *message.expires_at <= lane.ownership.store_time(now)) {
    return Outcome::fail(std::string(to_string(Errc::expired)), "It expired before it could be sent.");
  }
  const bool is_foreign = !tenant_id.empty() && tenant_id != message.tenant_id && !is_mutant("tenants_are_mixed");
  if (!is_foreign) return std::nullopt;
  return Outcome::fail(std::string(to_string(Errc::no_route)), "Its destination belongs to another tenant.");
}

/// Recorded as an answer that the lane gives itself; no attempt was made.
void end_unsent(OwnedLane& lane, CarriedIndex index, Outcome refusal, MonotonicTime now) {
  --lane.window.at(index).attempts;
  lane.answers.push_back({.index = index, .outcome = std::move(refusal), .at = now, .is_counted = false});
}

void report(OwnedLane& lane, const Carried& carried, Fate fate, const Outcome& outcome, MonotonicTime at) {
  lane.reports.settled({.message = carried.message,
                        .destination = lane.destinations[carried.destination].settings,
                        .attempt = carried.attempts,
                        .fate = fate,
                        .code = outcome.code,
                        .detail = outcome.detail,
                        .since_created = lane.ownership.store_time(at) - carried.message->created_at,
                        .since_sent = carried.sent_at ? at - *carried.sent_at : Duration{}});
}

void park_failed(OwnedLane& lane, const Answer& answer, Parked row) {
  const Carried& carried = lane.window.at(answer.index);
  const Destination& destination = *lane.destinations[carried.destination].settings;
  // The store's clock was read after the look was asked for: counted from there, no wait is too short.
  const TimePoint heard_at = lane.ownership.store_now + std::max(Duration{}, answer.at - lane.asked.at);
  row.answered += answer.is_counted && !is_mutant("attempt_not_counted") ? 1U : 0U;
  const Tries tries{.sends = carried.attempts, .answered = row.answered, .is_counted = answer.is_counted};
  const auto verdict = verdict_on(answer.outcome, tries, destination.retry, heard_at, lane.lasting.unit_random());
  if (const auto* waits = std::get_if<Waits>(&verdict)) {
    row.due_at = waits->due_at;
    if (is_mutant("retry_is_lost")) row.state = ParkedState::done;
    report(lane, carried, Fate::retried, answer.outcome, answer.at);
  } else {
    row.state = is_mutant("dead_is_lost") ? ParkedState::done : ParkedState::dead;
    report(lane, carried, Fate::died, answer.outcome, answer.at);
  }
  row.blocks = blocks_key(lane, row);
  row.error_code = storable(answer.outcome.code.empty() ? to_string(Errc::internal) : answer.outcome.code);
  row.last_error = storable(answer.outcome.detail);
  if (std::holds_alternative<Dies>(verdict)) tell_of_death(lane, *carried.message, row);
  if (row.state == ParkedState::dead && answer.outcome.kind == Outcome::Kind::retry) {
    lane.reports.alarm({Errc::dead_letter, "A delivery to " + destination.name +
                                               " has used up its attempts; see: makegood dead list --destination " +
                                               destination.name + "."});
  }
  const bool is_retry = answer.outcome.kind == Outcome::Kind::retry;
  AttemptNote note =
      lane.parked.note_of_failure(row, is_retry ? "retry" : "fail", lane.ownership.store_time(answer.at));
  if (row.blocks && lane.destinations[carried.destination].endpoint.is_broken()) {
    // Into an outage nobody follows: those in hand behind it go back, instead of being written down one by one.
    carried.key->blockers[row.sequence] = blocker_of(row);
    put_back_followers(lane, *carried.key, row.sequence);
  } else if (row.blocks) {
    block(lane, *carried.key, row.sequence, blocker_of(row));
  }
  lane.parked.park(std::move(row), std::move(note), lane.window.at(answer.index).is_parked);
}

void record(OwnedLane& lane, const Answer& answer) {
  const Carried& carried = lane.window.at(answer.index);
  Key* key = carried.key;
  if (key != nullptr) key->going.reset();
  if (answer.outcome.kind == Outcome::Kind::ok) {
    report(lane, carried, Fate::delivered, answer.outcome, answer.at);
    Parked row = lane.parked.row_of(carried);
    ++row.answered;
    row.state = ParkedState::done;
    AttemptNote note = lane.parked.note(row, "ok", lane.ownership.store_time(answer.at));
    lane.parked.park(std::move(row), std::move(note), true);
  } else {
    park_failed(lane, answer, lane.parked.row_of(carried));
  }
  lane.deliveries.end(answer.index);
  if (key != nullptr) pass_on(lane, *key);
}

/// Sent into an outage: as if it had not been sent. Those behind it go back too, so that none passes it.
void give_back(OwnedLane& lane, CarriedIndex index) {
  Key* key = lane.window.at(index).key;
  if (lane.window.at(index).is_parked) {
    if (key != nullptr) put_back_followers(lane, *key, lane.window.at(index).message->sequence);
    put_back_parked(lane, index);
  } else if (key != nullptr) {
    put_back_key(lane, *key);
  } else {
    put_back(lane, index);
  }
}

/// What is in hand behind a blocked head is parked too. Only rows from the log queue up in hand.
void hold_followers(OwnedLane& lane, Key& key, Sequence sequence) {
  for (const CarriedIndex index : std::exchange(key.queue, {})) {
    const Carried& carried = lane.window.at(index);
    if (carried.message->sequence < sequence) {
      key.queue.push_back(index);
      continue;
    }
    Parked row = new_row(*carried.message, lane.destinations[carried.destination].settings->name);
    row.deaths = carried.deaths;
    row.replay = carried.replay;
    hold(lane, key, std::move(row), false);
    lane.deliveries.end(index);
  }
}

/// The next of the key is parked and nothing is before it any more: it becomes due.
void promote(OwnedLane& lane, Key& key) {
  const auto next = next_held(key, lane.window);
  if (!next) return;
  Blocker& blocker = key.blockers[*next];
  blocker.state = ParkedState::waiting;
  lane.parked.park({.sequence = *next,
                    .destination = lane.destinations[key.destination].settings->name,
                    .tenant_id = key.tenant_id,
                    .dispatch_key = key.dispatch_key,
                    .blocks = true,
                    .attempts = blocker.attempts,
                    .answered = blocker.answered,
                    .due_at = lane.ownership.store_now,
                    .event_id = blocker.event_id,
                    .replay = is_mutant("held_forgets_its_replay") ? 0 : blocker.replay},
                   {}, true);
}
}  // namespace

bool may_send(const OwnedLane& lane, MonotonicTime now) {
  const bool is_version_open = lane.lasting.is_registry_in_store && lane.draft && lane.draft->routing;
  if (is_version_open && !is_mutant("sent_by_an_open_version")) return false;  // Its settings may never have been.
  if (is_mutant("send_after_lease")) return !lane.lasting.is_stopping;
  return !lane.lasting.is_stopping && now < lane.ownership.send_until();
}

std::deque<CarriedIndex>* next_ready(OwnedLane& lane, DestinationIndex index) {
  DestinationState& state = lane.destinations[index];
  if (lane.suspects.is_isolating()) return next_isolated(lane, index);
  const bool is_main_ready = can_go(lane, state.ready);
  if (lane.sides.is_empty()) return is_main_ready ? &state.ready : nullptr;
  if (lane.sides.is_paused(index)) return nullptr;
  if (is_main_ready && state.main_streak < main_turns) return &state.ready;
  const auto sides = lane.sides.at(index);
  for (std::size_t step = 0; step < sides.size(); ++step) {
    Side& side = *sides[(state.side_turn + step) % sides.size()];
    if (can_go(lane, side.ready) && !is_held_up(lane, side)) return &side.ready;
  }
  return is_main_ready ? &state.ready : nullptr;
}

void delivered(OwnedLane& lane, CarriedIndex index, MonotonicTime at) {
  Carried& carried = lane.window.at(index);
  report(lane, carried, Fate::delivered, {}, at);
  Key* key = carried.key;
  lane.deliveries.end(index);
  if (!lane.unrecorded_since) lane.unrecorded_since = at;
  if (key == nullptr) return;
  key->going.reset();
  let_next_go(lane, *key, lane.ownership.turn);
  if (next_held(*key, lane.window)) lane.freed.push_back(key);
  drop_if_idle(lane, *key);
}

void drop_if_idle(OwnedLane& lane, Key& key) {
  if (!key.is_idle()) return;
  std::erase(lane.freed, &key);
  lane.keys.drop_if_idle(key);
}

void promote_freed(OwnedLane& lane) {
  for (Key* key : std::exchange(lane.freed, {})) promote(lane, *key);
}

void record_answers(OwnedLane& lane) {
  const auto answers = std::exchange(lane.answers, {});
  for (const Answer& answer : answers) {
    if (answer.is_spent) {
      record(lane, answer);
    } else {
      give_back(lane, answer.index);
    }
  }
  disable_hopeless(lane);
  open_broken(lane);
}

bool blocks_key(OwnedLane& lane, const Parked& row) {
  const DestinationIndex destination = lane.destinations.at(row.destination);
  if (row.dispatch_key.empty() || destination == unrouted_index) return false;
  if (is_mutant("head_does_not_block")) return false;
  const DestinationState& state = lane.destinations[destination];
  const Ordering ordering = state.settings->ordering;
  if (row.state == ParkedState::dead) return state.is_registered && ordering == Ordering::block_on_dead;
  return ordering != Ordering::skip;
}

void block(OwnedLane& lane, Key& key, Sequence sequence, Blocker blocker) {
  key.blockers[sequence] = blocker;
  hold_followers(lane, key, sequence);
}

void let_next_go(OwnedLane& lane, Key& key, TurnNumber not_before) {
  const auto next = let_go(key, lane.window);
  if (!next) return;
  Carried& carried = lane.window.at(*next);
  carried.covered_by = std::max(carried.covered_by, not_before);
  lane.is_turn_needed = lane.is_turn_needed || carried.covered_by > lane.ownership.turn;
  lane.deliveries.make_ready(*next);
}

void pass_on(OwnedLane& lane, Key& key) {
  promote(lane, key);
  let_next_go(lane, key, is_mutant("key_freed_early") ? lane.ownership.turn : lane.ownership.turn + 1);
  drop_if_idle(lane, key);
}

void park_dead(OwnedLane& lane, const MessagePtr& message, Parked row, Errc code, std::string_view sentence,
               bool was_counted) {
  row.state = ParkedState::dead;
  row.blocks = blocks_key(lane, row);
  row.under_way = false;
  row.error_code = to_string(code);
  row.last_error = sentence;
  const DestinationIndex index = lane.destinations.at(row.destination);
  lane.reports.settled({.message = message,
                        .destination = lane.destinations[index].settings,
                        .attempt = row.attempts,
                        .fate = Fate::died,
                        .code = row.error_code,
                        .detail = row.last_error,
                        .since_created = lane.ownership.store_now - message->created_at});
  tell_of_death(lane, *message, row);
  if (row.blocks) block(lane, lane.keys.at(row.tenant_id, row.dispatch_key, index), row.sequence, blocker_of(row));
  AttemptNote note = lane.parked.note_of_failure(row, "dead", lane.ownership.store_now);
  lane.parked.park(std::move(row), std::move(note), was_counted);
}

std::vector<Delivery> Lane::release(MonotonicTime now) {
  std::vector<Delivery> deliveries;
  if (std::exchange(lasting_.is_away, false)) lasting_.destinations.exchange_ended();
  if (!owned_) return deliveries;
  OwnedLane& lane = *owned_;
  if (!may_send(lane, now) || lane.deliveries.is_all_sent(lane.answers.size()) ||
      (lane.suspects.is_isolating() && lane.deliveries.in_flight_count() > 0))
    return deliveries;
  for (DestinationIndex index = 0; index < lane.destinations.count(); ++index) {
    DestinationState& state = lane.destinations[index];
    auto* ready = next_ready(lane, index);
    for (; ready != nullptr && state.endpoint.has_place(now); ready = next_ready(lane, index)) {
      const CarriedIndex next = ready->front();
      const Carried& carried = lane.window.at(next);
      auto refusal = refusal_of(lane, carried, now);
      const auto place = refusal ? std::nullopt : state.endpoint.take_place(now);
      if (!refusal && !place) break;
      ready->pop_front();
      if (carried.is_parked) --state.ready_parked;
      if (refusal) {
        end_unsent(lane, next, std::move(*refusal), now);
      } else {
        start(lane, next, *place, deliveries, now);
      }
    }
    if (ready != nullptr) state.endpoint.wait_for_place(now);
  }
  return deliveries;
}

}  // namespace makegood::core
