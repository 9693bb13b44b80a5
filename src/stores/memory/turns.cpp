#include "stores/memory/turns.hpp"

#include <fmt/format.h>

#include <ranges>
#include <utility>

#include "stores/memory/clean.hpp"
#include "stores/memory/log.hpp"
#include "stores/memory/parked.hpp"

namespace makegood::memory {
namespace {

bool is_ours(const TurnRow& turn, const Owner& former) { return !former.empty() && turn.owner == former; }

bool may_take(const TurnRow& last, Duration lease, const Owner& former, TimePoint now) {
  // A lane that is given up is free whatever the clocks say.
  if (last.is_given_up || is_ours(last, former)) return true;
  const bool is_over = last.lease_until <= now;
  // Such a lease was written by a clock that has since been set back; waiting for it could take years.
  const bool is_too_far_ahead = last.lease_until > now + lease;
  return is_over || is_too_far_ahead;
}

TurnNumber last_turn(const State& state) { return state.turns.empty() ? 0 : state.turns.rbegin()->first; }

TurnNumber append(State& state, TurnRow row) {
  const TurnNumber turn = last_turn(state) + 1;
  row.settled = settled(state.position);
  row.position = std::make_shared<const Position>(state.position);
  state.turns.emplace_hint(state.turns.end(), turn, std::move(row));
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

Result<> append(State& state, const std::vector<NewMessage>& messages, TimePoint now) {
  if (messages.empty()) return {};
  DrawnRows rows;
  for (const NewMessage& message : messages) MAKEGOOD_TRY(rows.add(state, message, now));
  return rows.commit(state);
}

Error written_before(const Routing& routing) {
  return {Errc::conflict, "This version of the routes is there already; a version never changes.",
          fmt::format("version {}", routing.version)};
}

void answer(State& state, const RequestAnswer& answer, TimePoint now) {
  if (state.unanswered.erase(answer.id) == 0) return;
  RequestRow& request = state.requests.at(answer.id);
  request.answer = answer.result;
  request.done_at = now;
}

std::vector<Parked> blocking_rows(const State& state) {
  std::vector<Parked> rows;
  rows.reserve(state.blocking.size());
  for (const ParkedKey& key : state.blocking) rows.push_back(state.parked.at(key).parked);
  return rows;
}

/// The last owner wrote, and then neither gave the lane up nor came back itself.
bool is_after_death(const State& state, const Owner& former) {
  if (state.turns.empty()) return false;
  const TurnRow& last = state.turns.rbegin()->second;
  return !last.is_given_up && !is_ours(last, former);
}

std::size_t fruitless_takings(const State& state) {
  const auto takings = state.turns | std::views::reverse |
                       std::views::take_while([](const auto& turn) { return turn.second.is_taking; });
  return static_cast<std::size_t>(std::ranges::distance(takings));
}

}  // namespace

std::vector<Routing> all_routings(const State& state) {
  std::vector<Routing> routings;
  routings.reserve(state.routings.size());
  for (const auto& [version, routing] : state.routings) routings.push_back(routing);
  return routings;
}

std::vector<Routing> known_routings(const State& state) {
  std::vector<Routing> routings;
  for (const auto& [version, routing] : state.retired) routings.push_back(routing);
  for (const auto& [version, routing] : state.routings) routings.push_back(routing);
  return routings;
}

std::optional<Taken> take(State& state, const Owner& owner, Duration lease, const Owner& former, TimePoint now) {
  if (!state.turns.empty() && !may_take(state.turns.rbegin()->second, lease, former, now)) return std::nullopt;
  Taken taken{.position = state.position,
              .now = now,
              .blocking = blocking_rows(state),
              .next_due = next_due(state),
              .parked_counts = parked_counts(state),
              .routings = all_routings(state),
              .incarnation = "memory",
              .is_after_death = is_after_death(state, former),
              .fruitless_takings = fruitless_takings(state)};
  taken.turn = append(state, {.owner = owner, .at = now, .lease_until = now + lease, .is_taking = true});
  return taken;
}

Result<Committed> commit(State& state, const Turn& turn, TimePoint now) {
  if (!follows(state, turn)) return fenced(state, turn);
  if (turn.routing && state.routings.contains(turn.routing->version)) return written_before(*turn.routing);
  MAKEGOOD_TRY(append(state, turn.messages, now));
  state.position = turn.position;
  for (const Turn::Change& change : turn.parked) park(state, change, turn.owner, now);
  for (const RequestAnswer& given : turn.answers) answer(state, given, now);
  if (turn.routing) state.routings.emplace(turn.routing->version, *turn.routing);
  Committed committed;
  committed.turn = append(
      state,
      {.owner = turn.owner, .at = now, .lease_until = now + turn.lease, .is_given_up = turn.lease == Duration::zero()});
  if (turn.clean) committed.cleaned = clean(state, *turn.clean, turn.oldest_routing, now);
  return committed;
}

}  // namespace makegood::memory
