#include "stores/sql/outbox_view.hpp"

#include <algorithm>
#include <limits>

#include "base/parked_row.hpp"
#include "base/request_row.hpp"
#include "base/turn_row.hpp"
#include "base/utf8.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::relational {

Result<std::vector<Routing>> routings_in(Rows& rows) {
  std::vector<Routing> routings;
  while (MAKEGOOD_TRY(rows.next())) {
    Routing routing = MAKEGOOD_TRY(decode_routing(rows.text(2)));
    routing.version = rows.integer(0);
    routing.from = rows.integer(1);
    routings.push_back(std::move(routing));
  }
  return routings;
}

Result<std::vector<Routing>> read_routings(Database& database, RoutingsOf which) {
  const RowsPtr rows = MAKEGOOD_TRY(database.query(database.statements().read_routings, which == RoutingsOf::history));
  return routings_in(*rows);
}

Result<Standing> read_standing(Database& database, bool with_routes) {
  Position position;
  const RowsPtr last = MAKEGOOD_TRY(database.query(database.statements().newest_turn, main_lane));
  if (MAKEGOOD_TRY(last->next())) {
    const TurnRow turn = MAKEGOOD_TRY(read_turn(*last));
    position = MAKEGOOD_TRY(decode_position(turn.position));
  }
  std::vector<Routing> routings;
  if (with_routes || !position.sides.empty()) routings = MAKEGOOD_TRY(read_routings(database, RoutingsOf::history));
  return Standing(std::move(position), std::move(routings));
}

Result<std::vector<EventNumber>> read_event_numbers(Database& database, std::string_view tenant_id,
                                                    std::string_view event_id) {
  std::vector<EventNumber> numbers;
  if (!is_text(event_id)) return numbers;  // Then it is no event's id either.
  const Statements& sql = database.statements();
  const RowsPtr rows = MAKEGOOD_TRY(tenant_id.empty() ? database.query(sql.numbers_of_any_event, event_id)
                                                      : database.query(sql.numbers_of_event, tenant_id, event_id));
  while (MAKEGOOD_TRY(rows->next())) numbers.push_back({rows->integer(0), std::string(rows->text(1))});
  return numbers;
}

Result<Sequence> View::find_event(std::string_view tenant_id, std::string_view event_id) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const auto numbers = MAKEGOOD_TRY(read_event_numbers(database_, tenant_id, event_id));
  if (numbers.empty())
    return Error{Errc::not_found, "There is no message with this event id; it may have been cleaned."};
  const auto is_another = [&](const EventNumber& number) { return number.tenant_id != numbers.front().tenant_id; };
  if (std::ranges::any_of(numbers, is_another)) {
    return Error{Errc::conflict, "Several tenants have an event of this id; name the tenant."};
  }
  // An id that was used again after its message had left the log: the newer one.
  return std::ranges::max(numbers, {}, &EventNumber::sequence).sequence;
}

Result<LaneView> View::lane() {
  LaneView view;
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const RowsPtr last = MAKEGOOD_TRY(database_.query(sql().newest_turn, main_lane));
  if (MAKEGOOD_TRY(last->next())) {
    TurnRow turn = MAKEGOOD_TRY(read_turn(*last));
    view.owner = std::move(turn.tenure.owner);
    view.turn = turn.turn;
    view.at = turn.tenure.at;
    view.lease_until = turn.tenure.until;
    view.position = MAKEGOOD_TRY(decode_position(turn.position));
    view.stopped = turn.mark.stopped;
  }
  view.routings = MAKEGOOD_TRY(read_routings(database_, RoutingsOf::lanes));
  // Numbers may be drawn outside of any snapshot: read after the turn, the counter is not below what the turn has seen.
  const RowsPtr counter = MAKEGOOD_TRY(database_.one(sql().read_counter));
  view.counter = counter->integer(0);
  view.is_counter_altered = counter->integer(1) != 0;
  view.highest = counter->integer(2);
  return view;
}

Result<std::vector<BlockedKey>> View::blocked_keys(std::size_t rows_max) {
  std::vector<BlockedKey> keys;
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql().blocked_keys, rows_max));
  while (MAKEGOOD_TRY(rows->next())) {
    Parked head = MAKEGOOD_TRY(read_parked(*rows));
    keys.push_back({.head = std::move(head), .waiting_count = rows->count(parked_columns)});
  }
  return keys;
}

Result<RewindView> View::count_rewind(Sequence first) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const RowsPtr counts = MAKEGOOD_TRY(database_.one(sql().count_rewind, first, main_lane));
  return RewindView{.row_count = counts->count(0), .repeat_count = counts->count(1)};
}

Result<std::int64_t> View::request(const NewRequest& request) {
  Transaction transaction = MAKEGOOD_TRY(Transaction::begin_write(database_));
  std::optional<TimePoint> now;
  if (instead_ != nullptr) now = std::chrono::floor<std::chrono::milliseconds>(instead_->now());
  const RowsPtr row = MAKEGOOD_TRY(database_.one(sql().append_request, to_string(request.kind), request.sequence,
                                                 request.destination, request.operator_name, request.reason,
                                                 request.tenant_id, request.until, request.document, now));
  const std::int64_t id = row->integer(0);
  MAKEGOOD_TRY(row->next());  // To its end: some databases do not commit while a statement is under way.
  MAKEGOOD_TRY(transaction.commit());
  return id;
}

Result<std::optional<std::string>> View::answer_to(std::int64_t request_id) {
  const RowsPtr row = MAKEGOOD_TRY(database_.query(sql().answer_to, request_id));
  if (!MAKEGOOD_TRY(row->next())) return Error{Errc::not_found, "There is no such request."};
  const bool is_open = row->is_null(0);
  if (is_open) return std::optional<std::string>();
  return std::optional(std::string(row->text(1)));
}

Result<std::vector<RequestView>> View::list_requests(std::optional<std::int64_t> before, std::size_t rows_max) {
  std::vector<RequestView> requests;
  const RowsPtr rows = MAKEGOOD_TRY(
      database_.query(sql().list_requests, before.value_or(std::numeric_limits<std::int64_t>::max()), rows_max));
  while (MAKEGOOD_TRY(rows->next())) requests.push_back(MAKEGOOD_TRY(read_request_view(*rows)));
  return requests;
}

}  // namespace makegood::relational
