// Idempotency inside the caller's own SQLite transaction, on the caller's own connection.
#pragma once

#include "makegood/idempotency.hpp"
#include "makegood/inbox.hpp"

struct sqlite3;

namespace makegood::sqlite {

/// The transaction must have begun with BEGIN IMMEDIATE: one that has read before it writes can fail for lack of the
/// lock. After any error the transaction can only be rolled back. One thread at a time; destroy it before the
/// connection is closed.
class Keys {
 public:
  struct Options {
    ResultLimits limits = {};
    std::shared_ptr<const Seal> seal = {};  ///< Null: answers are stored as they are.
  };
  static Result<Keys> open(sqlite3* db, const Options& options);
  static Result<Keys> open(sqlite3* db) { return open(db, Options{}); }
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

/// Creates or upgrades the tables on this connection.
Result<> migrate_idempotency(sqlite3* db);

}  // namespace makegood::sqlite
