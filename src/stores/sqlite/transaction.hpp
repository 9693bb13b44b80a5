// A transaction that is rolled back unless it is committed.
#pragma once

#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

class Transaction {
 public:
  /// One snapshot; takes no lock.
  static Result<Transaction> begin_read(Connection& connection);
  /// Takes the write lock at once, so that it cannot fail half-way for lack of it.
  static Result<Transaction> begin_write(Connection& connection);
  ~Transaction();
  Transaction(Transaction&& other) noexcept : connection_(other.connection_) { other.connection_ = nullptr; }
  Transaction& operator=(Transaction&&) = delete;

  /// Errc::in_doubt: it may have happened.
  Result<> commit();

 private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}
  Connection* connection_;  ///< Null when there is nothing to roll back.
};

}  // namespace makegood::sqlite
