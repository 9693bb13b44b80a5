// One look is one snapshot. It takes no lock, so it never waits for a producer and no producer waits for it.
#include <fmt/format.h>

#include <algorithm>

#include "base/log_mark.hpp"
#include "base/log_row.hpp"
#include "base/parked_row.hpp"
#include "base/request_row.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sql/transaction.hpp"
#include "stores/sqlite/json_array.hpp"
#include "stores/sqlite/log_reader.hpp"
#include "stores/sqlite/store.hpp"

namespace makegood::sqlite {
namespace {

constexpr std::size_t requests_max = 100;

Error outrun(const LookFor& wanted, std::string_view why) {
  return {Errc::fenced, "The store has other turns than its owner remembers; the lane has to be taken anew.",
          fmt::format("owner {}, after turn {}: {}", wanted.owner, wanted.after, why)};
}

}  // namespace

struct Store::Heads {
  Sequence highest = 0;  ///< That is visible.
  LogMark mark;          ///< Of the last turn.
  LogSight seen;
};

Result<Found> Store::look(const LookFor& wanted) {
  Found found;
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_read(connection_));
  const std::int64_t version = MAKEGOOD_TRY(connection_.number(sql::data_version));
  const Heads heads = MAKEGOOD_TRY(read_heads(wanted, found));
  MAKEGOOD_TRY(read_requests(found));
  found.trouble = compare(heads.mark, heads.seen);
  if (!is_readable(heads.mark, found.trouble)) {
    if (wants_first_row(found.requests)) found.first_row = MAKEGOOD_TRY(connection_.number(sql::first_row));
    found = requests_alone(wanted, std::move(found));
  } else {
    if (found.counter < wanted.reached) return outrun(wanted, "the counter is below what was read");
    MAKEGOOD_TRY(read_rows(wanted, heads.highest, found));
    for (const LookFor::Side& side : wanted.sides) MAKEGOOD_TRY(read_side(side, wanted.open, found));
    for (const LookFor::Due& due : wanted.due) MAKEGOOD_TRY(read_due(due, wanted.owner, found));
  }
  MAKEGOOD_TRY(transaction.commit());
  seen_version_ = version;
  return found;
}

Result<Store::Heads> Store::read_heads(const LookFor& wanted, Found& found) {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::look_heads, lane_));
  MAKEGOOD_TRY(rows.next());
  found.counter = rows.integer(0);
  found.now = store_time(clock_.now(), rows.time(2));
  const bool is_last = rows.integer(3) == wanted.after && rows.text(4) == wanted.owner;
  if (wanted.after > 0 && !is_last) return outrun(wanted, "another turn is the last");
  Heads heads{.highest = rows.integer(1), .mark = MAKEGOOD_TRY(read_mark(rows, 6)), .seen = {}};
  heads.seen = {.reached = rows.integer(5), .counter = found.counter, .highest = heads.highest};
  if (!rows.is_null(11)) heads.seen.anchor_event = rows.text(11);
  MAKEGOOD_TRY(rows.finish());
  if (wanted.is_thorough && heads.mark.cleaned > 0) {
    const Sequence first = MAKEGOOD_TRY(connection_.number(sql::first_row));
    heads.seen.has_row_in_cleaned = first > 0 && first <= heads.mark.cleaned;
  }
  return heads;
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
    MessagePtr message = MAKEGOOD_TRY(read_one(parked));
    found.due.push_back({.parked = std::move(parked), .message = std::move(message)});
  }
  return {};
}

/// From the log or from what was kept of it; null when it is in neither, even if another has its number now.
Result<MessagePtr> Store::read_one(const Parked& parked) {
  Rows row = MAKEGOOD_TRY(connection_.query(sql::read_number, parked.sequence));
  const bool is_in_log = MAKEGOOD_TRY(row.next()) && row.text(event_id_column) == parked.event_id;
  if (is_in_log) return read_message(row);
  Rows kept = MAKEGOOD_TRY(connection_.query(sql::read_kept, parked.sequence, parked.event_id));
  return MAKEGOOD_TRY(kept.next()) ? read_message(kept) : MessagePtr();
}

Result<> Store::read_requests(Found& found) {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::read_requests, static_cast<std::int64_t>(requests_max)));
  while (MAKEGOOD_TRY(rows.next())) {
    Request request{.id = rows.integer(parked_columns), .asked = MAKEGOOD_TRY(read_asked(rows, parked_columns + 1))};
    const bool has_row = !rows.is_null(0);
    if (has_row) request.row = MAKEGOOD_TRY(read_parked(rows));
    found.requests.push_back(std::move(request));
  }
  for (Request& request : found.requests) {
    if (request.asked.kind == RequestKind::cancel_message) MAKEGOOD_TRY(read_all_about(request));
    if (request.asked.kind == RequestKind::rewind) MAKEGOOD_TRY(read_put_away(request));
  }
  return {};
}

Result<> Store::read_put_away(Request& request) {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::put_away));
  while (MAKEGOOD_TRY(rows.next())) request.rows.push_back(MAKEGOOD_TRY(read_parked(rows)));
  return {};
}

/// The message that has the number now, or was kept of it, and its parked deliveries to whatever destination.
Result<> Store::read_all_about(Request& request) {
  const Sequence sequence = request.asked.sequence;
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::read_dead_letter, sequence, std::string_view()));
  while (MAKEGOOD_TRY(rows.next())) request.rows.push_back(MAKEGOOD_TRY(read_parked(rows)));
  Rows row = MAKEGOOD_TRY(connection_.query(sql::read_number, sequence));
  if (MAKEGOOD_TRY(row.next())) {
    request.message = read_message(row);
  } else if (!request.rows.empty()) {
    request.message = MAKEGOOD_TRY(read_one(request.rows.front()));
  }
  return {};
}

}  // namespace makegood::sqlite
