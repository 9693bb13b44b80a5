// Ends that are counted, and executions that go when they are old enough.
#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {

using namespace std::chrono_literals;

namespace {

constexpr Duration retention = 24h;

NewMessage cancel_request() { return a_request("makegood.saga.cancel", "{}"); }

}  // namespace

SagaUpkeep SagaOld::step(std::size_t rows_max) { return {.retention = retention, .rows_max = rows_max}; }

SagaOld::SagaOld() {
  for (int i = 0; i < 5; ++i) numbers_.push_back(start(a_start("o" + std::to_string(i))));
  const NewMessage request = cancel_request();
  request_ = start(request);
  take();
  SagaTurn turn = next_turn(request_);
  turn.turn.position.clock = clock().now();
  clock().advance(100ms);
  turn.ends = {an_end(numbers_[0], SagaState::completed, "o0"), an_end(numbers_[1], SagaState::failed, "o1"),
               an_end(numbers_[2], SagaState::compensated, "o2")};
  for (SagaEnd& end : turn.ends) end.summary.started_at -= 100ms;
  for (std::size_t i = 0; i < 3; ++i)
    turn.journal.push_back({.execution = numbers_[i], .revision = 1, .records = "[]"});
  turn.parked = {a_parked_saga(numbers_[3], {}, "o3"), a_parked_saga(numbers_[4], {}, "o4")};
  commit(turn);
}

SagaTurn SagaOld::a_turn(std::size_t rows_max) {
  SagaTurn turn = next_turn(request_);
  turn.upkeep = step(rows_max);
  return turn;
}

std::size_t SagaOld::keep_up(std::size_t rows_max) { return value_of(try_commit(a_turn(rows_max))).cleaned; }

SagaStatistics SagaOld::counted() {
  const auto page = value_of(view().statistics({.rows_max = 10}));
  return page.items.empty() ? SagaStatistics() : page.items.front();
}

TEST_P(SagaOld, AreCountedBeforeAndAfterTheyAreFolded) {
  for (int i = 0; i < 2; ++i) {
    const SagaStatistics row = counted();
    EXPECT_EQ(row.definition, "order");
    EXPECT_EQ(row.tenant_id, "default");
    EXPECT_EQ(row.version, 1);
    EXPECT_EQ(row.completed, 1U);
    EXPECT_EQ(row.failed, 1U);
    EXPECT_EQ(row.compensated, 1U);
    EXPECT_EQ(row.running, 2U);
    ASSERT_TRUE(row.median);
    EXPECT_NEAR(std::chrono::duration<double>(*row.median).count(), 0.1, 0.011);
    EXPECT_EQ(row.p99, row.median);
    EXPECT_EQ(keep_up(), i == 0 ? 6U : 0U);
  }
}

TEST_P(SagaOld, AreFoldedInSteps) {
  EXPECT_EQ(keep_up(2), 2U);
  EXPECT_EQ(keep_up(2), 2U);
  EXPECT_EQ(counted().completed, 1U);
  EXPECT_EQ(keep_up(2), 2U);
  EXPECT_EQ(keep_up(2), 0U);
  EXPECT_EQ(counted().compensated, 1U);
}

TEST_P(SagaOld, AreCountedOnceWhenTheyEndLateOrAnew) {
  keep_up();
  SagaTurn turn = next_turn(request_);
  turn.reopened = {numbers_[1]};
  turn.unparked = {numbers_[3]};
  turn.ends = {an_end(numbers_[1], SagaState::compensated, "o1"), an_end(numbers_[3], SagaState::completed, "o3")};
  commit(turn);
  const SagaStatistics row = counted();
  EXPECT_EQ(row.failed, 0U);
  EXPECT_EQ(row.compensated, 2U);
  EXPECT_EQ(row.completed, 2U);
  EXPECT_EQ(row.running, 1U);
}

TEST_P(SagaOld, AreCountedByTheNextOwnerToo) {
  keep_up();
  take("next");
  SagaTurn turn = next_turn(request_);
  turn.unparked = {numbers_[3]};
  turn.ends = {an_end(numbers_[3], SagaState::completed, "o3")};
  commit(turn);
  EXPECT_EQ(counted().completed, 2U);
  EXPECT_EQ(keep_up(), 0U);
  EXPECT_EQ(counted().completed, 2U);
}

TEST_P(SagaOld, AreCountedByTheHourInWhichTheyBegan) {
  keep_up();
  const auto completed = [this](TimePoint from, TimePoint until) {
    const auto page = value_of(view().statistics({.from = from, .until = until, .rows_max = 10}));
    return page.items.empty() ? std::size_t{0} : page.items.front().completed;
  };
  const TimePoint now = clock().now();
  EXPECT_EQ(completed(now - 1h, now + 1h), 1U);
  EXPECT_EQ(completed(now + 2h, now + 3h), 0U);
  EXPECT_EQ(completed(now - 3h, now - 2h), 0U);
}

