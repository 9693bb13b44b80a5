#include "stores/postgres/lockers.hpp"

#include <fmt/format.h>

#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {

Error blocked_by_lockers(Connection& connection, std::string_view suffix, Error error, std::string_view message) {
  auto rows = connection.query(sql::turn_lockers, connection.outbox().qualified(suffix));
  if (!rows) return error;
  error.message = message;
  while (rows->next()) {
    error.diagnostics += fmt::format("; waits for process {} ({}, {}, {})", rows->integer(0), rows->text(1),
                                     rows->text(2), rows->text(3));
  }
  return error;
}

}  // namespace makegood::postgres
