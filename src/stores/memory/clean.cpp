#include "stores/memory/clean.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "makegood/events.hpp"
#include "stores/memory/log.hpp"
#include "stores/memory/parked.hpp"

namespace makegood::memory {
namespace {

bool is_old(TimePoint moment, Duration retention, TimePoint now) { return moment < now - retention; }

/// The end of the turns that are older than the retention; the last turn is never one of them.
auto end_of_old_turns(State& state, Duration retention, TimePoint now) {
  const auto last = std::prev(state.turns.end());
  return std::find_if(state.turns.begin(), last,
                      [&](const auto& turn) { return !is_old(turn.second.at, retention, now); });
}

/// By the clock of turns, never by `created_at`: a row may be older than the retention when it appears.
Sequence boundary_of(State& state, Duration retention, TimePoint now) {
  Sequence highest = 0;
  const auto end = end_of_old_turns(state, retention, now);
  for (auto turn = state.turns.begin(); turn != end; ++turn) highest = std::max(highest, turn->second.settled);
  return std::min(highest, settled(state.position));
}

bool is_needed(const ParkedRow& row, const Clean& step, TimePoint now) {
  switch (row.parked.state) {
    case ParkedState::waiting:
    case ParkedState::held:
      return true;
    case ParkedState::dead:
    case ParkedState::quarantined:
      // A dead head that blocks its key is kept: without it the key would be free after the next taking.
      return row.parked.blocks || step.dead_retention == Duration::zero() ||
             !is_old(row.changed_at, step.dead_retention, now);
    case ParkedState::done:
      return !is_old(row.changed_at, step.retention, now);
  }
  std::unreachable();
}

/// The parked deliveries of one message: forgotten all together, as soon as none is needed any more.
bool is_kept_by_parked(State& state, const Message& message, const Clean& step, TimePoint now) {
  std::vector<ParkedKey> keys;
  const auto end = state.parked.lower_bound({message.sequence + 1, {}});
  for (auto row = state.parked.lower_bound({message.sequence, {}}); row != end; ++row) {
    if (row->first.event_id != message.event_id) continue;
    if (is_needed(row->second, step, now)) return true;
    keys.push_back(row->first);
  }
  for (const ParkedKey& key : keys) forget_parked(state, key);
  return false;
}

bool is_anchored(const State& state, const LogMark& mark) {
  const auto row = state.log.find(mark.anchor);
  return row != state.log.end() && row->second->event_id == mark.anchor_event;
}

/// The look before this turn has compared the log with its mark. What was drawn again since has been read by nobody.
bool is_drawn_again(const State& state, const LogMark& mark) {
  const bool has_row_in_cleaned = !state.log.empty() && state.log.begin()->first <= mark.cleaned;
  return state.counter < mark.counter || has_row_in_cleaned;
}

/// The anchor's own time has come: an empty row takes its place. The turn's number makes its event id the only one.
void renew_anchor(State& state, LogMark& mark, TimePoint now) {
  const std::string event_id = "anchor-" + std::to_string(state.turns.rbegin()->first);
  const auto sequence = append_own(state, anchor_row(event_id), now);
  if (!sequence) return;
  mark.anchor = *sequence;
  mark.anchor_event = event_id;
}

/// Below the anchor of the turn that cleans. Without it, or where numbers were drawn again, the log is another than the
/// one that was read: nothing is cleaned.
Sequence below_the_anchor(State& state, Sequence boundary, TimePoint now) {
  LogMark& mark = state.turns.rbegin()->second.mark;
  if (is_drawn_again(state, mark)) return mark.cleaned;
  if (mark.anchor == 0) return boundary;
  if (!is_anchored(state, mark)) return mark.cleaned;
  if (boundary < mark.anchor) return boundary;
  if (state.log.at(mark.anchor)->topic != anchor_topic) renew_anchor(state, mark, now);
  return std::min(boundary, mark.anchor - 1);
}

/// From where the last step ended: what has appeared below since was drawn again, and nobody has read it.
std::size_t clean_log(State& state, Sequence boundary, const Clean& step, TimePoint now) {
  std::size_t count = 0;
  for (auto row = state.log.upper_bound(last_mark(state).cleaned);
       row != state.log.end() && row->first <= boundary && count < step.rows_max; ++count) {
    const auto& [sequence, message] = *row;
    if (is_kept_by_parked(state, *message, step, now)) {
      state.kept.emplace(KeptKey{sequence, std::string(message->event_id)}, message);
    }
    state.events.erase({std::string(message->tenant_id), std::string(message->event_id)});
    LogMark& mark = state.turns.rbegin()->second.mark;
    mark.cleaned = std::max(mark.cleaned, sequence);
    row = state.log.erase(row);
  }
  return count;
}

std::size_t clean_kept(State& state, std::size_t rows_max, const Clean& step, TimePoint now) {
  std::size_t count = 0;
  for (auto row = state.kept.begin(); row != state.kept.end() && count < rows_max;) {
    if (is_kept_by_parked(state, *row->second, step, now)) {
      ++row;
      continue;
    }
    row = state.kept.erase(row);
    ++count;
  }
  return count;
}

/// Only when nothing is left that they still say something about.
void clean_turns(State& state, Sequence boundary, const Clean& step, TimePoint now) {
  const bool is_log_clean = state.log.empty() || state.log.begin()->first > boundary;
  if (!is_log_clean) return;
  const auto end = end_of_old_turns(state, step.retention, now);
  auto turn = state.turns.begin();
  for (std::size_t count = 0; turn != end && count < step.rows_max; ++count) turn = state.turns.erase(turn);
}

void retire_routings(State& state, std::int64_t oldest, std::size_t rows_max) {
  const auto end = state.routings.lower_bound(oldest);
  auto routing = state.routings.begin();
  for (std::size_t count = 0; routing != end && count < rows_max; ++count) {
    state.retired.insert(state.routings.extract(routing++));
  }
}

/// A retired version stays while the log holds a message that went by it, so that one can tell where that was sent; but
/// no more than this many of them.
constexpr std::int64_t retired_max = 100;

bool is_used(const State& state, std::int64_t version) {
  if (state.log.empty()) return false;
  const auto routings = known_routings(state);
  const auto next = std::ranges::upper_bound(routings, version, {}, &Routing::version);
  return next == routings.end() || next->from >= state.log.begin()->first;
}

void clean_routings(State& state, std::int64_t oldest, std::size_t rows_max) {
  for (std::size_t count = 0; !state.retired.empty() && count < rows_max; ++count) {
    const std::int64_t version = state.retired.begin()->first;
    if (version >= oldest - retired_max && is_used(state, version)) return;
    state.retired.erase(state.retired.begin());
  }
}

/// Answered long enough ago, of the oldest. An open one has no time yet, and stays.
void clean_requests(State& state, const Clean& step, TimePoint now) {
  auto request = state.requests.begin();
  for (std::size_t count = 0; request != state.requests.end() && count < step.rows_max; ++count) {
    const auto done_at = request->second.done_at;
    request = done_at && is_old(*done_at, step.retention, now) ? state.requests.erase(request) : std::next(request);
  }
}

}  // namespace

std::size_t clean(State& state, const Clean& step, std::int64_t oldest_routing, TimePoint now) {
  const Sequence boundary = below_the_anchor(state, boundary_of(state, step.retention, now), now);
  const std::size_t from_log = clean_log(state, boundary, step, now);
  const std::size_t from_kept = clean_kept(state, step.rows_max - from_log, step, now);
  clean_turns(state, boundary, step, now);
  clean_requests(state, step, now);
  retire_routings(state, oldest_routing, step.rows_max);
  clean_routings(state, oldest_routing, step.rows_max);
  return from_log + from_kept;
}

}  // namespace makegood::memory
