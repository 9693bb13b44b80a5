// What the memory store offers beyond the seam: its state can be taken away and put back, as a crash or a failover
// does.
#include <gtest/gtest.h>

#include "stores/memory/database.hpp"
#include "stores/memory/memory.hpp"
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

class MemorySnapshot : public ::testing::Test {
 protected:
  void enqueue(const NewMessage& message) { value_of(store_->enqueue({&message, 1})); }
  std::vector<std::string> log() { return names(value_of(store_->look(all_beyond(0))).rows); }

  testing_support::FakeClock clock_;
  std::shared_ptr<memory::Database> database_ = memory::new_database();
  std::unique_ptr<OutboxStore> store_ = memory::open_store(database_, clock_);
};

TEST_F(MemorySnapshot, GoesBackToWhatItWas) {
  enqueue(a_message("m1"));
  const memory::State state = database_->snapshot();
  enqueue(a_message("m2"));
  database_->restore(state);
  EXPECT_EQ(log(), std::vector<std::string>({"m1"}));
  enqueue(a_message("m2").with_payload("\"another\""));  // Its event id is forgotten too.
  EXPECT_EQ(log(), std::vector<std::string>({"m1", "another"}));
}

TEST_F(MemorySnapshot, FencesAnOwnerWhoseLastTurnIsForgotten) {  // I3
  LaneOwner owner(*store_, "a", value_of(store_->take("a", lease, {})).value());
  const memory::State state = database_->snapshot();
  owner.commit({});
  database_->restore(state);
  EXPECT_EQ(code_of(owner.try_commit({})), Errc::fenced);
}

TEST_F(MemorySnapshot, LeavesOpenTransactionsOut) {  // I2
  const auto open = memory::begin(database_, clock_);
  value_of(open->enqueue(a_message("m1")));
  database_->restore(database_->snapshot());
  enqueue(a_message("m1").with_payload("\"another\""));
  const Found found = value_of(store_->look(all_beyond(0)));
  EXPECT_EQ(names(found.rows), std::vector<std::string>({"another"}));
  EXPECT_TRUE(found.open.empty());
}

TEST_F(MemorySnapshot, RefusesTheCommitOfATransactionThatIsGone) {  // I2: also when others drew its numbers again.
  const memory::State empty = database_->snapshot();
  const auto lost = memory::begin(database_, clock_);
  value_of(lost->enqueue(a_message("lost")));
  database_->restore(empty);
  const auto alive = memory::begin(database_, clock_);
  value_of(alive->enqueue(a_message("alive")));
  EXPECT_EQ(code_of(lost->commit()), Errc::not_in_transaction);
  must(alive->commit());
  EXPECT_EQ(log(), std::vector<std::string>({"alive"}));
}

TEST_F(MemorySnapshot, ARestoreIsAChange) {
  const memory::State state = database_->snapshot();
  log();
  database_->restore(state);
  EXPECT_TRUE(store_->has_changed());
}

}  // namespace
}  // namespace makegood::conformance
