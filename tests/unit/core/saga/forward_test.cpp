#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

class SagaSteps : public SagaOnPaper {};

TEST_F(SagaSteps, RunOneAfterAnotherAndComplete) {
  begin_with(chain({"a", "b"}));
  EXPECT_EQ(sent(), Sent({"a/action/1.1"}));
  answer("a", SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent({"b/action/1.1"}));
  answer("b", SagaOutcome::ok);
  EXPECT_EQ(state(), SagaState::completed);
}

TEST_F(SagaSteps, OfAGroupRunSideBySide) {
  SagaDefinition definition = chain({"a", "b", "c"});
  definition.steps[1].group = 0;
  definition.steps[2].group = 1;
  begin_with(definition);
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "b/action/1.1"}));
  answer("b", SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent());
  answer("a", SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent({"c/action/1.1"}));
}

TEST_F(SagaSteps, AreRepeatedUnderTheSameKeyAndThenCompensated) {
  begin_with(chain({"a"}));
  answer("a", SagaOutcome::unknown, "HTTP.500");
  pass(1s);
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/action/1.2"}));
  answer("a", SagaOutcome::unknown, "HTTP.500");
  EXPECT_TRUE(execution().is_turned_back());
  EXPECT_EQ(sent(), Sent({"a/compensation/1.1"}));
  EXPECT_EQ(execution().code(), "HTTP.500");
}

TEST_F(SagaSteps, SpendNothingOnAParticipantThatCannotBeReached) {
  begin_with(chain({"a"}));
  for (std::uint32_t attempt = 1; attempt <= 20; ++attempt) {
    hear_it({.step = "a", .round = 1, .attempt = attempt, .outcome = SagaOutcome::retry, .is_spent = false});
    pass(5min);
  }
  EXPECT_FALSE(execution().is_turned_back());
  EXPECT_EQ(facts("a").track(Direction::action).spent(), 0U);
}

TEST_F(SagaSteps, WaitForTheirCircuitWithoutAnAttempt) {
  around_.closed.insert("fn:a");
  begin_with(chain({"a"}));
  EXPECT_EQ(sent(), Sent());
  const Outlook outlook = outlook_of(execution(), decided_, around_);
  EXPECT_EQ(outlook.waits_for, "circuit");
  EXPECT_EQ(outlook.wake, around_.time + 5s);
}

TEST_F(SagaSteps, WaitForAParticipantThatNobodyHas) {
  around_.closed = around_.missing = {"fn:a"};
  begin_with(chain({"a"}));
  EXPECT_EQ(outlook_of(execution(), decided_, around_).waits_for, "participant");
  around_.closed.clear();
  go_on();
  hear_it({.step = "a", .round = 1, .attempt = 1, .outcome = SagaOutcome::retry, .is_spent = false});
  EXPECT_EQ(outlook_of(execution(), {}, around_).waits_for, "participant") << "until the next attempt, too";
  EXPECT_FALSE(execution().is_turned_back());
}

TEST_F(SagaSteps, AreNotLookedAtBeforeTheirCircuitWhenTheirRetryIsOverdue) {
  begin_with(chain({"a"}));
  answer("a", SagaOutcome::retry, "X");
  around_.closed.insert("fn:a");
  pass(1min);
  EXPECT_EQ(outlook_of(execution(), decided_, around_).wake, around_.time + 5s);
}

TEST_F(SagaSteps, ThatSomethingBeforeTheParticipantRefusesGoToAPersonAndNeverBack) {
  begin_with(chain({"a"}));
  for (std::uint32_t attempt = 1; attempt <= 4; ++attempt) {
    hear_it({.step = "a", .round = 1, .attempt = attempt, .is_spent = false, .is_held = true, .code = "HTTP.404"});
    pass(5min);
  }
  EXPECT_EQ(state(), SagaState::manual);
  EXPECT_FALSE(execution().is_turned_back());
  EXPECT_EQ(decided_.alarms.size(), 2U);
}

TEST_F(SagaSteps, AreNotTurnedBackByAProxyWhenTheirAttemptsAreSpent) {
  begin_with(chain({"a"}));
  answer("a", SagaOutcome::unknown, "HTTP.500");
  pass(1s);
  hear_it({.step = "a", .round = 1, .attempt = 2, .is_spent = false, .is_held = true, .code = "HTTP.404"});
  pass(10s);
  EXPECT_FALSE(execution().is_turned_back());
}

TEST_F(SagaSteps, AreNotTurnedBackByTheCodeOfSomebodyWhoWasNotReachedWhenTheirOwnerDies) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].retry.attempts_max = 1;
  definition.steps[0].on_failure = {{.code = "TX.TIMEOUT", .action = FailureAction::retry, .retries = 2}};
  begin_with(definition);
  pass(10s);  // The first has expired, and its rule allows two more.
  pass(1s);
  hear_it({.step = "a", .round = 1, .attempt = 2, .outcome = SagaOutcome::retry, .is_spent = false, .code = "DOWN"});
  pass(5s);
  take_it_over();
  EXPECT_FALSE(execution().is_turned_back());
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/action/1.2", "a/action/1.3", "a/action/1.4"}));
}

