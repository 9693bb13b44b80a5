#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

class SagaPivot : public SagaOnPaper {
 protected:
  SagaDefinition with_pivot() {
    SagaDefinition definition = chain({"a", "p", "z"});
    definition.steps[1].is_pivot = true;
    definition.steps[1].compensation.reset();
    definition.steps[1].retry.attempts_max = 1;
    definition.steps[2].compensation.reset();
    definition.deadline = 1h;
    return definition;
  }
};

TEST_F(SagaPivot, ThatFailsTurnsBack) {
  begin_with(with_pivot());
  answer("a", SagaOutcome::ok);
  answer("p", SagaOutcome::fail, "NO");
  EXPECT_TRUE(execution().is_turned_back());
}

TEST_F(SagaPivot, ThatIsUnknownNeverTurnsBackWhateverComes) {
  begin_with(with_pivot());
  answer("a", SagaOutcome::ok);
  answer("p", SagaOutcome::unknown, "HTTP.500");
  EXPECT_EQ(state(), SagaState::manual);
  ask({.verb = "cancel"});
  EXPECT_EQ(last_refusal(), "Its pivot may be done: it only goes forward.");
  ask({.verb = "retry"});
  answer("p", SagaOutcome::fail, "NO");
  EXPECT_EQ(state(), SagaState::manual);
  ask({.verb = "resume"});
  pass(2h);
  EXPECT_FALSE(execution().is_turned_back());
}

TEST_F(SagaPivot, UnderWayRefusesACancel) {
  begin_with(with_pivot());
  answer("a", SagaOutcome::ok);
  ask({.verb = "cancel"});
  EXPECT_FALSE(execution().is_turned_back());
}

TEST_F(SagaPivot, LeavesWhatFailsBehindItToAPerson) {
  begin_with(with_pivot());
  answer("a", SagaOutcome::ok);
  answer("p", SagaOutcome::ok);
  answer("z", SagaOutcome::fail, "NO");
  EXPECT_EQ(state(), SagaState::manual);
}

TEST_F(SagaPivot, ThatIsSkippedCountsAsPassed) {
  SagaDefinition definition = with_pivot();
  definition.steps[1].on_failure = {{.code = "*", .action = FailureAction::skip}};
  begin_with(definition);
  answer("a", SagaOutcome::ok);
  answer("p", SagaOutcome::fail, "NO");
  answer("z", SagaOutcome::fail, "NO");
  EXPECT_EQ(state(), SagaState::manual);
}

TEST_F(SagaPivot, ThatWasDoneAfterAllMakesItFailed) {
  begin_with(with_pivot());
  answer("a", SagaOutcome::ok);
  answer("p", SagaOutcome::unknown);
  ask({.verb = "resolve", .step = "p", .choice = "not_done"});
  undo("a");
  EXPECT_EQ(state(), SagaState::compensated);
  hear_it({.step = "p", .round = 1, .attempt = 1, .outcome = SagaOutcome::ok});
  EXPECT_EQ(state(), SagaState::failed);
  EXPECT_EQ(execution().open_steps(), std::vector<std::string>({"p"}));
}

}  // namespace
}  // namespace makegood::core
