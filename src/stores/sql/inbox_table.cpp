#include "stores/sql/inbox_table.hpp"

namespace makegood::relational {
namespace {

Result<> check_event(const InboxEvent& event) {
  if (!event.consumer.empty() && !event.event_id.empty() && !event.tenant_id.empty()) return {};
  return Error{Errc::invalid, "An event of the inbox needs a consumer, a tenant and an event id."};
}

}  // namespace

Result<Seen> InboxTable::seen(const InboxEvent& event) {
  MAKEGOOD_TRY(check_event(event));
  const RowsPtr rows = MAKEGOOD_TRY(
      database_.query(sql_.see_event, event.consumer, event.source, event.tenant_id, event.event_id, event.event_time));
  std::string answer;
  while (MAKEGOOD_TRY(rows->next())) answer = rows->text(0);
  if (answer == to_string(Seen::fresh)) return Seen::fresh;
  if (answer == to_string(Seen::expired)) return Seen::expired;
  const RowsPtr known =
      MAKEGOOD_TRY(database_.one(sql_.has_event, event.consumer, event.source, event.tenant_id, event.event_id));
  return known->boolean(0) ? Seen::repeat : Seen::expired;
}

Result<std::vector<std::string>> InboxTable::consumers() {
  std::vector<std::string> consumers;
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql_.inbox_consumers));
  while (MAKEGOOD_TRY(rows->next())) consumers.emplace_back(rows->text(0));
  return consumers;
}

Result<std::size_t> InboxTable::purge(const std::string& consumer, Duration retention, std::size_t rows_max) {
  const std::optional<TimePoint> now = clock_ != nullptr ? std::optional(clock_->now()) : std::nullopt;
  const std::int64_t retention_ms = std::chrono::ceil<std::chrono::milliseconds>(retention).count();
  MAKEGOOD_TRY(database_.execute(sql_.raise_watermark, consumer, now, retention_ms, rows_max));
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql_.purge_inbox, consumer, rows_max));
  std::size_t count = 0;
  while (MAKEGOOD_TRY(rows->next())) ++count;
  return count;
}

}  // namespace makegood::relational
