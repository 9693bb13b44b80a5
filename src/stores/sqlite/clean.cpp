// The cleaner goes by position and by the clock of turns, never by when a message was created: a row may be old when it
// appears. Each step is bounded and part of a turn, so the owner's own position is its upper end.
#include <algorithm>

#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/store.hpp"

namespace makegood::sqlite {
namespace {

/// A message takes a few turns at most when little is going on; so turns leave as fast as rows do.
constexpr std::int64_t turns_per_row = 4;
constexpr std::int64_t turns_min = 1000;

std::int64_t milliseconds_of(Duration duration) {
  return std::chrono::floor<std::chrono::milliseconds>(duration).count();
}

}  // namespace

Result<std::size_t> Store::clean(const Turn& turn, std::int64_t at) {
  const Clean& step = *turn.clean;
  const auto rows_max = static_cast<std::int64_t>(step.rows_max);
  const std::int64_t turns_max = std::max(turns_min, rows_max * turns_per_row);
  const std::int64_t before = at - milliseconds_of(step.retention);
  std::size_t cleaned = 0;

  Rows boundary = MAKEGOOD_TRY(connection_.query(sql::clean_boundary, before, turns_max));
  MAKEGOOD_TRY(boundary.next());
  if (!boundary.is_null(0)) {
    const TurnNumber last_old = boundary.integer(1);
    cleaned = MAKEGOOD_TRY(clean_log(std::min(boundary.integer(0), settled(turn.position)), rows_max));
    MAKEGOOD_TRY(connection_.execute(sql::clean_turns, last_old, turns_max));
  }
  MAKEGOOD_TRY(clean_parked(sql::clean_done, before, rows_max));
  if (step.dead_retention > Duration::zero()) {
    MAKEGOOD_TRY(clean_parked(sql::clean_dead, at - milliseconds_of(step.dead_retention), rows_max));
  }
  MAKEGOOD_TRY(connection_.execute(sql::clean_requests, before, rows_max));
  MAKEGOOD_TRY(connection_.execute(sql::retire_routings, turn.oldest_routing, rows_max));
  MAKEGOOD_TRY(connection_.execute(sql::clean_routings, turn.oldest_routing, rows_max));
  return cleaned;
}

Result<std::size_t> Store::clean_log(Sequence boundary, std::int64_t rows_max) {
  Rows range = MAKEGOOD_TRY(connection_.query(sql::clean_range, boundary, rows_max));
  MAKEGOOD_TRY(range.next());
  if (range.is_null(0)) return std::size_t{0};
  MAKEGOOD_TRY(connection_.execute(sql::keep_messages, range.integer(0), range.integer(1)));
  MAKEGOOD_TRY(connection_.execute(sql::clean_log, range.integer(0), range.integer(1)));
  return static_cast<std::size_t>(range.integer(2));
}

/// Ended exceptions, and the messages that were kept for them alone.
Result<> Store::clean_parked(std::string_view sql, std::int64_t before, std::int64_t rows_max) {
  std::vector<Sequence> removed;
  Rows rows = MAKEGOOD_TRY(connection_.query(sql, before, rows_max));
  while (MAKEGOOD_TRY(rows.next())) removed.push_back(rows.integer(0));
  for (const Sequence sequence : removed) MAKEGOOD_TRY(connection_.execute(sql::clean_kept, sequence));
  return {};
}

}  // namespace makegood::sqlite
