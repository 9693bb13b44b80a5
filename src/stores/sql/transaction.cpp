#include "stores/sql/transaction.hpp"

namespace makegood::relational {

Result<Transaction> Transaction::begin_read(Database& database) {
  Transaction transaction(database);  // Also when only half of it succeeds.
  MAKEGOOD_TRY(database.begin_read());
  return transaction;
}

Result<Transaction> Transaction::begin_write(Database& database) {
  Transaction transaction(database);
  MAKEGOOD_TRY(database.begin_write());
  return transaction;
}

Transaction::~Transaction() {
  if (database_ != nullptr) database_->roll_back();
}

Result<> Transaction::commit() {
  MAKEGOOD_TRY(database_->commit());
  database_ = nullptr;
  return {};
}

}  // namespace makegood::relational
