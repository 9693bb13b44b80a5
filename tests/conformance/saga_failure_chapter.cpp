// What has failed at the same step with the same code, counted together.
#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {
namespace {

SagaSummary failed_at(SagaSummary summary, const std::string& step, const std::string& code) {
  summary.step = step;
  summary.code = code;
  return summary;
}

}  // namespace

TEST_P(SagaSuite, GroupsWhatHasFailed) {
  const std::vector<Sequence> numbers = {start(a_start("o1")), start(a_start("o2")), start(a_start("o3")),
                                         start(a_start("o4")), start(a_start("r1", "refund"))};
  take();
  SagaTurn turn = next_turn(numbers.back());
  turn.ends = {an_end(numbers[0], SagaState::failed, "o1"), an_end(numbers[1], SagaState::failed, "o2"),
               an_end(numbers[2], SagaState::completed, "o3")};
  turn.ends[0].summary = failed_at(turn.ends[0].summary, "charge", "NO_FUNDS");
  turn.ends[1].summary = failed_at(turn.ends[1].summary, "charge", "NO_FUNDS");
  turn.parked = {a_parked_saga(numbers[3], {}, "o4")};
  turn.parked[0].summary = failed_at(summary(numbers[3], SagaState::manual, "o4"), "ship", "SAGA.HELD");
  commit(turn);

  const auto groups = value_of(view().failures({}, {}, 10, 1000));
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].definition, "order");
  EXPECT_EQ(groups[0].step, "charge");
  EXPECT_EQ(groups[0].code, "NO_FUNDS");
  EXPECT_EQ(groups[0].state, SagaState::failed);
  EXPECT_EQ(groups[0].count, 2U);
  EXPECT_EQ(groups[0].example, "o2");
  EXPECT_EQ(groups[1].state, SagaState::manual);
  EXPECT_EQ(groups[1].example, "o4");
  EXPECT_EQ(value_of(view().failures({}, {}, 1, 1000)).size(), 1U);
  EXPECT_TRUE(value_of(view().failures("acme", {}, 10, 1000)).empty());
  EXPECT_TRUE(value_of(view().failures({}, "refund", 10, 1000)).empty());
}

TEST_P(SagaSuite, LooksForFailuresAmongTheNewestOnly) {
  const Sequence old = start(a_start("o1"));
  start(a_start("o2"));
  take();
  SagaTurn turn = next_turn(old);
  turn.ends = {an_end(old, SagaState::failed, "o1")};
  turn.ends[0].summary = failed_at(turn.ends[0].summary, "charge", "NO_FUNDS");
  commit(turn);
  EXPECT_EQ(value_of(view().failures({}, {}, 10, 2)).size(), 1U);
  EXPECT_TRUE(value_of(view().failures({}, {}, 10, 1)).empty());
}

}  // namespace makegood::conformance
