#include "stores/postgres/waiting_reader.hpp"

#include <algorithm>
#include <utility>

#include "base/log_row.hpp"
#include "base/parked_row.hpp"
#include "base/request_row.hpp"
#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {

Result<> WaitingReader::read_due(const LookFor::Due& wanted, Rows rows, Found& found) {
  // By their time: the first one that is not returned is the next.
  for (std::size_t count = 0; rows.next(); ++count) {
    Parked parked = MAKEGOOD_TRY(read_parked(rows));
    const bool is_due = parked.due_at <= found.now;
    if (!is_due || count == wanted.rows_max) {
      found.next_due.push_back({.destination = wanted.destination, .due_at = parked.due_at});
      found.is_more = found.is_more || is_due;
      break;
    }
    MessagePtr message = MAKEGOOD_TRY(read_message_of(parked));
    found.due.push_back({.parked = std::move(parked), .message = std::move(message)});
  }
  return {};
}

/// From the log or from what was kept of it; null when it is in neither, even if another has its number now.
Result<MessagePtr> WaitingReader::read_message_of(const Parked& parked) {
  MessagePtr message = MAKEGOOD_TRY(contents_.message(parked.sequence));
  if (message && message->event_id == parked.event_id) return message;
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::read_kept, parked.sequence, parked.event_id));
  return rows.next() ? read_message(rows) : MessagePtr();
}

Result<> WaitingReader::read_requests(Rows rows, Found& found) {
  while (rows.next()) {
    Request request{.id = rows.integer(parked_columns), .asked = MAKEGOOD_TRY(read_asked(rows, parked_columns + 1))};
    const bool has_row = !rows.is_null(0);
    if (has_row) request.row = MAKEGOOD_TRY(read_parked(rows));
    found.requests.push_back(std::move(request));
  }
  return {};
}

Result<> WaitingReader::read_subjects(std::vector<Request>& requests) {
  for (Request& request : requests) {
    if (request.asked.kind == RequestKind::cancel_message) MAKEGOOD_TRY(read_all_about(request));
    if (request.asked.kind == RequestKind::rewind) MAKEGOOD_TRY(read_put_away(request));
  }
  return {};
}

/// The message that has the number now, or was kept of it, and its parked deliveries to whatever destination.
Result<> WaitingReader::read_all_about(Request& request) {
  Array numbers(Type::bigint);
  numbers.add(request.asked.sequence);
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::parked_of, numbers));
  while (rows.next()) request.rows.push_back(MAKEGOOD_TRY(read_parked(rows)));
  request.message = MAKEGOOD_TRY(contents_.message(request.asked.sequence));
  if (request.message == nullptr && !request.rows.empty()) {
    request.message = MAKEGOOD_TRY(read_message_of(request.rows.front()));
  }
  std::erase_if(request.rows, [&](const Parked& row) {
    return request.message != nullptr && row.event_id != request.message->event_id;
  });
  return {};
}

Result<> WaitingReader::read_put_away(Request& request) {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::put_away));
  while (rows.next()) request.rows.push_back(MAKEGOOD_TRY(read_parked(rows)));
  return {};
}

}  // namespace makegood::postgres
