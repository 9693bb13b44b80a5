// One look is one snapshot. It takes no lock, so it never waits for a producer and no producer waits for it.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>

#include "base/log_row.hpp"
#include "base/parked_row.hpp"
#include "base/request_row.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/log_reader.hpp"
#include "stores/sqlite/store.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {
namespace {

constexpr std::size_t requests_max = 100;

bool has_rewind(const std::vector<Request>& requests) {
  return std::ranges::any_of(requests, [](const Request& r) { return r.asked.kind == RequestKind::rewind; });
}

/// What a look answers when all it may tell is that a rewind was asked for.
void leave_all_unread(const LookFor& wanted, Found& found) {
  for (const LookFor::Side& side : wanted.sides) {
    found.sides.push_back({.looked_to = side.reached, .rows = {}, .unread = side.numbers});
  }
}

std::string json_array_of(const std::vector<std::string>& texts) {
  rapidjson::StringBuffer json;
  rapidjson::Writer<rapidjson::StringBuffer> writer(json);
  writer.StartArray();
  for (const std::string& text : texts) writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  writer.EndArray();
  return {json.GetString(), json.GetSize()};
}

}  // namespace

Result<Found> Store::look(const LookFor& wanted) {
  Found found;
  auto transaction = MAKEGOOD_TRY(Transaction::begin_read(connection_));
  const std::int64_t version = MAKEGOOD_TRY(connection_.number(sql::data_version));
  const Sequence highest = MAKEGOOD_TRY(read_heads(found));
  MAKEGOOD_TRY(read_requests(found));
  const bool is_behind = found.counter < wanted.reached;
  if (is_behind && !has_rewind(found.requests)) {
    return Error{
        Errc::counter_behind,
        "The database's counter is below what was already delivered: it was restored from an older copy. To deliver "
        "from there again, run `makegood outbox rewind`."};
  }
  found.looked_to = wanted.reached;
  if (is_behind) {
    leave_all_unread(wanted, found);
  } else {
    MAKEGOOD_TRY(read_rows(wanted, highest, found));
    for (const LookFor::Side& side : wanted.sides) MAKEGOOD_TRY(read_side(side, wanted.open, found));
    for (const LookFor::Due& due : wanted.due) MAKEGOOD_TRY(read_due(due, wanted.owner, found));
  }
  MAKEGOOD_TRY(transaction.commit());
  seen_version_ = version;
  return found;
}

/// Answers the highest number that is visible.
Result<Sequence> Store::read_heads(Found& found) {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::look_heads));
  MAKEGOOD_TRY(rows.next());
  found.counter = rows.integer(0);
  const Sequence highest = rows.integer(1);
  found.now = store_time(rows.integer_or_null(2));
  if (highest <= found.counter) return highest;
  return Error{Errc::store_corrupt,
               "The log holds a number that the database never drew; remove that row, or set the counter right."};
}

Result<> Store::read_rows(const LookFor& wanted, Sequence highest, Found& found) {
  LogReader reader(connection_, {wanted.rows_max, wanted.bytes_max, wanted.passed_max});
  reader.rows.reserve(std::min<std::size_t>(wanted.rows_max, 1024));
  MAKEGOOD_TRY(reader.read_numbers(wanted.numbers));
  const LogRange beyond{.after = wanted.reached, .until = wanted.is_reading_on ? highest : wanted.reached};
  if (wanted.filter) {
    MAKEGOOD_TRY(reader.read_beyond(beyond, *wanted.filter, {}));
  } else {
    MAKEGOOD_TRY(reader.read_beyond(beyond));
  }
  found.is_more = !reader.unread.empty() || (wanted.is_reading_on && highest > reader.looked_to);
  // One writer at a time: a number that the counter has passed and that is not there will never be.
  found.looked_to = found.is_more || !wanted.is_reading_on ? reader.looked_to : std::max(found.counter, wanted.reached);
  found.rows = std::move(reader.rows);
  found.unread = std::move(reader.unread);
  return {};
}

/// A number that was open until now is the main lane's, which hands it over.
Result<> Store::read_side(const LookFor::Side& wanted, const NumberSet& open, Found& found) {
  LogReader reader(connection_, {wanted.rows_max, wanted.bytes_max, wanted.passed_max});
  MAKEGOOD_TRY(reader.read_numbers(wanted.numbers));
  MAKEGOOD_TRY(reader.read_beyond({.after = wanted.reached, .until = wanted.until}, wanted.filter, open));
  found.is_more = found.is_more || reader.is_cut;
  found.sides.push_back(
      {.looked_to = reader.looked_to, .rows = std::move(reader.rows), .unread = std::move(reader.unread)});
  return {};
}

Result<Rows> Store::waiting(const LookFor::Due& wanted, const Owner& owner) {
  const std::int64_t rows_max = static_cast<std::int64_t>(wanted.rows_max) + 1;
  if (wanted.without_tenants.empty()) return connection_.query(sql::read_waiting, wanted.destination, owner, rows_max);
  return connection_.query(sql::read_waiting_without, wanted.destination, owner, rows_max,
                           json_array_of(wanted.without_tenants));
}

Result<> Store::read_due(const LookFor::Due& wanted, const Owner& owner, Found& found) {
  Rows rows = MAKEGOOD_TRY(waiting(wanted, owner));
  // By their time: the first one that is not returned is the next.
  for (std::size_t count = 0; MAKEGOOD_TRY(rows.next()); ++count) {
    Parked parked = MAKEGOOD_TRY(read_parked(rows));
    const bool is_due = parked.due_at <= found.now;
    if (!is_due || count == wanted.rows_max) {
      found.next_due.push_back({.destination = wanted.destination, .due_at = parked.due_at});
      found.is_more = found.is_more || is_due;
      break;
    }
    MessagePtr message = MAKEGOOD_TRY(read_one(parked.sequence));
    found.due.push_back({.parked = std::move(parked), .message = std::move(message)});
  }
  return {};
}

/// From the log or from what was kept of it; null when somebody has deleted it from both.
Result<MessagePtr> Store::read_one(Sequence sequence) {
  for (const std::string_view sql : {sql::read_number, sql::read_kept}) {
    Rows rows = MAKEGOOD_TRY(connection_.query(sql, sequence));
    if (MAKEGOOD_TRY(rows.next())) return read_message(rows);
  }
  return MessagePtr();
}

Result<> Store::read_requests(Found& found) {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::read_requests, static_cast<std::int64_t>(requests_max)));
  while (MAKEGOOD_TRY(rows.next())) {
    Request request{.id = rows.integer(parked_columns), .asked = MAKEGOOD_TRY(read_asked(rows, parked_columns + 1))};
    const bool has_row = !rows.is_null(0);
    if (has_row) request.row = MAKEGOOD_TRY(read_parked(rows));
    found.requests.push_back(std::move(request));
  }
  return {};
}

}  // namespace makegood::sqlite
