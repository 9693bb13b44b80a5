#include <libpq-fe.h>

#include "makegood/postgres.hpp"
#include "makegood/postgres_saga.hpp"
#include "stores/postgres/borrowed.hpp"
#include "stores/postgres/failure.hpp"
#include "stores/sql/saga_start.hpp"
#include "stores/sql/step_database.hpp"

namespace makegood {
namespace postgres {
namespace {

class LentToStep {
 public:
  static Result<std::unique_ptr<LentToStep>> open(const std::string& url) {
    Native native(PQconnectdb(url.c_str()));
    if (PQstatus(native.get()) != CONNECTION_OK) return lost_connection(native.get());
    MAKEGOOD_TRY(create_barrier(native.get()));
    Barrier barrier = MAKEGOOD_TRY(Barrier::open(native.get()));
    return std::unique_ptr<LentToStep>(new LentToStep(std::move(native), std::move(barrier)));
  }
  PGconn* native() const { return native_.get(); }
  Barrier& barrier() { return barrier_; }
  Result<> begin() { return run("BEGIN"); }
  Result<> commit() { return postgres::commit(native()); }
  void roll_back() { static_cast<void>(run("ROLLBACK")); }
  bool is_alive() const { return PQtransactionStatus(native()) == PQTRANS_IDLE; }

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };
  using Native = std::unique_ptr<PGconn, Finish>;

  LentToStep(Native native, Barrier barrier) : native_(std::move(native)), barrier_(std::move(barrier)) {}
  Result<> run(const char* sql) {
    const ResultPtr result(PQexec(native(), sql));
    if (!is_success(result.get())) return failure(result.get());
    return {};
  }

  Native native_;
  Barrier barrier_;  // Destroyed first.
};

}  // namespace

Result<std::shared_ptr<StepDatabase<pg_conn>>> open_step_database(std::string url) {
  auto database = std::make_shared<relational::PooledStepDatabase<pg_conn, LentToStep>>(std::move(url));
  MAKEGOOD_TRY(database->connect());
  return std::shared_ptr<StepDatabase<pg_conn>>(std::move(database));
}

}  // namespace postgres

Result<std::string> start_saga(pg_conn* connection, const SagaStart& start) {
  const NewMessage row = relational::start_row(start);
  MAKEGOOD_TRY(postgres::enqueue(connection, row, {.outbox = start.options.log}));
  return row.event_id;
}

}  // namespace makegood
