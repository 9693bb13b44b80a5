#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

class SagaLate : public SagaOnPaper {
 protected:
  /// The only attempt has run into its deadline, and its step is compensated.
  void compensate_unknown(SagaPromise promise) {
    SagaDefinition definition = chain({"a"}, promise);
    definition.steps[0].retry.attempts_max = 1;
    begin_with(definition);
    pass(10s);
    undo("a");
    ASSERT_EQ(state(), SagaState::compensated);
    sent();
  }
  void hear_late(SagaOutcome outcome, bool is_silence = false) {
    hear_it({.step = "a", .round = 1, .attempt = 1, .outcome = outcome, .is_silence = is_silence});
  }
};

TEST_F(SagaLate, OkIsCompensatedAgainAlsoAfterTheEnd) {
  compensate_unknown(SagaPromise::late);
  EXPECT_EQ(execution().unverified_steps(), std::vector<std::string>({"a"}));
  hear_late(SagaOutcome::ok);
  EXPECT_EQ(state(), SagaState::compensating);
  EXPECT_EQ(sent(), Sent({"a/compensation/2.1"}));
  undo("a");
  EXPECT_EQ(state(), SagaState::compensated);
  EXPECT_TRUE(execution().unverified_steps().empty());
}

TEST_F(SagaLate, ErrorIsCompensatedAgain) {
  compensate_unknown(SagaPromise::late);
  hear_late(SagaOutcome::unknown);
  EXPECT_EQ(sent(), Sent({"a/compensation/2.1"}));
}

/// It was taken on after its step was undone, and its callback may never come.
TEST_F(SagaLate, AcceptanceIsCompensatedAgain) {
  compensate_unknown(SagaPromise::late);
  hear_it({.step = "a", .round = 1, .attempt = 1, .is_accepted = true});
  EXPECT_EQ(sent(), Sent({"a/compensation/2.1"}));
  undo("a");
  hear_late(SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent({"a/compensation/3.1"})) << "its callback came, and it may be done since";
}

TEST_F(SagaLate, FailureAndSilenceAreOnlyNoted) {
  compensate_unknown(SagaPromise::late);
  hear_late(SagaOutcome::fail);
  hear_late(SagaOutcome::unknown, true);
  EXPECT_EQ(state(), SagaState::compensated);
  EXPECT_TRUE(has(RecordKind::noted));
}

TEST_F(SagaLate, OkChangesNothingAtABarrierOrWhereNothingRunsLate) {
  for (const SagaPromise promise : {SagaPromise::barrier, SagaPromise::keyed}) {
    compensate_unknown(promise);
    hear_late(SagaOutcome::ok);
    EXPECT_EQ(state(), SagaState::compensated);
    EXPECT_EQ(sent(), Sent());
  }
}

TEST_F(SagaLate, OkAfterAnOperatorSaidUndoneIsCompensatedWhereNobodyRefusesIt) {
  for (const SagaPromise promise : {SagaPromise::late, SagaPromise::barrier}) {
    around_.closed = {"fn:undo-a"};
    SagaDefinition definition = chain({"a"}, promise);
    definition.steps[0].retry.attempts_max = 1;
    begin_with(definition);
    pass(10s);
    ask({.verb = "resolve", .step = "a", .choice = "undone"});
    ASSERT_EQ(state(), SagaState::compensated);
    around_.closed.clear();
    sent();
    hear_late(SagaOutcome::ok);
    EXPECT_EQ(sent(), Sent({"a/compensation/2.1"}));
    undo("a");
    EXPECT_EQ(state(), SagaState::compensated);
  }
}

TEST_F(SagaLate, ErrorDoesNotOutweighALookUpWhereNothingRunsLate) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].retry.attempts_max = 1;
  definition.steps[0].check = SagaCall{.uri = "fn:look-up"};
  begin_with(definition);
  pass(10s);
  answer("a", SagaOutcome::fail, {}, Direction::check);
  ASSERT_EQ(state(), SagaState::compensated);
  hear_late(SagaOutcome::unknown);
  EXPECT_EQ(state(), SagaState::compensated);
  EXPECT_TRUE(has(RecordKind::noted));
}

TEST_F(SagaLate, ErrorKeepsANewKeyFromBeingUsed) {
  SagaDefinition definition = chain({"a"}, SagaPromise::late);
  definition.steps[0].retry.attempts_max = 1;
  definition.steps[0].on_failure = {{.code = "*", .action = FailureAction::manual}};
  begin_with(definition);
  pass(10s);
  ask({.verb = "resolve", .step = "a", .choice = "not_done"});
  around_.closed = {"fn:a"};
  ask({.verb = "retry"});
  hear_late(SagaOutcome::unknown);
  around_.closed.clear();
  pass(1min);
  EXPECT_EQ(state(), SagaState::manual);
  EXPECT_EQ(sent(), Sent({"a/action/1.1"}));
}

TEST_F(SagaLate, ErrorAtAPlainParticipantIsForAPersonWhateverTheLastAttemptSays) {
  begin_with(chain({"a"}, SagaPromise::plain));
  pass(10s);
  ask({.verb = "resolve", .step = "a", .choice = "not_done"});
  pass(1s);
  hear_late(SagaOutcome::unknown);
  hear_it({.step = "a", .round = 1, .attempt = 2, .outcome = SagaOutcome::retry, .is_spent = false});
  pass(1min);
  EXPECT_EQ(state(), SagaState::manual);
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/action/1.2"}));
}

TEST_F(SagaLate, OkOnTheWayForwardIsAnAnswer) {
  begin_with(chain({"a", "b"}));
  pass(10s);
  hear_late(SagaOutcome::ok);
  EXPECT_TRUE(facts("a").is_done());
  EXPECT_FALSE(facts("b").actions().empty());
}

TEST_F(SagaLate, OkAfterAnOperatorSaidNotDoneIsCompensated) {
  SagaDefinition definition = chain({"a"}, SagaPromise::late);
  definition.steps[0].retry.attempts_max = 1;
  begin_with(definition);
  pass(10s);
  ask({.verb = "pause"});
  undo("a", SagaOutcome::retry);
  ask({.verb = "resolve", .step = "a", .choice = "not_done"});
  ASSERT_EQ(state(), SagaState::compensated);
  hear_late(SagaOutcome::ok);
  EXPECT_EQ(state(), SagaState::compensating);
}

TEST_F(SagaLate, CallbackAfterTheTransportsWordCounts) {
  begin_with(chain({"a"}));
  SagaAnswer accepted{.step = "a", .round = 1, .attempt = 1, .is_accepted = true};
  hear_it(accepted);
  EXPECT_EQ(outlook_of(execution(), decided_, around_).waits_for, "callback");
  answer("a", SagaOutcome::ok);
  EXPECT_EQ(state(), SagaState::completed);
  hear_it(accepted);
  EXPECT_EQ(state(), SagaState::completed);
}

}  // namespace
}  // namespace makegood::core
