#include "bench/postgres_session.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace makegood::bench {
namespace {

void ignore_notice(void* /*unused*/, const PGresult* /*notice*/) {}

}  // namespace

PostgresSession::PostgresSession(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
  if (PQstatus(handle()) != CONNECTION_OK) {
    fmt::print(stderr, "bare PostgreSQL failed: {}\n", PQerrorMessage(handle()));
    std::exit(1);
  }
  PQsetNoticeReceiver(handle(), ignore_notice, nullptr);
}

PostgresSession::Answer PostgresSession::run(const std::string& sql) { return check(PQexec(handle(), sql.c_str())); }

PostgresSession::Answer PostgresSession::check(PGresult* result) const {
  Answer answer(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return answer;
  fmt::print(stderr, "bare PostgreSQL failed: {}\n", PQerrorMessage(handle()));
  std::exit(1);
}

double PostgresSession::number(const std::string& sql) { return std::stod(PQgetvalue(run(sql).get(), 0, 0)); }

}  // namespace makegood::bench
