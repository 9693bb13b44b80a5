// Sagas on the caller's own connection to PostgreSQL: the barrier of participants, steps in transactions, and
// starts.
#pragma once

#include <memory>
#include <string>

#include "makegood/saga_barrier.hpp"
#include "makegood/saga_builder.hpp"

struct pg_conn;  ///< What libpq calls PGconn.

namespace makegood {

/// What `Saga::start` does. Also for definitions that are no C++: `{.definition = "orderProcess", .input = json}`.
Result<std::string> start_saga(pg_conn* connection, const SagaStart& start);

namespace postgres {

/// Creates the table `saga_barrier`, if it is not there.
Result<> create_barrier(pg_conn* connection);

/// The transaction is READ COMMITTED, as usual; a stricter one fails (40001) where this one waits.
/// After any error, and after every answer but ok and fail, the transaction is rolled back or can only be. Whoever
/// asked is answered after the commit, never before. One thread at a time; destroy it before the connection is closed.
class Barrier {
 public:
  static Result<Barrier> open(pg_conn* connection);
  Barrier(Barrier&&) noexcept;
  Barrier& operator=(Barrier&&) noexcept;
  ~Barrier();

  /// Runs `effect` unless this round was decided before: then the answer is the stored one, or
  /// fail(`COMPENSATED`) once a compensation or a higher round was here.
  Result<SagaStepResult> act(const BarrierKey& key, const BarrierEffect& effect);
  /// Runs `undo` for each round of the action that was done and is not undone, and refuses all of them from now on.
  Result<SagaStepResult> compensate(const BarrierKey& key, const BarrierUndo& undo);

 private:
  class Statements;
  explicit Barrier(std::unique_ptr<Statements> statements);
  std::unique_ptr<Statements> statements_;
};

/// For `transaction(database, function)`. A server, as libpq takes it.
Result<std::shared_ptr<StepDatabase<pg_conn>>> open_step_database(std::string url);

}  // namespace postgres
}  // namespace makegood
