// A transaction that is rolled back unless it is committed.
#pragma once

#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

class Transaction {
 public:
  /// One snapshot for all that is read in it. Makes a new session if the last one was lost, as the other does.
  static Result<Transaction> begin_read(Connection& connection);
  /// A snapshot per statement, a commit that waits for the disk, and no endless wait for somebody else's lock.
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

/// What the answer to a run that ended with COMMIT means: done, certainly not done, or Errc::in_doubt.
Result<> check_commit(const Connection& connection, const Result<std::vector<Rows>>& answer);

}  // namespace makegood::postgres
