#include "stores/memory/turns.hpp"

#include <fmt/format.h>

#include <ranges>
#include <utility>

#include "stores/memory/clean.hpp"
#include "stores/memory/log.hpp"
#include "stores/memory/parked.hpp"

namespace makegood::memory {
namespace {

Tenure last_tenure(const State& state) {
  if (state.turns.empty()) return {};
  const TurnRow& last = state.turns.rbegin()->second;
  return {.owner = last.owner, .at = last.at, .until = last.lease_until};
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

/// The turn that was just written stays.
void reset(State& state) {
  for (const auto& [number, message] : state.log) {
    state.events.erase({std::string(message->tenant_id), std::string(message->event_id)});
  }
  state.log.clear();
  state.kept.clear();
  state.parked.clear();
  state.waiting.clear();
  state.blocking.clear();
  state.requests.clear();
  state.unanswered.clear();
  state.turns.erase(state.turns.begin(), std::prev(state.turns.end()));
}

std::size_t fruitless_takings(const State& state) {
  const auto takings = state.turns | std::views::reverse |
                       std::views::take_while([](const auto& turn) { return turn.second.is_taking; });
  return static_cast<std::size_t>(std::ranges::distance(takings));
}

}  // namespace

LogMark last_mark(const State& state) { return state.turns.empty() ? LogMark() : state.turns.rbegin()->second.mark; }

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

std::optional<Taken> take(State& state, const Claimant& claimant, TimePoint now) {
  const Tenure last = last_tenure(state);
  if (!may_take(last, claimant, now)) return std::nullopt;
  Taken taken{.position = state.position,
              .mark = last_mark(state),
              .now = now,
              .blocking = blocking_rows(state),
              .next_due = next_due(state),
              .parked_counts = parked_counts(state),
              .routings = all_routings(state),
              .incarnation = "memory",
              .is_after_death = is_after_death(last, claimant),
              .fruitless_takings = fruitless_takings(state)};
  taken.turn = append(
      state,
      {.owner = claimant.owner, .at = now, .lease_until = now + claimant.lease, .mark = taken.mark, .is_taking = true});
  return taken;
}

Result<> check_follows(const State& state, const Turn& turn) {
  if (!follows(state, turn)) return fenced(state, turn);
  return {};
}

Result<Committed> commit(State& state, const Turn& turn, TimePoint now) {
  MAKEGOOD_TRY(check_follows(state, turn));
  const bool is_late = turn.is_reset && !state.log.empty() && state.log.rbegin()->first > settled(turn.position);
  if (is_late) return Error{Errc::conflict, "A message has come meanwhile; nothing was deleted."};
  if (turn.routing && state.routings.contains(turn.routing->version)) return written_before(*turn.routing);
  MAKEGOOD_TRY(append_all(state, turn.messages, now));
  state.position = turn.position;
  if (turn.set_back > Duration::zero()) {
    set_back_due(state, turn.set_back, turn.position.clock + turn.set_back);
  }
  for (const Turn::Change& change : turn.parked) park(state, change, turn.owner, now);
  if (turn.is_rewind) {
    read_anew(state, turn.position.reached);
    end_gone(state, now);
  }
  for (const RequestAnswer& given : turn.answers) answer(state, given, now);
  if (turn.routing) state.routings.emplace(turn.routing->version, *turn.routing);
  Committed committed;
  committed.turn = append(state, {.owner = turn.owner, .at = now, .lease_until = now + turn.lease, .mark = turn.mark});
  if (turn.is_reset) reset(state);
  if (turn.clean) {
    committed.cleaned = clean(state, *turn.clean, turn.oldest_routing, now);
    committed.mark = last_mark(state);
  }
  return committed;
}

}  // namespace makegood::memory
