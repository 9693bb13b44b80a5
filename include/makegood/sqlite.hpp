// Enqueue inside the caller's own SQLite transaction, on the caller's own connection.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/message.hpp"
#include "makegood/result.hpp"

struct sqlite3;

namespace makegood {

class PayloadSchemas;

namespace sqlite {

using makegood::TopicGrammar;

struct EnqueueOptions {
  std::string outbox = "makegood_outbox";
  std::size_t content_bytes_max = std::size_t{256} << 10;
  TopicGrammar topic_grammar = TopicGrammar::any;
  const PayloadSchemas* schemas = nullptr;  ///< Must outlive the enqueuer.
  TraceSource trace_source = {};            ///< Where your tracing keeps the current context; empty: nowhere.
  /// Allow a call outside a transaction, which then commits by itself. Off, because SQLite rolls a transaction back by
  /// itself when the disk is full, and the next statement would then stand alone.
  bool may_autocommit = false;
};

/// Creates or upgrades the tables of an outbox on this connection.
Result<> migrate(sqlite3* db, std::string_view outbox = "makegood_outbox");

/// Enqueues one message; prepares its statements anew each time. For many, keep an Enqueuer.
Result<Enqueued> enqueue(sqlite3* db, const NewMessage& message, const EnqueueOptions& options = {});

/// Keeps its statements prepared. Destroy it before the connection is closed.
class Enqueuer {
 public:
  static Result<Enqueuer> open(sqlite3* db, EnqueueOptions options = {});
  ~Enqueuer();
  Enqueuer(Enqueuer&&) noexcept;
  Enqueuer& operator=(Enqueuer&&) noexcept;

  Result<Enqueued> enqueue(const NewMessage& message);
  /// Stops at the first that cannot be enqueued; the caller's transaction should then be rolled back.
  Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages);

 private:
  class Statements;
  explicit Enqueuer(std::unique_ptr<Statements> statements);
  std::unique_ptr<Statements> statements_;
};

}  // namespace sqlite
}  // namespace makegood
