#include "stores/sqlite/dead_scan.hpp"

#include "base/log_row.hpp"
#include "base/parked_row.hpp"
#include "base/view_filter.hpp"
#include "makegood_store_sqlite_sql.hpp"

namespace makegood::sqlite {
namespace {

/// What is stored in whole milliseconds lies before such a moment exactly if it lies before this.
std::optional<std::int64_t> ceiling(const std::optional<TimePoint>& moment) {
  if (!moment) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(moment->time_since_epoch()).count();
}

}  // namespace

Result<DeadScan> DeadScan::begin(Connection& connection, const DeadFilter& filter, const DeadCursor& after) {
  const std::string_view state = filter.state ? to_string(*filter.state) : std::string_view();
  Rows rows = MAKEGOOD_TRY(connection.query(sql::list_dead, after.sequence, after.destination, filter.tenant_id,
                                            filter.destination, filter.error_code, state, ceiling(filter.changed_from),
                                            ceiling(filter.changed_until)));
  return DeadScan(connection, filter, std::move(rows));
}

Result<bool> DeadScan::next() {
  while (MAKEGOOD_TRY(rows_.next())) {
    // The topic is not in the index, so it is asked for only if it matters.
    if (filter_.topic.empty() || is_wanted_topic(filter_.topic, MAKEGOOD_TRY(topic()))) return true;
  }
  return false;
}

Result<std::string> DeadScan::topic() const {
  Rows head = MAKEGOOD_TRY(connection_.query(sql::read_head, sequence()));
  if (!MAKEGOOD_TRY(head.next())) return std::string();
  return std::string(head.text(topic_column));
}

Result<DeadLetter> read_dead_letter(Connection& connection, Sequence sequence, std::string_view destination) {
  Rows row = MAKEGOOD_TRY(connection.query(sql::read_parked, sequence, destination));
  if (!MAKEGOOD_TRY(row.next())) return Error{Errc::not_found, "There is no such parked delivery."};
  DeadLetter letter{.parked = MAKEGOOD_TRY(read_parked(row)),
                    .topic = {},
                    .event_id = {},
                    .changed_at = row.time(parked_columns),
                    .story = std::string(row.text(parked_columns + 1))};
  Rows head = MAKEGOOD_TRY(connection.query(sql::read_head, sequence));
  if (!MAKEGOOD_TRY(head.next())) return letter;
  letter.topic = head.text(topic_column);
  letter.event_id = head.text(event_id_column);
  return letter;
}

}  // namespace makegood::sqlite
