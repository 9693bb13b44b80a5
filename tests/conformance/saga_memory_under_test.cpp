#include <utility>

#include "stores/memory/database.hpp"
#include "stores/memory/memory.hpp"
#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {
namespace {

class MemoryStarter final : public Starter {
 public:
  explicit MemoryStarter(std::unique_ptr<memory::Transaction> transaction) : transaction_(std::move(transaction)) {}
  Result<> start(const std::string& definition, const std::string& id, const std::string& input) override {
    MAKEGOOD_TRY(transaction_->enqueue(a_start(id, definition, input)));
    return {};
  }
  Result<> commit() override { return transaction_->commit(); }

 private:
  std::unique_ptr<memory::Transaction> transaction_;
};

class MemorySagas final : public SagasUnderTest {
 public:
  std::unique_ptr<SagaStore> connect() override { return memory::open_saga_store(database_, clock); }
  std::unique_ptr<SagaView> connect_view() override { return memory::open_saga_view(database_, clock); }
  std::unique_ptr<OutboxStore> connect_outbox() override { return memory::open_store(database_, clock); }
  std::unique_ptr<Starter> begin() override {
    return std::make_unique<MemoryStarter>(memory::begin_start(database_, clock));
  }

 private:
  const std::shared_ptr<memory::Database> database_ = memory::new_database();
};

const SagasKind memory_sagas{"memory", [] { return std::make_unique<MemorySagas>(); }};
INSTANTIATE_TEST_SUITE_P(Memory, SagaSuite, ::testing::Values(memory_sagas), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Memory, SagaLists, ::testing::Values(memory_sagas), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Memory, SagaKeys, ::testing::Values(memory_sagas), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Memory, SagaOld, ::testing::Values(memory_sagas), ::testing::PrintToStringParamName());

/// What the memory store offers beyond the seam: its state can be taken away and put back, as a failover does.
class SagaSnapshot : public ::testing::Test {
 protected:
  testing_support::FakeClock clock_;
  std::shared_ptr<memory::Database> database_ = memory::new_database();
  std::unique_ptr<SagaStore> store_ = memory::open_saga_store(database_, clock_);
};

TEST_F(SagaSnapshot, GoesBackWithAllThatWasWritten) {
  const NewMessage start = a_start("o1");
  const Sequence execution = value_of(store_->append({&start, 1})).front().sequence;
  const auto taken = value_of(store_->take("a", saga_lease, {}));
  ASSERT_TRUE(taken);
  const memory::State state = database_->snapshot();
  SagaTurn turn{
      .turn = {.owner = "a", .after = taken->turn, .lease = saga_lease, .position = {.reached = 1}},
      .journal = {{.execution = execution, .revision = 1, .records = "[]"}},
      .parked = {{.summary = {.execution = execution, .tenant_id = "default", .id = "o1", .definition = "order"},
                  .due_at = clock_.now()}},
      .messages = {{.topic = "makegood.saga.waits", .payload = "{}"}}};
  const Committed committed = value_of(store_->commit(turn));
  database_->restore(state);

  EXPECT_TRUE(store_->has_changed());
  EXPECT_TRUE(value_of(store_->load({&execution, 1})).at(0).journal.empty());
  EXPECT_TRUE(value_of(store_->due(clock_.now(), 9)).empty());
  const auto outbox = memory::open_store(database_, clock_);
  EXPECT_TRUE(value_of(outbox->look({.owner = "b", .rows_max = 9, .bytes_max = 999})).rows.empty());
  SagaTurn next = turn;
  next.turn.after = committed.turn;
  EXPECT_EQ(code_of(store_->commit(next)), Errc::fenced);  // The last turn is forgotten.
  EXPECT_TRUE(store_->commit(turn));
}

TEST_F(SagaSnapshot, LeavesOpenTransactionsOut) {
  const auto open = memory::begin_start(database_, clock_);
  value_of(open->enqueue(a_start("o1")));
  database_->restore(database_->snapshot());
  EXPECT_EQ(code_of(open->commit()), Errc::not_in_transaction);
  const NewMessage other = a_start("o1", "order", "1");
  EXPECT_FALSE(value_of(store_->append({&other, 1})).front().was_there);
}

}  // namespace
}  // namespace makegood::conformance
