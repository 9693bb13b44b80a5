#include "stores/postgres/pooler.hpp"

#include <libpq-fe.h>

#include <string>
#include <string_view>

#include "stores/postgres/failure.hpp"
#include "stores/postgres/rows.hpp"

namespace makegood::postgres {

/// A pooler tells an identity of its own, not that of the server's process.
Result<bool> is_pooled(pg_conn* connection) {
  const ResultPtr result(PQexec(connection, "SELECT pg_catalog.pg_backend_pid()"));
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) return failure(result.get());
  const std::string_view process = PQgetvalue(result.get(), 0, 0);
  return process != std::to_string(PQbackendPID(connection));
}

}  // namespace makegood::postgres
