// One look is one snapshot. It takes no lock, so it never waits for a producer and no producer waits for it.
#include <algorithm>

#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/message_row.hpp"
#include "stores/sqlite/parked_row.hpp"
#include "stores/sqlite/store.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {
namespace {

constexpr std::size_t requests_max = 100;

bool has_rewind(const std::vector<Request>& requests) {
  return std::ranges::any_of(requests, [](const Request& r) { return r.asked.kind == RequestKind::rewind; });
}

}  // namespace

/// What may still be read from the log in this look. The first row always fits; after one that does not, nothing does,
/// so that no row passes another.
class Store::Room {
 public:
  Room(std::size_t rows_max, std::size_t bytes_max) : rows_left_(rows_max), bytes_left_(bytes_max) {}

  bool is_left() const { return rows_left_ > 0; }
  std::size_t rows_left() const { return rows_left_; }
  /// False: it does not fit.
  bool take_in(MessagePtr message, std::vector<MessagePtr>& rows) {
    const std::size_t bytes = bytes_of(*message);
    if (!rows.empty() && bytes > bytes_left_) {
      rows_left_ = 0;
      return false;
    }
    --rows_left_;
    bytes_left_ -= std::min(bytes_left_, bytes);
    rows.push_back(std::move(message));
    return true;
  }

 private:
  std::size_t rows_left_;
  std::size_t bytes_left_;
};

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
  if (!is_behind) {
    MAKEGOOD_TRY(read_rows(wanted, highest, found));
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
  Room room(wanted.rows_max, wanted.bytes_max);
  found.rows.reserve(std::min<std::size_t>(wanted.rows_max, 1024));
  MAKEGOOD_TRY(read_numbers(wanted, room, found));
  if (!found.unread.empty()) {
    found.is_more = true;
    return {};
  }
  MAKEGOOD_TRY(read_beyond(wanted, room, found));
  const Sequence last = found.rows.empty() ? wanted.reached : std::max(wanted.reached, found.rows.back()->sequence);
  found.is_more = highest > last;
  // One writer at a time: a number that the counter has passed and that is not there will never be.
  found.looked_to = found.is_more ? last : std::max(found.counter, wanted.reached);
  return {};
}

Result<> Store::read_numbers(const LookFor& wanted, Room& room, Found& found) {
  for (const Sequence number : wanted.numbers) {
    if (!room.is_left()) {
      found.unread.push_back(number);
      continue;
    }
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::read_number, number));
    if (!MAKEGOOD_TRY(rows.next())) continue;
    if (!room.take_in(read_message(rows), found.rows)) found.unread.push_back(number);
  }
  return {};
}

Result<> Store::read_beyond(const LookFor& wanted, Room& room, Found& found) {
  if (!room.is_left()) return {};
  Rows rows =
      MAKEGOOD_TRY(connection_.query(sql::read_beyond, wanted.reached, static_cast<std::int64_t>(room.rows_left())));
  while (room.is_left() && MAKEGOOD_TRY(rows.next())) room.take_in(read_message(rows), found.rows);
  return {};
}

Result<> Store::read_due(const LookFor::Due& wanted, const Owner& owner, Found& found) {
  Rows rows = MAKEGOOD_TRY(
      connection_.query(sql::read_waiting, wanted.destination, owner, static_cast<std::int64_t>(wanted.rows_max) + 1));
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
    const auto kind = request_kind_from(rows.text(parked_columns + 1));
    if (!kind) {
      return Error{Errc::schema_mismatch,
                   "A request is of a kind that this version does not know; run a newer makegood.",
                   std::string(rows.text(parked_columns + 1))};
    }
    Request request{.id = rows.integer(parked_columns),
                    .asked = {.kind = *kind,
                              .sequence = rows.integer(parked_columns + 2),
                              .destination = std::string(rows.text(parked_columns + 3)),
                              .operator_name = std::string(rows.text(parked_columns + 4)),
                              .reason = std::string(rows.text(parked_columns + 5))}};
    const bool has_row = !rows.is_null(0);
    if (has_row) request.row = MAKEGOOD_TRY(read_parked(rows));
    found.requests.push_back(std::move(request));
  }
  return {};
}

}  // namespace makegood::sqlite
