// The barrier on a connection that belongs to somebody else, and in a transaction that only that somebody ends.
#include <libpq-fe.h>

#include "makegood/postgres_saga.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/borrowed.hpp"
#include "stores/postgres/borrowed_database.hpp"
#include "stores/postgres/failure.hpp"
#include "stores/sql/barrier_table.hpp"

namespace makegood::postgres {
namespace {

constexpr relational::BarrierStatements barrier_statements = relational::barrier_statements_in<sql>();

}  // namespace

class Barrier::Statements {
 public:
  Statements(PGconn* connection, Identifier series)
      : database_(connection, std::move(series), true), table_(database_, barrier_statements) {}

  /// What is not definite must take the transaction with it: whoever overlooks it would commit half of it.
  Result<SagaStepResult> run(const std::function<Result<SagaStepResult>(relational::BarrierTable&)>& ask) {
    if (PQtransactionStatus(database_.handle()) == PQTRANS_IDLE) {
      return Error{Errc::not_in_transaction,
                   "There is no transaction: it was never begun, or has ended, so this would stand alone."};
    }
    try {
      auto result = ask(table_);
      if (!relational::is_definite(result)) doom(database_.handle());
      return result;
    } catch (...) {
      doom(database_.handle());
      throw;
    }
  }

 private:
  BorrowedDatabase database_;
  relational::BarrierTable table_;
};

Barrier::Barrier(std::unique_ptr<Statements> statements) : statements_(std::move(statements)) {}
Barrier::~Barrier() = default;
Barrier::Barrier(Barrier&&) noexcept = default;
Barrier& Barrier::operator=(Barrier&&) noexcept = default;

Result<Barrier> Barrier::open(pg_conn* connection) {
  return Barrier(std::make_unique<Statements>(connection, MAKEGOOD_TRY(Identifier::from("saga_barrier"))));
}

Result<SagaStepResult> Barrier::act(const BarrierKey& key, const BarrierEffect& effect) {
  return statements_->run([&](relational::BarrierTable& table) { return table.act(key, effect); });
}

Result<SagaStepResult> Barrier::compensate(const BarrierKey& key, const BarrierUndo& undo) {
  return statements_->run([&](relational::BarrierTable& table) { return table.compensate(key, undo); });
}

Result<> create_barrier(pg_conn* connection) {
  const ResultPtr result(PQexec(connection, std::string(sql::create_barrier).c_str()));
  if (!is_success(result.get())) return failure(result.get());
  return {};
}

}  // namespace makegood::postgres
