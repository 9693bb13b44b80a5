#include <functional>

#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

class SagaOperators : public SagaOnPaper {};

TEST_F(SagaOperators, PauseAndResume) {
  begin_with(chain({"a", "b"}));
  ask({.verb = "pause"});
  answer("a", SagaOutcome::ok);
  EXPECT_EQ(state(), SagaState::paused);
  EXPECT_EQ(sent(), Sent({"a/action/1.1"}));
  ask({.verb = "pause"});
  EXPECT_EQ(last_refusal(), "It is paused already.");
  ask({.verb = "resume"});
  EXPECT_EQ(sent(), Sent({"b/action/1.1"}));
}

TEST_F(SagaOperators, AreRefusedWhenTheySawAnotherState) {
  begin_with(chain({"a"}));
  ask({.verb = "cancel", .seen_state = "manual"});
  EXPECT_EQ(last_refusal(), "Its state is running, not manual.");
  EXPECT_FALSE(execution().is_turned_back());
}

TEST_F(SagaOperators, CancelInFlightWithoutBeginningAnythingNew) {
  begin_with(chain({"a", "b"}));
  ask({.verb = "cancel"});
  answer("a", SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/compensation/1.1"}));
  undo("a");
  EXPECT_EQ(state(), SagaState::cancelled);
}

TEST_F(SagaOperators, RetryUnderTheSameKeyWhileAnAttemptMayBeDone) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].on_failure = {{.code = "*", .action = FailureAction::manual}};
  definition.steps[0].retry.attempts_max = 1;
  begin_with(definition);
  answer("a", SagaOutcome::unknown, "X");
  ask({.verb = "retry", .body = R"({"n":1})"});
  EXPECT_EQ(last_refusal(), "An attempt may be done: resolve it before its input is changed.");
  ask({.verb = "retry"});
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/action/1.2"}));
}

TEST_F(SagaOperators, RetryUnderANewKeyWithOtherInputAfterADefiniteFailure) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].on_failure = {{.code = "*", .action = FailureAction::manual}};
  begin_with(definition);
  answer("a", SagaOutcome::fail, "X");
  ask({.verb = "retry", .body = R"({"n":1})"});
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/action/2.1"}));
  EXPECT_EQ(body_of(execution(), 0, Direction::action).value(), R"({"n":1})");
}

TEST_F(SagaOperators, SkipForwardButNotBack) {
  SagaDefinition definition = chain({"a", "b"});
  definition.steps[1].on_failure = {{.code = "*", .action = FailureAction::manual}};
  begin_with(definition);
  ask({.verb = "skip", .step = "a"});
  EXPECT_EQ(last_refusal(), "The step is under way.");
  answer("a", SagaOutcome::ok);
  answer("b", SagaOutcome::fail, "X");
  ask({.verb = "skip", .step = "b"});
  EXPECT_EQ(state(), SagaState::completed);
}

TEST_F(SagaOperators, SkipThePathAndNotTheFacts) {
  SagaDefinition definition = chain({"a", "b"});
  definition.steps[0].on_failure = {{.code = "*", .action = FailureAction::skip}};
  definition.steps[0].retry.attempts_max = 1;
  begin_with(definition);
  answer("a", SagaOutcome::unknown, "X");
  answer("b", SagaOutcome::fail, "Y");
  undo("a");
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaOperators, ResolveWhatNobodyKnows) {
  begin_with(chain({"a", "b"}, SagaPromise::plain));
  answer("a", SagaOutcome::unknown);
  ASSERT_EQ(state(), SagaState::manual);
  ask({.verb = "resolve", .step = "a", .choice = "undone"});
  EXPECT_EQ(last_refusal(), "It is not being compensated; say `done` or `not_done`.");
  ask({.verb = "resolve", .step = "a", .choice = "done", .body = R"({"id":7})"});
  EXPECT_EQ(facts("a").output(), R"({"id":7})");
  EXPECT_FALSE(facts("b").actions().empty());
}

TEST_F(SagaOperators, MayTryAgainWhatTheySayWasNotDone) {
  begin_with(chain({"a"}, SagaPromise::plain));
  answer("a", SagaOutcome::unknown);
  ask({.verb = "resolve", .step = "a", .choice = "not_done"});
  pass(1s);
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "a/action/1.2"}));
}

TEST_F(SagaOperators, DoNotResolveWhatMayStillRun) {
  begin_with(chain({"a"}, SagaPromise::late));
  ask({.verb = "cancel"});
  ask({.verb = "resolve", .step = "a", .choice = "not_done"});
  EXPECT_EQ(last_refusal(), "A request of the step may still run: wait for its deadline.");
}

TEST_F(SagaOperators, AreRefusedAfterTheEnd) {
  begin_with(chain({"a"}));
  answer("a", SagaOutcome::ok);
  for (const char* verb : {"pause", "cancel", "retry", "skip", "compensate", "resolve"}) {
    ask({.verb = verb, .step = "a"});
    EXPECT_EQ(last_refusal(), "It has ended.") << verb;
  }
}

TEST_F(SagaOperators, LeaveNotesInAnyState) {
  begin_with(chain({"a", "b"}));
  ask({.verb = "annotate", .operator_name = "ann", .reason = "the customer called"});
  EXPECT_EQ(state(), SagaState::running);
  EXPECT_EQ(decided_.records.back().kind, RecordKind::noted);
  EXPECT_EQ(decided_.records.back().operator_name, "ann");
  EXPECT_EQ(decided_.records.back().reason, "the customer called");
  answer("a", SagaOutcome::ok);
  answer("b", SagaOutcome::ok);
  ask({.verb = "annotate", .operator_name = "bob", .reason = "delivered by hand"});
  EXPECT_EQ(state(), SagaState::completed);
  EXPECT_EQ(decided_.records.back().reason, "delivered by hand");
  ask({.verb = "annotate", .operator_name = "bob"});
  EXPECT_EQ(last_refusal(), "The note is empty.");
}

