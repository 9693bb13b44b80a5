#include <utility>

#include "base/new_row.hpp"
#include "stores/memory/database.hpp"
#include "stores/memory/log.hpp"
#include "stores/memory/memory.hpp"
#include "stores/memory/saga_log.hpp"

namespace makegood::memory {
namespace {

class OpenTransaction final : public Transaction {
 public:
  /// Which log of the database is written to.
  using LogOf = State& (*)(State&);

  OpenTransaction(std::shared_ptr<Database> database, const Clock& clock, LogOf log_of)
      : database_(std::move(database)), clock_(clock), log_of_(log_of) {}
  ~OpenTransaction() override {
    auto access = database_->access();
    rows_.roll_back(log_of_(access.state()));
  }

  Result<Enqueued> enqueue(const NewMessage& message) override {
    MAKEGOOD_TRY(check_producer_topic(message.topic));
    auto access = database_->access();
    return rows_.add(log_of_(access.state()), message, clock_.now());
  }

  Result<> commit() override {
    auto access = database_->access();
    MAKEGOOD_TRY(rows_.commit(log_of_(access.state())));
    access.changed();
    return {};
  }

 private:
  const std::shared_ptr<Database> database_;
  const Clock& clock_;
  const LogOf log_of_;
  DrawnRows rows_;
};

}  // namespace

std::unique_ptr<Transaction> begin(std::shared_ptr<Database> database, const Clock& clock) {
  return std::make_unique<OpenTransaction>(std::move(database), clock, [](State& state) -> State& { return state; });
}

std::unique_ptr<Transaction> begin_start(std::shared_ptr<Database> database, const Clock& clock) {
  return std::make_unique<OpenTransaction>(std::move(database), clock,
                                           [](State& state) -> State& { return sagas_of(state).requests; });
}

}  // namespace makegood::memory
