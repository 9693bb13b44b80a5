// The barrier on a connection that belongs to somebody else, and in a transaction that only that somebody ends.
#include <sqlite3.h>

#include "makegood/sqlite_saga.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sql/barrier_table.hpp"
#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {
namespace {

constexpr relational::BarrierStatements barrier_statements = relational::barrier_statements_in<sql>();

Result<Connection> borrowed_for_barrier(sqlite3* db) {
  return Connection::borrow(db, MAKEGOOD_TRY(Identifier::from("saga_barrier")));
}

}  // namespace

class Barrier::Statements {
 public:
  explicit Statements(Connection connection)
      : connection_(std::move(connection)), table_(connection_, barrier_statements) {}

  /// What is not definite must take the transaction with it: whoever overlooks it would commit half of it.
  Result<SagaStepResult> run(const std::function<Result<SagaStepResult>(relational::BarrierTable&)>& ask) {
    if (!connection_.is_in_transaction()) {
      return Error{Errc::not_in_transaction,
                   "There is no transaction: it was never begun, or SQLite rolled it back, so this would stand alone."};
    }
    try {
      auto result = ask(table_);
      if (!relational::is_definite(result)) connection_.roll_back();
      return result;
    } catch (...) {
      connection_.roll_back();
      throw;
    }
  }

 private:
  Connection connection_;
  relational::BarrierTable table_;
};

Barrier::Barrier(std::unique_ptr<Statements> statements) : statements_(std::move(statements)) {}
Barrier::~Barrier() = default;
Barrier::Barrier(Barrier&&) noexcept = default;
Barrier& Barrier::operator=(Barrier&&) noexcept = default;

Result<Barrier> Barrier::open(sqlite3* db) {
  return Barrier(std::make_unique<Statements>(MAKEGOOD_TRY(borrowed_for_barrier(db))));
}

Result<SagaStepResult> Barrier::act(const BarrierKey& key, const BarrierEffect& effect) {
  return statements_->run([&](relational::BarrierTable& table) { return table.act(key, effect); });
}

Result<SagaStepResult> Barrier::compensate(const BarrierKey& key, const BarrierUndo& undo) {
  return statements_->run([&](relational::BarrierTable& table) { return table.compensate(key, undo); });
}

Result<> create_barrier(sqlite3* db) {
  Connection connection = MAKEGOOD_TRY(borrowed_for_barrier(db));
  return connection.execute(sql::create_barrier);
}

}  // namespace makegood::sqlite
