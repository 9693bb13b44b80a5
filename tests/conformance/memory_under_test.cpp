#include <utility>

#include "stores/memory/memory.hpp"
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

class MemoryProducer final : public Producer {
 public:
  explicit MemoryProducer(std::unique_ptr<memory::Transaction> transaction) : transaction_(std::move(transaction)) {}
  Result<Enqueued> enqueue(const NewMessage& message) override { return transaction_->enqueue(message); }
  Result<> commit() override { return transaction_->commit(); }

 private:
  std::unique_ptr<memory::Transaction> transaction_;
};

class MemoryUnderTest final : public StoreUnderTest {
 public:
  std::unique_ptr<OutboxStore> connect() override { return memory::open_store(database_, clock); }
  std::unique_ptr<DeadLetterStore> connect_dead_letters() override {
    return memory::open_dead_letters(database_, clock);
  }
  std::unique_ptr<OutboxView> connect_view() override { return memory::open_outbox_view(database_); }
  std::unique_ptr<Producer> begin() override {
    return std::make_unique<MemoryProducer>(memory::begin(database_, clock));
  }

 private:
  const std::shared_ptr<memory::Database> database_ = memory::new_database();
};

const StoreKind memory_store{"memory", [] { return std::make_unique<MemoryUnderTest>(); }};
INSTANTIATE_TEST_SUITE_P(Memory, StoreSuite, ::testing::Values(memory_store), ::testing::PrintToStringParamName());

}  // namespace

}  // namespace makegood::conformance
