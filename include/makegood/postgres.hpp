// Enqueue inside the caller's own PostgreSQL transaction, on the caller's own connection.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/message.hpp"
#include "makegood/result.hpp"

struct pg_conn;  ///< What libpq calls PGconn.

namespace makegood {

class PayloadSchemas;

namespace postgres {

using makegood::TopicGrammar;

struct EnqueueOptions {
  std::string outbox = "makegood_outbox";  ///< Or `schema.name`, read as SQL reads it.
  std::size_t content_bytes_max = std::size_t{256} << 10;
  TopicGrammar topic_grammar = TopicGrammar::any;
  const PayloadSchemas* schemas = nullptr;  ///< Must outlive the enqueuer.
  TraceSource trace_source = {};            ///< Where your tracing keeps the current context; empty: nowhere.
  /// Allow a call outside a transaction, which then commits by itself.
  bool may_autocommit = false;
  /// Locks the key until the transaction ends, so that messages of one key are numbered in the order of their commits.
  /// Needed where the rows that the messages speak of are locked only after them, or not at all.
  bool is_ordered = false;
  /// Keep statements prepared in the session. A pooler that gives each transaction another session (PgBouncer in
  /// transaction mode) is noticed, and nothing is kept there.
  bool may_prepare = true;
};

/// Enqueues one message; its statement is parsed anew each time. For many, keep an Enqueuer.
///
/// After any error the transaction can only be rolled back, or back to a savepoint set before: a message that is
/// missing must not go unnoticed.
Result<Enqueued> enqueue(pg_conn* connection, const NewMessage& message, const EnqueueOptions& options = {});

/// Sends COMMIT, and tells what PostgreSQL does not call an error: that it rolled back, because the transaction had
/// failed before, or that there was none. Errc::in_doubt when the connection is lost meanwhile, or the wait for a
/// synchronous standby is cancelled (unless you have set a notice receiver of your own: then it gets that warning).
Result<> commit(pg_conn* connection);

/// Keeps its statements prepared. Destroy it before the connection is closed.
class Enqueuer {
 public:
  static Result<Enqueuer> open(pg_conn* connection, const EnqueueOptions& options = {});
  ~Enqueuer();
  Enqueuer(Enqueuer&&) noexcept;
  Enqueuer& operator=(Enqueuer&&) noexcept;

  Result<Enqueued> enqueue(const NewMessage& message);
  /// All in a few statements, numbered in this order.
  Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages);

 private:
  class Statements;
  explicit Enqueuer(std::unique_ptr<Statements> statements);
  std::unique_ptr<Statements> statements_;
};

}  // namespace postgres
}  // namespace makegood
