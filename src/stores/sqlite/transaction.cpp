#include "stores/sqlite/transaction.hpp"

#include <sqlite3.h>

#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/failure.hpp"

namespace makegood::sqlite {

Result<Transaction> Transaction::begin_read(Connection& connection) {
  MAKEGOOD_TRY(connection.execute(sql::begin_read));
  return Transaction(connection);
}

Result<Transaction> Transaction::begin_write(Connection& connection) {
  MAKEGOOD_TRY(connection.execute(sql::begin_write));
  return Transaction(connection);
}

Transaction::~Transaction() {
  // SQLite may have rolled back by itself already, as it does when the disk is full.
  if (connection_ == nullptr || !connection_->is_in_transaction()) return;
  (void)connection_->execute(sql::rollback);
}

Result<> Transaction::commit() {
  // Rolled back by SQLite on the way: COMMIT would fail anyway, but not as what it is.
  if (!connection_->is_in_transaction()) {
    return Error{Errc::store_unavailable, "SQLite rolled the transaction back; try again."};
  }
  Rows rows = MAKEGOOD_TRY(connection_->query(sql::commit));
  if (rows.step() != SQLITE_DONE) {
    return commit_failure(connection_->handle(), sqlite3_extended_errcode(connection_->handle()));
  }
  connection_ = nullptr;
  return {};
}

}  // namespace makegood::sqlite
