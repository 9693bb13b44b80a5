// A transaction that is rolled back unless it is committed.
#pragma once

#include "stores/sql/database.hpp"

namespace makegood::relational {

class Transaction {
 public:
  static Result<Transaction> begin_read(Database& database);
  static Result<Transaction> begin_write(Database& database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;

  /// Errc::in_doubt: it may have happened.
  Result<> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;  ///< Null when there is nothing to roll back.
};

}  // namespace makegood::relational
