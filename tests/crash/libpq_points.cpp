// libpq has no hooks, so its functions have a double here: the program's own symbols come before those of the library.
// Statements go to the server in batches. One begins when its batch is complete and about to be sent, and ends when the
// server's answer to all of it is there: in between the process can die, and the server does what it was told.
#include <dlfcn.h>
#include <libpq-fe.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "makegood/spi/assert.hpp"
#include "tests/crash/failpoints.hpp"
#include "tests/crash/statement_points.hpp"

namespace makegood::crash {
namespace {

struct Batch {
  std::vector<std::string> statements = {};
  bool is_complete = false;
  bool is_sent = false;
};

std::atomic<bool> is_watching = false;

// Guarded by mutex; a batch belongs to the thread that uses its connection.
std::mutex libpq_mutex;
std::map<std::pair<const PGconn*, std::string>, std::string> prepared;
std::map<const PGconn*, Batch> batches;

bool is_watched() { return is_watching && !Step::current().empty(); }

Batch& batch_of(const PGconn* connection) {
  const std::scoped_lock lock(libpq_mutex);
  return batches[connection];
}

/// The library's own function of this name.
template <class Function>
Function* real(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  MAKEGOOD_ASSERT(found != nullptr);
  return reinterpret_cast<Function*>(found);
}

bool is_commit(std::string_view sql) { return sql.starts_with("COMMIT"); }

void begin_all(const std::vector<std::string>& statements) {
  for (const std::string& sql : statements) {
    if (is_commit(sql)) pass_in_step("committing");
    pass_statement(Moment::begins, sql);
  }
}

/// What was committed together with others has no point of its own.
void end_all(const std::vector<std::string>& statements, const PGconn* connection) {
  const bool is_inside = PQtransactionStatus(connection) == PQTRANS_INTRANS;
  for (const std::string& sql : statements) {
    if (is_inside || is_commit(sql)) pass_statement(Moment::ends, sql);
  }
}

}  // namespace

void watch_libpq() { is_watching = true; }

}  // namespace makegood::crash

namespace crash = makegood::crash;

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): libpq writes its names in another way.
extern "C" {

int PQsendPrepare(PGconn* connection, const char* name, const char* sql, int count, const Oid* types) {
  static const auto next = crash::real<decltype(PQsendPrepare)>("PQsendPrepare");
  {
    const std::scoped_lock lock(crash::libpq_mutex);
    crash::prepared[{connection, name}] = sql;
  }
  return next(connection, name, sql, count, types);
}

int PQsendQueryPrepared(PGconn* connection, const char* name, int count, const char* const* values, const int* lengths,
                        const int* formats, int result_format) {
  static const auto next = crash::real<decltype(PQsendQueryPrepared)>("PQsendQueryPrepared");
  {
    const std::scoped_lock lock(crash::libpq_mutex);
    crash::batches[connection].statements.push_back(crash::prepared[{connection, name}]);
  }
  return next(connection, name, count, values, lengths, formats, result_format);
}

int PQpipelineSync(PGconn* connection) {
  static const auto next = crash::real<decltype(PQpipelineSync)>("PQpipelineSync");
  crash::Batch& batch = crash::batch_of(connection);
  if (crash::is_watched()) crash::begin_all(batch.statements);
  const int is_done = next(connection);
  batch.is_complete = true;
  return is_done;
}

int PQflush(PGconn* connection) {
  static const auto next = crash::real<decltype(PQflush)>("PQflush");
  const int left = next(connection);
  crash::Batch& batch = crash::batch_of(connection);
  if (left == 0 && batch.is_complete && !batch.is_sent) {
    batch.is_sent = true;
    if (crash::is_watched()) {
      crash::pass(crash::any_call);
      crash::pass_in_step("unanswered");
    }
  }
  return left;
}

PGresult* PQgetResult(PGconn* connection) {
  static const auto next = crash::real<decltype(PQgetResult)>("PQgetResult");
  PGresult* const result = next(connection);
  if (result == nullptr || PQresultStatus(result) != PGRES_PIPELINE_SYNC) return result;
  const crash::Batch batch = std::exchange(crash::batch_of(connection), {});
  if (crash::is_watched()) crash::end_all(batch.statements, connection);
  return result;
}

PGresult* PQexec(PGconn* connection, const char* sql) {
  static const auto next = crash::real<decltype(PQexec)>("PQexec");
  if (!crash::is_watched()) return next(connection, sql);
  const auto send = [&] { MAKEGOOD_ASSERT(PQsendQuery(connection, sql) == 1 && PQflush(connection) == 0); };
  crash::begin_all({sql});
  crash::pass(crash::any_call, send);
  crash::pass_in_step("unanswered", send);
  PGresult* const result = next(connection, sql);
  crash::end_all({sql}, connection);
  return result;
}
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
