#include <utility>

#include "base/new_row.hpp"
#include "stores/memory/database.hpp"
#include "stores/memory/log.hpp"
#include "stores/memory/memory.hpp"

namespace makegood::memory {
namespace {

class OpenTransaction final : public Transaction {
 public:
  OpenTransaction(std::shared_ptr<Database> database, const Clock& clock)
      : database_(std::move(database)), clock_(clock) {}
  ~OpenTransaction() override { rows_.roll_back(database_->access().state()); }

  Result<Enqueued> enqueue(const NewMessage& message) override {
    MAKEGOOD_TRY(check_producer_topic(message.topic));
    return rows_.add(database_->access().state(), message, clock_.now());
  }

  Result<> commit() override {
    auto access = database_->access();
    MAKEGOOD_TRY(rows_.commit(access.state()));
    access.changed();
    return {};
  }

 private:
  const std::shared_ptr<Database> database_;
  const Clock& clock_;
  DrawnRows rows_;
};

}  // namespace

std::unique_ptr<Transaction> begin(std::shared_ptr<Database> database, const Clock& clock) {
  return std::make_unique<OpenTransaction>(std::move(database), clock);
}

}  // namespace makegood::memory