TEST_F(SagaOperators, LeaveNotesAtWhatHasNotBegun) {
  execution_ = std::make_unique<Execution>(saga_start());
  ask({.verb = "annotate", .operator_name = "ann", .reason = "it is not due"});
  EXPECT_TRUE(last_refusal().empty());
  EXPECT_EQ(state(), SagaState::pending);
}

SagaDefinitionPtr next_version(SagaDefinition definition) {
  definition.version = 2;
  return std::make_shared<const SagaDefinition>(std::move(definition));
}

TEST_F(SagaOperators, RepinWithAChangedMappingAndOneKeyHasOneBody) {
  begin_with(chain({"a", "b"}), R"({"n":1})");
  answer("a", SagaOutcome::unknown, "X");
  SagaDefinition changed = chain({"a", "b"});
  for (SagaStep& step : changed.steps) step.action.input = R"({"m":"${input.n}"})";
  repin(next_version(changed));
  EXPECT_EQ(execution().definition()->version, 2);
  decided_.sends.clear();
  pass(1s);
  ASSERT_EQ(decided_.sends.size(), 1U);
  EXPECT_EQ(decided_.sends[0].attempt, 2U);
  EXPECT_EQ(decided_.sends[0].body, R"({"n":1})") << "under the key of the first attempt";
  answer("a", SagaOutcome::ok);
  EXPECT_EQ(decided_.sends.back().body, R"({"m":1})") << "what had not begun goes by the new mapping";
}

TEST_F(SagaOperators, RepinAndANewRoundGoesByTheNewMapping) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].on_failure = {{.code = "*", .action = FailureAction::manual}};
  begin_with(definition, R"({"n":1})");
  answer("a", SagaOutcome::fail, "X");
  definition.steps[0].action.input = R"({"m":"${input.n}"})";
  repin(next_version(definition));
  EXPECT_EQ(state(), SagaState::manual);
  ask({.verb = "retry"});
  EXPECT_EQ(decided_.sends.back().round, 2U);
  EXPECT_EQ(decided_.sends.back().body, R"({"m":1})");
}

TEST_F(SagaOperators, RepinToTheSameStepsOnly) {
  begin_with(chain({"a", "b"}));
  repin(nullptr);
  EXPECT_EQ(last_refusal(), "Its definition has no version 2.");
  repin(next_version(chain({"a", "c"})));
  EXPECT_TRUE(last_refusal().starts_with("The steps of version 2 are not the same")) << last_refusal();
  for (const auto& change : std::vector<std::function<void(SagaStep&)>>{
           [](SagaStep& step) { step.group = 0; }, [](SagaStep& step) { step.is_pivot = true; },
           [](SagaStep& step) { step.participant = SagaPromise::late; },
           [](SagaStep& step) { step.has_no_effect = true; }, [](SagaStep& step) { step.compensation.reset(); },
           [](SagaStep& step) { step.check = SagaCall{.uri = "fn:look"}; },
           [](SagaStep& step) { step.action.uri = "event:paid"; }}) {
    SagaDefinition changed = chain({"a", "b"});
    change(changed.steps[1]);
    repin(next_version(changed));
    EXPECT_EQ(execution().definition()->version, 1);
  }
  answer("a", SagaOutcome::ok);
  answer("b", SagaOutcome::ok);
  repin(next_version(chain({"a", "b"})));
  EXPECT_EQ(last_refusal(), "It has ended.");
}

TEST_F(SagaOperators, RetryWhatHadNoDefinition) {
  execution_ = std::make_unique<Execution>(saga_start());
  Draft draft = new_draft();
  begin(draft, nullptr);
  ask({.verb = "cancel"});
  EXPECT_FALSE(last_refusal().empty());
  ask({.verb = "retry"});
  EXPECT_FALSE(execution().has_ended());
}

TEST_F(SagaOperators, AreAskedOnceAboutAJournalThatGrowsAndGrows) {
  around_.longest = 3;
  begin_with(chain({"a", "b", "c"}));
  count_revisions(3);
  answer("a", SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent({"a/action/1.1", "b/action/1.1"})) << "three are not too many";
  count_revisions(1);
  answer("b", SagaOutcome::ok);
  EXPECT_EQ(state(), SagaState::manual);
  EXPECT_EQ(execution().code(), saga_code::too_long);
  EXPECT_EQ(sent(), Sent());
  count_revisions(1);
  ask({.verb = "resume"});
  EXPECT_EQ(sent(), Sent({"c/action/1.1"})) << "it is counted from the last resume";
  count_revisions(3);
  answer("c", SagaOutcome::ok);
  EXPECT_EQ(state(), SagaState::completed);
}

TEST_F(SagaOperators, AreNotToldOfReportsWithoutEnd) {
  around_.longest = 3;
  begin_with(chain({"a"}));
  const SagaAnswer report{.step = "a", .round = 1, .attempt = 1, .is_progress = true};
  hear_it(report);
  EXPECT_TRUE(has(RecordKind::extended));
  count_revisions(4);
  decided_.records.clear();
  hear_it(report);
  EXPECT_FALSE(has(RecordKind::extended));
  EXPECT_FALSE(has(RecordKind::noted)) << "a report that is passed over costs no revision";
  EXPECT_TRUE(has(RecordKind::to_manual));
}

}  // namespace
}  // namespace makegood::core
