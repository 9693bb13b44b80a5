// A start that an execution still needs cannot be deleted by anybody; what has ended may go.
#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {
namespace {

constexpr std::string_view no_tables = "this store has no tables that somebody could delete from";

std::string delete_row(Sequence sequence) {
  return "DELETE FROM makegood_saga WHERE sequence = " + std::to_string(sequence);
}
std::string state_of(Sequence sequence) {
  return "SELECT state FROM makegood_saga_status WHERE sequence = " + std::to_string(sequence);
}

}  // namespace

TEST_P(SagaSuite, KeepsTheStartsThatAreNeeded) {
  if (!under_test().ask("SELECT 1")) GTEST_SKIP() << no_tables;
  const Sequence ended = start(a_start("ended"));
  const Sequence waits = start(a_start("waits"));
  const Sequence in_memory = start(a_start("in memory"));
  const Sequence later = start(a_start("later"));
  const Sequence unread = start(a_start("unread"));
  take();
  SagaTurn turn = next_turn(later);
  turn.turn.position.under_way = {{"saga", {in_memory}}};
  turn.ends = {an_end(ended, SagaState::completed, "ended"), an_end(later, SagaState::completed, "later")};
  turn.parked = {a_parked_saga(waits, {}, "waits")};
  commit(turn);

  for (const Sequence needed : {waits, in_memory, later, unread}) {
    EXPECT_EQ(under_test().ask(delete_row(needed)), "refused") << needed;
  }
  EXPECT_EQ(under_test().ask(delete_row(ended)), "");
  EXPECT_FALSE(load(ended));
  EXPECT_TRUE(load(waits));
}

TEST_P(SagaSuite, TheStatusOfTheLogSaysWhatTheOwnerHasInHand) {
  if (!under_test().ask("SELECT 1")) GTEST_SKIP() << no_tables;
  const Sequence ended = start(a_start("ended"));
  const Sequence in_memory = start(a_start("in memory"));
  const Sequence unread = start(a_start("unread"));
  take();
  SagaTurn turn = next_turn(in_memory);
  turn.turn.position.under_way = {{"saga", {in_memory}}};
  turn.ends = {an_end(ended)};
  commit(turn);
  EXPECT_EQ(under_test().ask(state_of(ended)), "done");
  EXPECT_EQ(under_test().ask(state_of(in_memory)), "leased");
  EXPECT_EQ(under_test().ask(state_of(unread)), "pending");
}

TEST_P(SagaSuite, AResetTakesTheSagasWithIt) {
  const Sequence ended = start(a_start("ended"));
  const Sequence waits = start(a_start("waits"));
  take();
  SagaTurn turn = next_turn(waits);
  turn.journal = {{.execution = ended, .revision = 1, .records = "[]"}};
  turn.ends = {an_end(ended, SagaState::failed)};
  turn.parked = {a_parked_saga(waits, clock().now(), "waits")};
  commit(turn);
  SagaTurn reset = next_turn(waits);
  reset.turn.is_reset = true;
  commit(reset);
  EXPECT_TRUE(log(store()).empty());
  EXPECT_TRUE(value_of(store().due(clock().now(), 9)).empty());
  EXPECT_TRUE(value_of(view().counts()).empty());
}

}  // namespace makegood::conformance
