#include "stores/memory/turns.hpp"

#include <fmt/format.h>

#include "stores/memory/clean.hpp"
#include "stores/memory/parked.hpp"

namespace makegood::memory {
namespace {

bool may_take(const TurnRow& last, Duration lease, const Owner& former, TimePoint now) {
  if (!former.empty() && last.owner == former) return true;
  const bool is_over = last.lease_until <= now;
  // Such a lease was written by a clock that has since been set back; waiting for it could take years.
  const bool is_too_far_ahead = last.lease_until > now + lease;
  return is_over || is_too_far_ahead;
}

TurnNumber last_turn(const State& state) { return state.turns.empty() ? 0 : state.turns.rbegin()->first; }

TurnNumber append(State& state, const Owner& owner, Duration lease, TimePoint now) {
  const TurnNumber turn = last_turn(state) + 1;
  // A lane that is given up is free whatever the clocks say.
  const TimePoint lease_until = lease == Duration::zero() ? TimePoint::min() : now + lease;
  state.turns.emplace_hint(
      state.turns.end(), turn,
      TurnRow{.owner = owner, .at = now, .lease_until = lease_until, .settled = settled(state.position)});
  return turn;
}

bool follows(const State& state, const Turn& turn) {
  if (state.turns.empty()) return false;
  const auto& [number, last] = *state.turns.rbegin();
  return number == turn.after && last.owner == turn.owner;
}

Error fenced(const State& state, const Turn& turn) {
  return {Errc::fenced, "Another owner wrote after us; the lane has to be taken anew.",
          fmt::format("turn {} does not follow {}", turn.after, last_turn(state))};
}

void answer(State& state, const RequestAnswer& answer) {
  if (state.unanswered.erase(answer.id) == 0) return;
  state.requests.at(answer.id).answer = answer.result;
}

std::vector<Parked> blocking_rows(const State& state) {
  std::vector<Parked> rows;
  rows.reserve(state.blocking.size());
  for (const ParkedKey& key : state.blocking) rows.push_back(state.parked.at(key).parked);
  return rows;
}

}  // namespace

std::optional<Taken> take(State& state, const Owner& owner, Duration lease, const Owner& former, TimePoint now) {
  if (!state.turns.empty() && !may_take(state.turns.rbegin()->second, lease, former, now)) return std::nullopt;
  const TurnNumber turn = append(state, owner, lease, now);
  return Taken{.turn = turn,
               .position = state.position,
               .now = now,
               .blocking = blocking_rows(state),
               .next_due = next_due(state)};
}

Result<Committed> commit(State& state, const Turn& turn, TimePoint now) {
  if (!follows(state, turn)) return fenced(state, turn);
  state.position = turn.position;
  for (const Turn::Change& change : turn.parked) park(state, change, turn.owner, now);
  for (const RequestAnswer& given : turn.answers) answer(state, given);
  Committed committed{.turn = append(state, turn.owner, turn.lease, now)};
  if (turn.clean) committed.cleaned = clean(state, *turn.clean, now);
  return committed;
}

}  // namespace makegood::memory
