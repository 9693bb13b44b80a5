#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

class SagaBack : public SagaOnPaper {
 protected:
  /// a and b are done, c has failed for good.
  void turn_back(SagaDefinition definition) {
    begin_with(std::move(definition));
    answer("a", SagaOutcome::ok);
    answer("b", SagaOutcome::ok);
    answer("c", SagaOutcome::fail, "NO");
    std::erase_if(decided_.sends, [](const SagaSend& send) { return send.direction == Direction::action; });
  }
};

TEST_F(SagaBack, GoesInReverseOrderAndLeavesOutWhatWasNotDone) {
  turn_back(chain({"a", "b", "c"}));
  EXPECT_EQ(sent(), Sent({"b/compensation/1.1"}));
  undo("b");
  EXPECT_EQ(sent(), Sent({"a/compensation/1.1"}));
  undo("a");
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaBack, GoesSideBySideIfTheDefinitionSaysSo) {
  SagaDefinition definition = chain({"a", "b", "c"});
  definition.compensates_in_parallel = true;
  turn_back(definition);
  EXPECT_EQ(sent(), Sent({"b/compensation/1.1", "a/compensation/1.1"}));
}

TEST_F(SagaBack, RetriesAndThenNoLongerHoldsUpTheOthers) {
  turn_back(chain({"a", "b", "c"}));
  undo("b", SagaOutcome::unknown);
  pass(1s);
  undo("b", SagaOutcome::retry);
  pass(2s);
  EXPECT_TRUE(facts("b").is_stalled());
  EXPECT_EQ(sent(), Sent({"b/compensation/1.1", "b/compensation/1.2", "a/compensation/1.1", "b/compensation/1.3"}));
}

TEST_F(SagaBack, HoldsUpTheOthersForHalfAMinuteWhenItsParticipantCannotBeReached) {
  turn_back(chain({"a", "b", "c"}));
  for (std::uint32_t attempt = 1; attempt <= 10; ++attempt) {
    hear_it({.step = "b",
             .direction = Direction::compensation,
             .round = 1,
             .attempt = attempt,
             .outcome = SagaOutcome::retry,
             .is_spent = false,
             .code = "DOWN"});
    EXPECT_TRUE(facts("a").compensations().empty());
    around_.time = std::max(around_.time, facts("b").track(Direction::compensation).next_at);
    if (around_.time >= facts("b").compensations().all().front().began + 30s) break;
    go_on();
  }
  around_.closed = {"fn:undo-b"};  // It is not called any more.
  go_on();
  EXPECT_TRUE(facts("b").is_stalled());
  EXPECT_FALSE(facts("a").compensations().empty());
}

TEST_F(SagaBack, HoldsUpTheOthersForHalfAMinuteWhenItsCircuitIsOpen) {
  around_.closed = {"fn:undo-b"};
  turn_back(chain({"a", "b", "c"}));
  pass(29s);
  EXPECT_TRUE(facts("a").compensations().empty());
  pass(1s);
  EXPECT_TRUE(facts("b").is_stalled());
  EXPECT_EQ(sent(), Sent({"a/compensation/1.1"}));
  EXPECT_FALSE(decided_.alarms.empty());
}

TEST_F(SagaBack, IsNotStalledBeforeItsTurnHasCome) {
  turn_back(chain({"a", "b", "c"}));
  pass(5s);
  undo("b", SagaOutcome::unknown);
  pass(35s);
  undo("b");
  EXPECT_EQ(sent(), Sent({"b/compensation/1.1", "b/compensation/1.2", "a/compensation/1.1"}));
  EXPECT_FALSE(facts("a").is_stalled());
}

