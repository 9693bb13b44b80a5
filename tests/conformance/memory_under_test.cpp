#include <utility>

#include "stores/memory/database.hpp"
#include "stores/memory/memory.hpp"
#include "tests/conformance/log_mark_suite.hpp"

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
  std::unique_ptr<OutboxView> connect_view() override { return memory::open_outbox_view(database_, clock); }
  std::unique_ptr<Producer> begin() override {
    return std::make_unique<MemoryProducer>(memory::begin(database_, clock));
  }
  void set_counter(Sequence counter) override { database_->access().state().counter = counter; }
  void remove_row(Sequence sequence) override {
    auto access = database_->access();
    access.state().log.erase(sequence);
    std::erase_if(access.state().events, [sequence](const auto& event) { return event.second == sequence; });
  }
  void empty_log() override {
    auto access = database_->access();
    access.state().log.clear();
    access.state().events.clear();
  }

 private:
  const std::shared_ptr<memory::Database> database_ = memory::new_database();
};

const StoreKind memory_store{"memory", [] { return std::make_unique<MemoryUnderTest>(); }};
INSTANTIATE_TEST_SUITE_P(Memory, LogMarkSuite, ::testing::Values(memory_store), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Memory, StoreSuite, ::testing::Values(memory_store), ::testing::PrintToStringParamName());

}  // namespace

}  // namespace makegood::conformance
