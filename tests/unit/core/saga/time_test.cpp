#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

class SagaTime : public SagaOnPaper {
 protected:
  SagaDefinition with_deadline() {
    SagaDefinition definition = chain({"a"});
    definition.deadline = 1min;
    return definition;
  }
};

TEST_F(SagaTime, TurnsBackWhenTheDeadlineIsOver) {
  begin_with(with_deadline());
  answer("a", SagaOutcome::retry, "X");
  around_.closed.insert("fn:a");
  pass(1min);
  EXPECT_EQ(state(), SagaState::compensated);
  EXPECT_EQ(execution().code(), "TX.TIMEOUT");
}

TEST_F(SagaTime, OfOurOwnDowntimeDoesNotCount) {
  begin_with(with_deadline());
  answer("a", SagaOutcome::retry, "X");
  around_.closed.insert("fn:a");
  around_.downtime = 20min;
  pass(20min);
  EXPECT_FALSE(execution().is_turned_back());
  decided_.blocked_until.reset();
  EXPECT_EQ(outlook_of(execution(), decided_, around_).wake, execution().begun_at() + 21min);
}

TEST_F(SagaTime, BeginsAnewWithEachReportOfProgress) {
  begin_with(chain({"a"}));
  pass(9s);
  SagaAnswer report{.step = "a", .round = 1, .attempt = 1, .is_progress = true, .output = R"({"percent":40})"};
  hear_it(report);
  EXPECT_EQ(facts("a").progress(), R"({"percent":40})");
  pass(9s);
  EXPECT_TRUE(facts("a").actions().is_under_way()) << "it has ten seconds again, and they are not over";
  EXPECT_EQ(outlook_of(execution(), decided_, around_).waits_for, "callback");
  pass(1s);
  EXPECT_FALSE(facts("a").actions().is_under_way());
  hear_it(report);
  EXPECT_FALSE(facts("a").actions().is_under_way()) << "what was given up stays so";
  EXPECT_TRUE(has(RecordKind::noted));
}

TEST_F(SagaTime, DoesNotCountRightAfterATaking) {
  begin_with(chain({"a"}));
  around_.counts = false;
  pass(1h);
  EXPECT_TRUE(facts("a").actions().is_under_way());
  around_.counts = true;
  pass(0s);
  EXPECT_FALSE(has(RecordKind::turned_back));
  EXPECT_TRUE(has(RecordKind::answered));
}

TEST_F(SagaTime, ThatIsSetBackPutsOffNoRetry) {
  begin_with(chain({"a"}));
  answer("a", SagaOutcome::retry, "X");
  EXPECT_FALSE(facts("a").actions().is_under_way());
  pass(-1h);
  EXPECT_TRUE(facts("a").actions().is_under_way());
  answer("a", SagaOutcome::retry, "X");
  pass(0s);
  EXPECT_FALSE(facts("a").actions().is_under_way()) << "from here on it waits as always";
}

TEST_F(SagaTime, ThatIsSetBackToBeforeALateAnswerPutsOffNoRetry) {
  SagaDefinition definition = chain({"a"});
  definition.steps[0].timeout = 4min;
  begin_with(definition);
  pass(3min);
  answer("a", SagaOutcome::retry, "X");
  pass(-2min);
  EXPECT_TRUE(facts("a").actions().is_under_way()) << "its attempt began before that, and its waiting did not";
}

TEST_F(SagaTime, InWhichNobodyWasThereIsNotActive) {
  SagaDefinition definition = chain({"a"});
  definition.timeout = 1min;
  begin_with(definition);
  pass(1h);
  EXPECT_EQ(execution().active_for(), Duration(10s));
  EXPECT_FALSE(execution().is_turned_back());
}

TEST_F(SagaTime, InAPauseDoesNotCountAgainstGivingUp) {
  begin_with(chain({"a", "b"}));
  answer("a", SagaOutcome::ok);
  answer("b", SagaOutcome::fail, "NO");
  undo("a", SagaOutcome::retry);
  ask({.verb = "pause"});
  pass(48h);
  ask({.verb = "resume"});
  EXPECT_EQ(state(), SagaState::compensating);
}

class SagaTakeOver : public SagaOnPaper {};

TEST_F(SagaTakeOver, RepeatsWhatWasUnderWayWithTheSameKey) {
  begin_with(chain({"a"}));
  sent();
  take_it_over();
  EXPECT_TRUE(has(RecordKind::lost));
  EXPECT_EQ(sent(), Sent({"a/action/1.2"}));
}

TEST_F(SagaTakeOver, WaitsForTheDeadlineAtAPlainParticipant) {
  begin_with(chain({"a"}, SagaPromise::plain));
  sent();
  take_it_over();
  EXPECT_EQ(sent(), Sent());
  pass(10s);
  EXPECT_EQ(state(), SagaState::manual);
}

TEST_F(SagaTakeOver, HearsTheAnswerToALostAttempt) {
  begin_with(chain({"a"}));
  take_it_over();
  hear_it({.step = "a", .round = 1, .attempt = 1, .outcome = SagaOutcome::ok});
  EXPECT_EQ(state(), SagaState::completed);
}

TEST_F(SagaTakeOver, FoldsTheJournalToTheSameState) {
  begin_with(chain({"a", "b"}));
  answer("a", SagaOutcome::ok);
  answer("b", SagaOutcome::unknown, "X");
  const auto records = decode_saga_records(encode(decided_.records)).value();
  Execution folded(saga_start());
  for (const SagaRecord& record : records) folded.apply(record, definition_);
  EXPECT_EQ(state_of(folded, {}), state());
  EXPECT_EQ(folded.facts(0).output(), facts("a").output());
  EXPECT_EQ(folded.facts(1).actions().next_number(), facts("b").actions().next_number());
  EXPECT_EQ(key_of(folded, 1, Direction::action, 1), "default/x/b/action/1");
}

}  // namespace
}  // namespace makegood::core
