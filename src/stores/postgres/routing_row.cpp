#include "stores/postgres/routing_row.hpp"

#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {

Result<std::vector<Routing>> read_routings(Connection& connection, RoutingsOf which) {
  std::vector<Routing> routings;
  Rows rows = MAKEGOOD_TRY(connection.query(sql::read_routings, which == RoutingsOf::history));
  while (rows.next()) {
    Routing routing = MAKEGOOD_TRY(decode_routing(rows.text(2)));
    routing.version = rows.integer(0);
    routing.from = rows.integer(1);
    routings.push_back(std::move(routing));
  }
  return routings;
}

}  // namespace makegood::postgres
