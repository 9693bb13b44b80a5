// Idempotency inside the caller's own PostgreSQL transaction, on the caller's own connection.
#pragma once

#include "makegood/idempotency.hpp"
#include "makegood/inbox.hpp"

struct pg_conn;  ///< What libpq calls PGconn.

namespace makegood::postgres {

/// `claim` and `once` wait until another transaction that has the key ends; they are never told that it is busy with
/// it. Under REPEATABLE READ the second one fails with Errc::store_unavailable (40001): roll back and try again. After
/// any error the transaction can only be rolled back. One thread at a time; destroy it before the connection is closed.
class Keys {
 public:
  struct Options {
    std::string schema = {};  ///< Empty: whatever the search path says.
    /// Keep statements prepared in the session; behind a pooler nothing is kept.
    bool may_prepare = true;
    ResultLimits limits = {};
    std::shared_ptr<const Seal> seal = {};  ///< Null: answers are stored as they are.
  };
  static Result<Keys> open(pg_conn* connection, const Options& options);
  static Result<Keys> open(pg_conn* connection) { return open(connection, Options{}); }
  Keys(Keys&&) noexcept;
  Keys& operator=(Keys&&) noexcept;
  ~Keys();

  /// The claim counts from the caller's commit on.
  Result<ClaimAnswer> claim(const ClaimRequest& request);
  /// Claim and finish in one: fresh means that the effect belongs into this very transaction. No lease, no token.
  Result<ClaimAnswer> once(const ClaimRequest& request, const StoredResult& result = {});
  /// Errc::fenced when the token is stale or its key is finished already: the transaction must not commit. On SQLite it
  /// is rolled back at once.
  Result<> finish(const ClaimToken& claim, const StoredResult& result = {});
  Result<> fail(const ClaimToken& claim, const Failure& failure);

  /// Whether the consumer has applied this event. Fresh: apply it in this very transaction.
  Result<Seen> seen(const InboxEvent& event);

 private:
  class Statements;
  explicit Keys(std::unique_ptr<Statements> statements);
  std::unique_ptr<Statements> statements_;
};

}  // namespace makegood::postgres