TEST_P(SagaOld, AreCountedOfOneTenantAndOneDefinition) {
  EXPECT_TRUE(value_of(view().statistics({.tenant_id = "acme", .rows_max = 10})).items.empty());
  EXPECT_TRUE(value_of(view().statistics({.definition = "refund", .rows_max = 10})).items.empty());
  keep_up();
  EXPECT_TRUE(value_of(view().statistics({.tenant_id = "acme", .rows_max = 10})).items.empty());
  EXPECT_EQ(value_of(view().statistics({.tenant_id = "default", .definition = "order", .rows_max = 10})).items.size(),
            1U);
}

TEST_P(SagaOld, StayWhileTheyAreYoung) {
  clock().advance(retention - 1h);
  keep_up();
  EXPECT_EQ(listed({}).size(), 5U);
  EXPECT_TRUE(load(numbers_[0]));
}

TEST_P(SagaOld, GoWithTheirJournalUnlessTheyWaitOrHaveFailed) {
  clock().advance(retention + 1h);
  const Sequence young = start(a_start("o9"));
  SagaTurn turn = a_turn();
  turn.turn.position.reached = young;
  turn.turn.mark.anchor = young;
  turn.parked = {a_parked_saga(young, {}, "o9")};
  commit(turn);
  EXPECT_EQ(listed({}), std::vector<std::string>({"o9", "o4", "o3", "o1"}));
  EXPECT_FALSE(load(numbers_[0]));
  EXPECT_FALSE(load(numbers_[2]));
  EXPECT_TRUE(load(numbers_[1]));
  EXPECT_EQ(value_of(store().find("default", "o0")), std::nullopt);
  EXPECT_EQ(counted().completed, 1U) << "they are counted for ever";
}

TEST_P(SagaOld, AreToldOfWhenTheyAreGone) {
  EXPECT_EQ(value_of(view().list({}, 0, 10, 100)).purged_before, std::nullopt);
  clock().advance(retention + 1h);
  keep_up();
  const SagaPage page = value_of(view().list({}, 0, 10, 100));
  EXPECT_EQ(page.purged_count, 2U);
  ASSERT_TRUE(page.purged_before);
  EXPECT_LE(*page.purged_before, clock().now() - retention);
  const auto statistics = value_of(view().statistics({.rows_max = 10}));
  EXPECT_EQ(statistics.purged_count, 2U);
  EXPECT_EQ(statistics.purged_before, page.purged_before);
}

TEST_P(SagaOld, GoInSteps) {
  clock().advance(retention + 1h);
  keep_up(1);
  EXPECT_EQ(listed({}).size(), 4U);
  for (int i = 0; i < 6; ++i) keep_up(1);
  EXPECT_EQ(listed({}).size(), 3U);
}

TEST_P(SagaOld, StayForEverWithoutARetention) {
  clock().advance(retention * 100);
  SagaTurn turn = a_turn();
  turn.upkeep->retention = {};
  commit(turn);
  EXPECT_EQ(listed({}).size(), 5U);
  EXPECT_EQ(counted().completed, 1U);
}

TEST_P(SagaOld, LeaveTheAnchorOfTheLog) {
  clock().advance(retention + 1h);
  SagaTurn turn = a_turn();
  turn.turn.mark.anchor = numbers_[2];
  commit(turn);
  EXPECT_TRUE(load(numbers_[2]));
  EXPECT_FALSE(load(numbers_[0]));
}

TEST_P(SagaOld, ThatSomebodyHasSettledGo) {
  clock().advance(retention + 1h);
  SagaTurn settled = next_turn(request_);
  settled.reopened = {numbers_[1]};
  settled.ends = {an_end(numbers_[1], SagaState::compensated, "o1")};
  settled.ends[0].revision = 2;
  commit(settled);
  keep_up();
  EXPECT_TRUE(load(numbers_[1])) << "it has ended just now";
  clock().advance(retention + 1h);
  keep_up();
  EXPECT_FALSE(load(numbers_[1]));
}

TEST_P(SagaOld, AreForgottenWithAReset) {
  keep_up();
  SagaTurn turn = next_turn(request_);
  turn.turn.is_reset = true;
  commit(turn);
  EXPECT_TRUE(value_of(view().statistics({.rows_max = 10})).items.empty());
}

}  // namespace makegood::conformance
