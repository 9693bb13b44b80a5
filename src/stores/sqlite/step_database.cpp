#include <sqlite3.h>

#include "makegood/sqlite.hpp"
#include "makegood/sqlite_saga.hpp"
#include "stores/sql/saga_start.hpp"
#include "stores/sql/step_database.hpp"
#include "stores/sqlite/connection.hpp"

namespace makegood {
namespace sqlite {
namespace {

class LentToStep {
 public:
  static Result<std::unique_ptr<LentToStep>> open(const std::string& path) {
    const Identifier table = MAKEGOOD_TRY(Identifier::from("saga_barrier"));
    Connection connection = MAKEGOOD_TRY(Connection::open(path, table));
    MAKEGOOD_TRY(create_barrier(connection.handle()));
    Barrier barrier = MAKEGOOD_TRY(Barrier::open(connection.handle()));
    return std::unique_ptr<LentToStep>(new LentToStep(std::move(connection), std::move(barrier)));
  }
  sqlite3* native() const { return connection_.handle(); }
  Barrier& barrier() { return barrier_; }
  Result<> begin() { return connection_.begin_write(); }
  Result<> commit() { return connection_.commit(); }
  void roll_back() { connection_.roll_back(); }
  bool is_alive() const { return !connection_.is_in_transaction(); }

 private:
  LentToStep(Connection connection, Barrier barrier)
      : connection_(std::move(connection)), barrier_(std::move(barrier)) {}
  Connection connection_;
  Barrier barrier_;  // Destroyed first.
};

}  // namespace

Result<std::shared_ptr<StepDatabase<sqlite3>>> open_step_database(std::string path) {
  auto database = std::make_shared<relational::PooledStepDatabase<sqlite3, LentToStep>>(std::move(path));
  MAKEGOOD_TRY(database->connect());
  return std::shared_ptr<StepDatabase<sqlite3>>(std::move(database));
}

}  // namespace sqlite

Result<std::string> start_saga(sqlite3* db, const SagaStart& start) {
  const NewMessage row = relational::start_row(start);
  MAKEGOOD_TRY(sqlite::enqueue(db, row, {.outbox = start.options.log}));
  return row.event_id;
}

}  // namespace makegood
