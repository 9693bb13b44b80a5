#include "stores/postgres/borrowed.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <atomic>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/failure.hpp"
#include "stores/postgres/pooler.hpp"

namespace makegood::postgres {
namespace {

constexpr int in_binary = 1;

/// A session has one space for the names of all statements.
std::string new_statement_name() {
  static std::atomic<unsigned> count = 0;
  return fmt::format("makegood_enqueue_{}", ++count);
}

}  // namespace

bool is_success(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

void doom(PGconn* connection) {
  if (PQtransactionStatus(connection) != PQTRANS_INTRANS) return;
  ResultPtr(PQexec(connection, std::string(sql::doom).c_str()));
}

Borrowed::~Borrowed() {
  for (const auto& [sql, name] : names_) {
    const ResultPtr result(PQexec(connection_, fmt::format("DEALLOCATE {}", name).c_str()));
  }
}

Result<Rows> Borrowed::run(std::string_view sql, const Parameters& parameters) {
  const std::string* name = MAKEGOOD_TRY(may_prepare()) ? MAKEGOOD_TRY(prepared(sql, parameters)) : nullptr;
  const Parameters::Pointers values = parameters.pointers();
  ResultPtr result(name != nullptr
                       ? PQexecPrepared(connection_, name->c_str(), parameters.count(), values.values.data(),
                                        values.lengths.data(), values.formats.data(), in_binary)
                       : PQexecParams(connection_, outbox_.into(sql).c_str(), parameters.count(), parameters.types(),
                                      values.values.data(), values.lengths.data(), values.formats.data(), in_binary));
  if (!is_success(result.get())) return failure(result.get());
  return Rows(std::move(result));
}

/// Behind a pooler the next transaction may be on a session that knows nothing of it, or has another's of that name.
Result<bool> Borrowed::may_prepare() {
  if (may_prepare_ && !is_examined_) may_prepare_ = !MAKEGOOD_TRY(is_pooled(connection_));
  is_examined_ = true;
  return may_prepare_;
}

Result<const std::string*> Borrowed::prepared(std::string_view sql, const Parameters& parameters) {
  const auto known = names_.find(sql.data());
  if (known != names_.end()) return &known->second;
  std::string name = new_statement_name();
  const ResultPtr result(
      PQprepare(connection_, name.c_str(), outbox_.into(sql).c_str(), parameters.count(), parameters.types()));
  if (!is_success(result.get())) return failure(result.get());
  return &names_.emplace(sql.data(), std::move(name)).first->second;
}

}  // namespace makegood::postgres