TEST_F(SagaBack, IsGivenUpWhenItKillsItsOwnersAndTheOthersAreUndone) {
  turn_back(chain({"a", "b", "c"}));
  for (int death = 0; death < 5; ++death) take_it_over();
  EXPECT_TRUE(facts("b").is_given_up());
  undo("a");
  EXPECT_EQ(state(), SagaState::failed);
  EXPECT_EQ(execution().open_steps(), std::vector<std::string>({"b"}));
  ask({.verb = "retry", .step = "b"});
  EXPECT_EQ(sent().back(), "b/compensation/2.1");
}

TEST_F(SagaBack, WaitsForOneThatReadsItsOutputs) {
  SagaDefinition definition = chain({"a", "b", "c"});
  definition.steps[1].compensation->input = R"({"of":"${a.id}"})";
  turn_back(definition);
  undo("b", SagaOutcome::retry);
  pass(1s);
  undo("b", SagaOutcome::retry);
  pass(2s);
  EXPECT_TRUE(facts("b").is_stalled());
  EXPECT_TRUE(facts("a").compensations().empty());
}

TEST_F(SagaBack, IsGivenUpAfterItsTimeAndListsExactlyWhatIsOpen) {
  turn_back(chain({"a", "b", "c"}));
  undo("b", SagaOutcome::retry);
  pass(1s);
  undo("b", SagaOutcome::retry);
  pass(0s);
  undo("a");
  pass(24h);
  EXPECT_EQ(state(), SagaState::failed);
  EXPECT_EQ(execution().open_steps(), std::vector<std::string>({"b"}));
}

TEST_F(SagaBack, ListsWhatNobodyCanUndo) {
  SagaDefinition definition = chain({"a", "b", "c"});
  definition.steps[1].compensation.reset();
  turn_back(definition);
  undo("a");
  EXPECT_EQ(state(), SagaState::failed);
  EXPECT_EQ(execution().open_steps(), std::vector<std::string>({"b"}));
}

TEST_F(SagaBack, WaitsForRequestsThatMayStillRun) {
  begin_with(chain({"a"}, SagaPromise::late));
  ask({.verb = "cancel"});
  EXPECT_EQ(sent(), Sent({"a/action/1.1"}));
  pass(10s);
  EXPECT_EQ(sent(), Sent({"a/compensation/1.1"}));
  undo("a");
  EXPECT_EQ(state(), SagaState::cancelled);
}

TEST_F(SagaBack, WaitsForNothingAtABarrier) {
  begin_with(chain({"a"}, SagaPromise::barrier));
  ask({.verb = "cancel"});
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/compensation/1.1"}));
}

TEST_F(SagaBack, WaitsForASiblingThatIsStillUnderWayAndUndoesTheOther) {
  SagaDefinition definition = chain({"a", "b"});
  definition.steps[1].group = 0;
  begin_with(definition);
  answer("a", SagaOutcome::ok);
  ask({.verb = "cancel"});
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "b/action/1.1", "a/compensation/1.1"}));
  answer("b", SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent({"b/compensation/1.1"}));
}

TEST_F(SagaBack, IsForAPersonWhenItIsUnknownAtAPlainParticipant) {
  begin_with(chain({"a", "b"}, SagaPromise::plain));
  answer("a", SagaOutcome::ok);
  answer("b", SagaOutcome::fail, "NO");
  undo("a", SagaOutcome::unknown);
  EXPECT_EQ(state(), SagaState::manual);
  ask({.verb = "retry", .step = "a"});
  EXPECT_FALSE(last_refusal().empty());
  ask({.verb = "resolve", .step = "a", .choice = "undone"});
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaBack, IsMadeAgainByAnOperatorAfterItHasFailed) {
  turn_back(chain({"a", "b", "c"}));
  undo("b", SagaOutcome::retry);
  pass(24h);
  undo("a");
  pass(0s);
  ASSERT_EQ(state(), SagaState::failed);
  sent();
  ask({.verb = "retry"});
  EXPECT_EQ(sent(), Sent({"b/compensation/2.1"}));
  undo("b");
  EXPECT_EQ(state(), SagaState::compensated);
}

}  // namespace
}  // namespace makegood::core
