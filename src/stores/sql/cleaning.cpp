#include "stores/sql/cleaning.hpp"

#include <algorithm>
#include <array>

#include "makegood/events.hpp"

namespace makegood::relational {
namespace {

/// A message takes a few turns at most when little is going on; so turns leave as fast as rows do.
constexpr std::size_t turns_per_row = 4;
constexpr std::size_t turns_min = 1000;

}  // namespace

/// The lowest turns, as far as they are old enough.
struct Cleaner::OldTurns {
  Sequence settled = 0;  ///< What they had settled.
  TurnNumber last = 0;
  TurnNumber first = 0;
};

Result<> Cleaner::clean(const Turn& turn, TimePoint at, Committed& committed) {
  const Clean& step = *turn.clean;
  const Statements& sql = database_.statements();
  const std::size_t turns_max = std::max(turns_min, step.rows_max * turns_per_row);
  const TimePoint before = at - step.retention;
  LogMark& mark = committed.mark.emplace(turn.mark);

  RowsPtr boundary = MAKEGOOD_TRY(database_.one(sql.clean_boundary, before, turns_max, turns_from_, lane_));
  const bool has_old_turns = !boundary->is_null(0);
  const OldTurns old{boundary->integer(0), boundary->integer(1), boundary->integer(2)};
  boundary.reset();
  if (has_old_turns) MAKEGOOD_TRY(clean_log(turn, old, turns_max, committed));
  MAKEGOOD_TRY(clean_parked(sql.clean_done, before, step.rows_max));
  if (step.dead_retention > Duration::zero()) {
    MAKEGOOD_TRY(clean_parked(sql.clean_dead, at - step.dead_retention, step.rows_max));
  }
  const std::array others = {Step(sql.clean_requests, before, step.rows_max),
                             Step(sql.retire_routings, turn.oldest_routing, step.rows_max),
                             Step(sql.clean_routings, turn.oldest_routing, step.rows_max, mark.cleaned)};
  MAKEGOOD_TRY(database_.run(others));
  if (mark == turn.mark) return {};
  return mark_turn(committed);
}

Result<> Cleaner::mark_turn(const Committed& committed) {
  const LogMark& mark = *committed.mark;
  return database_.execute(database_.statements().mark_turn, committed.turn, mark.anchor, mark.anchor_event,
                           mark.cleaned, lane_);
}

Result<> Cleaner::clean_log(const Turn& turn, const OldTurns& old, std::size_t turns_max, Committed& committed) {
  LogMark& mark = *committed.mark;
  const Statements& sql = database_.statements();
  const Sequence limit = MAKEGOOD_TRY(below_the_anchor(std::min(old.settled, settled(turn.position)), committed));
  RowsPtr range = MAKEGOOD_TRY(database_.one(sql.clean_range, mark.cleaned, limit, turn.clean->rows_max));
  const Sequence end = range->is_null(0) ? mark.cleaned : range->integer(0);
  committed.cleaned = range->count(1);
  range.reset();
  const std::array steps = {Step(sql.keep_messages, mark.cleaned, end), Step(sql.clean_log, mark.cleaned, end),
                            Step(sql.clean_turns, old.last, turns_max, old.first, end, lane_)};
  MAKEGOOD_TRY(database_.run(steps));
  // The lowest that was there before may be gone now; to pass it once more is no harm.
  turns_from_ = old.first;
  mark.cleaned = end;
  return {};
}

Result<bool> Cleaner::is_drawn_again(const LogMark& mark) {
  const RowsPtr row = MAKEGOOD_TRY(database_.one(database_.statements().is_drawn_again, mark.counter, mark.cleaned));
  return row->boolean(0);
}

/// The anchor stays. When its own time has come, an empty row takes its place. Without it, or where numbers were drawn
/// again since the look before this turn, the log is another than the one that was read, and nothing is cleaned: the
/// next look says so.
Result<Sequence> Cleaner::below_the_anchor(Sequence boundary, Committed& committed) {
  LogMark& mark = *committed.mark;
  if (MAKEGOOD_TRY(is_drawn_again(mark))) return mark.cleaned;
  if (mark.anchor == 0) return boundary;
  RowsPtr row = MAKEGOOD_TRY(database_.query(database_.statements().read_anchor, mark.anchor));
  const bool is_there = MAKEGOOD_TRY(row->next()) && row->text(1) == mark.anchor_event;
  if (!is_there) return mark.cleaned;
  if (boundary < mark.anchor) return boundary;
  const bool is_empty = row->text(0) == anchor_topic;
  row.reset();
  if (!is_empty) {
    mark.anchor_event = ids_.new_uuid7();
    mark.anchor = MAKEGOOD_TRY(append_(anchor_row(mark.anchor_event)));
    MAKEGOOD_TRY(mark_turn(committed));  // Before the old one is deleted, which it may not be while it is the anchor.
  }
  return std::min(boundary, mark.anchor - 1);
}

/// Ended exceptions, and the messages that were kept for them alone.
Result<> Cleaner::clean_parked(std::string_view sql, TimePoint before, std::size_t rows_max) {
  Numbers numbers;
  Texts events;
  const RowsPtr removed = MAKEGOOD_TRY(database_.query(sql, before, rows_max));
  while (MAKEGOOD_TRY(removed->next())) {
    numbers.push_back(removed->integer(0));
    events.emplace_back(removed->text(1));
  }
  if (numbers.empty()) return {};
  return database_.execute(database_.statements().clean_kept, numbers, events);
}

}  // namespace makegood::relational