TEST_F(SagaSteps, AtAPlainParticipantGoToAPersonWhenTheirOutcomeIsUnknown) {
  begin_with(chain({"a"}, SagaPromise::plain));
  answer("a", SagaOutcome::unknown, "HTTP.500");
  EXPECT_EQ(state(), SagaState::manual);
  EXPECT_EQ(sent(), Sent({"a/action/1.1"}));
}

TEST_F(SagaSteps, AreTriedAgainUnderANewKeyByTheirRule) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].on_failure = {{.code = "BUSY", .action = FailureAction::retry, .retries = 1}};
  begin_with(definition);
  answer("a", SagaOutcome::fail, "BUSY");
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/action/2.1"}));
  answer("a", SagaOutcome::fail, "BUSY");
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaSteps, GetNoNewKeyWhileAnAttemptMayBeDone) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].on_failure = {{.code = "BUSY", .action = FailureAction::retry, .retries = 1}};
  begin_with(definition);
  answer("a", SagaOutcome::unknown);
  pass(1s);
  answer("a", SagaOutcome::fail, "BUSY");
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/action/1.2", "a/compensation/1.1"}));
}

TEST_F(SagaSteps, GoToAPersonOrAreSkippedByTheirRules) {
  SagaDefinition definition = chain({"a", "b"});
  definition.steps[0].on_failure = {{.code = "*", .action = FailureAction::skip}};
  definition.steps[1].on_failure = {{.code = "X", .action = FailureAction::manual, .reason = "call them"}};
  begin_with(definition);
  answer("a", SagaOutcome::fail, "Y");
  EXPECT_TRUE(facts("a").is_skipped());
  answer("b", SagaOutcome::fail, "X");
  EXPECT_EQ(state(), SagaState::manual);
  EXPECT_EQ(execution().reason(), "call them");
}

TEST_F(SagaSteps, WaitBehindTheirGate) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].approval = SagaApproval{.timeout = 1h, .on_timeout = FailureAction::compensate};
  begin_with(definition);
  EXPECT_EQ(sent(), Sent());
  ask({.verb = "decide", .step = "a", .choice = "approve"});
  EXPECT_EQ(sent(), Sent({"a/action/1.1"}));
}

TEST_F(SagaSteps, FailWhenTheyAreRejectedOrNobodyDecides) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].approval = SagaApproval{.timeout = 1h, .on_timeout = FailureAction::compensate};
  begin_with(definition);
  ask({.verb = "decide", .step = "a", .choice = "reject"});
  EXPECT_EQ(state(), SagaState::compensated);
  EXPECT_EQ(execution().code(), "REJECTED");
  begin_with(definition);
  pass(1h);
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaSteps, AreLeftOutWhenTheirConditionDoesNotHold) {
  SagaDefinition definition = chain({"a", "b"});
  definition.steps[0].condition = "${input.flag}";
  begin_with(definition, R"({"flag":false})");
  EXPECT_EQ(sent(), Sent({"b/action/1.1"}));
}

TEST_F(SagaSteps, GoToAPersonWhenATemplateLeadsNowhere) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].action.input = R"({"x":"${input.missing}"})";
  begin_with(definition);
  EXPECT_EQ(state(), SagaState::manual);
  EXPECT_EQ(execution().code(), "SAGA.NO_VALUE");
}

TEST_F(SagaSteps, ThatKillTheirOwnersGoToAPersonWhoCanRetryThem) {
  begin_with(chain({"a"}));
  for (int death = 0; death < 5; ++death) {
    take_it_over();
    pass(0s);
  }
  EXPECT_EQ(state(), SagaState::manual);
  EXPECT_EQ(execution().code(), "TX.POISON");
  sent();
  ask({.verb = "retry"});
  EXPECT_EQ(sent(), Sent({"a/action/1.6"}));
}

TEST_F(SagaSteps, AreLookedUpBeforeTheyCountAsUnknown) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].check = SagaCall{.uri = "fn:check-a"};
  definition.steps[0].retry.attempts_max = 1;
  begin_with(definition);
  answer("a", SagaOutcome::unknown);
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/check/1.1"}));
  answer("a", SagaOutcome::fail, {}, Direction::check);
  EXPECT_EQ(state(), SagaState::compensated);
  EXPECT_EQ(sent(), Sent());
}

TEST_F(SagaSteps, AreCompensatedToBeSureWhereALookUpProvesNothing) {
  SagaDefinition definition = chain({"a"}, SagaPromise::barrier);
  definition.steps[0].check = SagaCall{.uri = "fn:check-a"};
  definition.steps[0].retry.attempts_max = 1;
  begin_with(definition);
  answer("a", SagaOutcome::unknown);
  answer("a", SagaOutcome::fail, {}, Direction::check);
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/check/1.1", "a/compensation/1.1"}));
}

TEST_F(SagaSteps, OfAnUnknownDefinitionAreNone) {
  execution_ = std::make_unique<Execution>(saga_start());
  Draft draft = new_draft();
  begin(draft, nullptr);
  EXPECT_EQ(state(), SagaState::failed);
  EXPECT_EQ(execution().code(), "SAGA.NO_DEFINITION");
}

}  // namespace
}  // namespace makegood::core
