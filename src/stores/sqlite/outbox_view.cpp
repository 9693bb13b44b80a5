#include "stores/sqlite/outbox_view.hpp"

#include <algorithm>
#include <limits>

#include "base/dead_groups.hpp"
#include "base/request_row.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/dead_scan.hpp"
#include "stores/sqlite/migrate.hpp"
#include "stores/sqlite/routing_row.hpp"
#include "stores/sqlite/sqlite.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {

Result<Standing> read_standing(Connection& connection, bool with_routes) {
  Position position;
  Rows last = MAKEGOOD_TRY(connection.query(sql::last_turn));
  if (MAKEGOOD_TRY(last.next())) position = MAKEGOOD_TRY(decode_position(last.text(5)));
  std::vector<Routing> routings;
  if (with_routes || !position.sides.empty()) routings = MAKEGOOD_TRY(read_routings(connection, RoutingsOf::history));
  return Standing(std::move(position), std::move(routings));
}

Result<std::vector<EventNumber>> read_event_numbers(Connection& connection, std::string_view tenant_id,
                                                    std::string_view event_id) {
  std::vector<EventNumber> numbers;
  Rows rows = MAKEGOOD_TRY(tenant_id.empty() ? connection.query(sql::numbers_of_any_event, event_id)
                                             : connection.query(sql::numbers_of_event, tenant_id, event_id));
  while (MAKEGOOD_TRY(rows.next())) numbers.push_back({rows.integer(0), std::string(rows.text(1))});
  return numbers;
}

Result<Sequence> View::find_event(std::string_view tenant_id, std::string_view event_id) {
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
  std::vector<DeadLetter> letters;
  auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
  DeadScan scan = MAKEGOOD_TRY(DeadScan::begin(connection_, filter, after));
  while (letters.size() < rows_max && MAKEGOOD_TRY(scan.next())) {
    letters.push_back(MAKEGOOD_TRY(read_dead_letter(connection_, scan.sequence(), scan.destination())));
  }
  return letters;
}

Result<std::size_t> View::count_dead(const DeadFilter& filter) {
  std::size_t count = 0;
  auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
  DeadScan scan = MAKEGOOD_TRY(DeadScan::begin(connection_, filter));
  while (MAKEGOOD_TRY(scan.next())) ++count;
  return count;
}

Result<std::vector<DeadGroup>> View::group_dead(const DeadFilter& filter, std::size_t rows_max) {
  DeadGroups groups;
  auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
  DeadScan scan = MAKEGOOD_TRY(DeadScan::begin(connection_, filter));
  while (MAKEGOOD_TRY(scan.next())) {
    groups.add({.topic = MAKEGOOD_TRY(scan.topic()),
                .destination = std::string(scan.destination()),
                .error_code = std::string(scan.error_code())},
               scan.sequence(), scan.changed_at());
  }
  auto largest = groups.largest(rows_max);
  for (DeadGroup& group : largest) {
    group.example_error =
        MAKEGOOD_TRY(read_dead_letter(connection_, group.example, group.destination)).parked.last_error;
  }
  return largest;
}

Result<std::vector<RequestView>> View::list_requests(std::optional<std::int64_t> before, std::size_t rows_max) {
  std::vector<RequestView> requests;
  Rows rows =
      MAKEGOOD_TRY(connection_.query(sql::list_requests, before.value_or(std::numeric_limits<std::int64_t>::max()),
                                     static_cast<std::int64_t>(rows_max)));
  while (MAKEGOOD_TRY(rows.next())) requests.push_back(MAKEGOOD_TRY(read_request_view(rows)));
  return requests;
}

Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view path, std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, identifier));
  MAKEGOOD_TRY(connection.execute(sql::query_only));
  MAKEGOOD_TRY(check_version(connection));
  return std::unique_ptr<OutboxView>(std::make_unique<View>(std::move(connection)));
}

}  // namespace makegood::sqlite
