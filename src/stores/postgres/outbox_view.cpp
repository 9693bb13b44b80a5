#include "stores/postgres/outbox_view.hpp"

#include <algorithm>
#include <limits>

#include "base/request_row.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/dead_scan.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/postgres/routing_row.hpp"

namespace makegood::postgres {

Result<Transaction> begin_view(Connection& connection) {
  Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection));
  MAKEGOOD_TRY(connection.execute(sql::view_settings));
  return snapshot;
}

Result<Standing> read_standing(Connection& connection, bool with_routes) {
  Position position;
  Rows last = MAKEGOOD_TRY(connection.query(sql::newest_turn));
  if (last.next()) position = MAKEGOOD_TRY(decode_position(last.text(4)));
  std::vector<Routing> routings;
  if (with_routes || !position.sides.empty()) routings = MAKEGOOD_TRY(read_routings(connection, RoutingsOf::history));
  return Standing(std::move(position), std::move(routings));
}

Result<std::vector<EventNumber>> read_event_numbers(Connection& connection, std::string_view tenant_id,
                                                    std::string_view event_id) {
  std::vector<EventNumber> numbers;
  auto rows = tenant_id.empty() ? connection.query(sql::numbers_of_any_event, event_id)
                                : connection.query(sql::numbers_of_event, tenant_id, event_id);
  // What is no text to the server, because of a zero byte or another encoding, is no event's id either.
  const bool is_no_text = connection.last_state() == "22021";
  if (is_no_text) return numbers;
  if (!rows) return rows.error();
  while (rows->next()) numbers.push_back({rows->integer(0), std::string(rows->text(1))});
  return numbers;
}

Result<Sequence> View::find_event(std::string_view tenant_id, std::string_view event_id) {
  auto snapshot = MAKEGOOD_TRY(begin_view(connection_));
  const auto numbers = MAKEGOOD_TRY(read_event_numbers(connection_, tenant_id, event_id));
  if (numbers.empty())
    return Error{Errc::not_found, "There is no message with this event id; it may have been cleaned."};
  const auto is_another = [&](const EventNumber& number) { return number.tenant_id != numbers.front().tenant_id; };
  if (std::ranges::any_of(numbers, is_another)) {
    return Error{Errc::conflict, "Several tenants have an event of this id; name the tenant."};
  }
  // An id that was used again after its message had left the log: the newer one.
  return std::ranges::max(numbers, {}, &EventNumber::sequence).sequence;
}

Result<std::vector<DeadLetter>> View::list_dead(const DeadFilter& filter, const DeadCursor& after,
                                                std::size_t rows_max) {
  auto snapshot = MAKEGOOD_TRY(begin_view(connection_));
  return read_dead_letters(
      MAKEGOOD_TRY(query_dead(connection_, sql::list_dead, filter, after.sequence, after.destination, rows_max)));
}

Result<std::size_t> View::count_dead(const DeadFilter& filter) {
  auto snapshot = MAKEGOOD_TRY(begin_view(connection_));
  Rows count = MAKEGOOD_TRY(query_dead(connection_, sql::count_dead_letters, filter));
  count.next();
  return static_cast<std::size_t>(count.integer(0));
}

Result<std::vector<DeadGroup>> View::group_dead(const DeadFilter& filter, std::size_t rows_max) {
  std::vector<DeadGroup> groups;
  auto snapshot = MAKEGOOD_TRY(begin_view(connection_));
  Rows rows = MAKEGOOD_TRY(query_dead(connection_, sql::group_dead, filter, rows_max));
  while (rows.next()) {
    groups.push_back({.topic = std::string(rows.text(0)),
                      .destination = std::string(rows.text(1)),
                      .error_code = std::string(rows.text(2)),
                      .count = static_cast<std::size_t>(rows.integer(3)),
                      .first_at = rows.time(4),
                      .last_at = rows.time(5),
                      .example = rows.integer(6),
                      .example_error = std::string(rows.text(7))});
  }
  return groups;
}

Result<std::vector<RequestView>> View::list_requests(std::optional<std::int64_t> before, std::size_t rows_max) {
  std::vector<RequestView> requests;
  MAKEGOOD_TRY(connection_.reconnect_if_lost());
  Rows rows = MAKEGOOD_TRY(
      connection_.query(sql::list_requests, before.value_or(std::numeric_limits<std::int64_t>::max()), rows_max));
  while (rows.next()) requests.push_back(MAKEGOOD_TRY(read_request_view(rows)));
  return requests;
}

Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view url, std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  MAKEGOOD_TRY(check_version(connection));
  return std::unique_ptr<OutboxView>(std::make_unique<View>(std::move(connection)));
}

}  // namespace makegood::postgres
