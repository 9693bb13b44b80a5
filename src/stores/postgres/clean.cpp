// The cleaner goes by position and by the clock of turns, never by when a message was created: a row may be old when it
// appears. Each step is bounded and part of a turn, so the owner's own position is its upper end.
//
// What was deleted stays in the way until the server has vacuumed it, which somebody's old snapshot may put off for
// hours. So each step goes on from where the last one ended.
#include <algorithm>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/store.hpp"

namespace makegood::postgres {
namespace {

/// A message takes a few turns at most when little is going on; so turns leave as fast as rows do.
constexpr std::size_t turns_per_row = 4;
constexpr std::size_t turns_min = 1000;

}  // namespace

Result<std::size_t> Store::clean(const Turn& turn, TimePoint at) {
  const Clean& step = *turn.clean;
  const std::size_t turns_max = std::max(turns_min, step.rows_max * turns_per_row);
  const TimePoint before = at - step.retention;
  std::size_t cleaned = 0;

  Rows boundary = MAKEGOOD_TRY(connection_.query(sql::clean_boundary, before, turns_max, turns_from_));
  boundary.next();
  if (!boundary.is_null(0)) {
    const Sequence end = MAKEGOOD_TRY(clean_end(turn, boundary.integer(0)));
    Pipeline pipeline(connection_);
    pipeline.add(sql::keep_messages, cleaned_to_, end);
    pipeline.add(sql::clean_log, cleaned_to_, end);
    pipeline.add(sql::clean_turns, boundary.integer(1), turns_max, boundary.integer(2), end);
    const auto answers = MAKEGOOD_TRY(pipeline.run());
    cleaned = answers[1].affected();
    // The lowest that was there before may be gone now; to pass it once more is no harm.
    turns_from_ = boundary.integer(2);
    cleaned_to_ = end;
  }
  MAKEGOOD_TRY(clean_parked(sql::clean_done, before, step.rows_max));
  if (step.dead_retention > Duration::zero()) {
    MAKEGOOD_TRY(clean_parked(sql::clean_dead, at - step.dead_retention, step.rows_max));
  }
  Pipeline pipeline(connection_);
  pipeline.add(sql::clean_requests, before, step.rows_max);
  pipeline.add(sql::retire_routings, turn.oldest_routing, step.rows_max);
  pipeline.add(sql::clean_routings, turn.oldest_routing, step.rows_max, cleaned_to_);
  MAKEGOOD_TRY(pipeline.run());
  return cleaned;
}

/// The last number of this step; the one where the last step ended when there is nothing to do.
Result<Sequence> Store::clean_end(const Turn& turn, Sequence boundary) {
  const Sequence limit = std::min(boundary, settled(turn.position));
  Rows range = MAKEGOOD_TRY(connection_.query(sql::clean_range, cleaned_to_, limit, turn.clean->rows_max));
  range.next();
  return range.is_null(0) ? cleaned_to_ : range.integer(0);
}

/// Ended exceptions, and the messages that were kept for them alone.
Result<> Store::clean_parked(std::string_view sql, TimePoint before, std::size_t rows_max) {
  Array removed(Type::bigint);
  Rows rows = MAKEGOOD_TRY(connection_.query(sql, before, rows_max));
  while (rows.next()) removed.add(rows.integer(0));
  if (removed.is_empty()) return {};
  return connection_.execute(sql::clean_kept, removed);
}

}  // namespace makegood::postgres
