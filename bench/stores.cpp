// Which of the two: the one that the scratch is in.
#include "bench/application.hpp"
#include "bench/bare.hpp"
#include "bench/bare_postgres.hpp"
#include "bench/bare_sqlite.hpp"

namespace makegood::bench {

std::unique_ptr<Bare> open_bare(const Scratch& scratch) {
  if (scratch.is_postgres()) return std::make_unique<BarePostgres>(scratch.url());
  return std::make_unique<BareSqlite>(scratch.database());
}

std::unique_ptr<Application> open_application(const Scratch& scratch) {
  if (scratch.is_postgres()) return std::make_unique<PostgresApplication>(scratch.url());
  return std::make_unique<SqliteApplication>(scratch.database());
}

}  // namespace makegood::bench
