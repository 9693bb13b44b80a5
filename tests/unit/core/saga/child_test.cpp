// Executions that are steps of others: what each asks of the other, and what it makes of the answer.
#include <array>
#include <span>

#include "base/saga_children.hpp"
#include "core/saga/request.hpp"
#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

/// A parent whose step `a` is a child, then `b`.
class SagaParentOnPaper : public SagaOnPaper {
 protected:
  static SagaDefinition with_child() {
    SagaDefinition definition = chain({"a", "b"});
    definition.steps[0].action.uri = "saga:pay@3";
    definition.steps[0].compensation.reset();
    settle_children(definition);
    return definition;
  }
  std::vector<NewMessage> asked() {
    std::vector<NewMessage> rows;
    for (const SagaSend& post : std::exchange(decided_.posts, {})) rows.push_back(child_request(execution(), post));
    return rows;
  }
  /// As a child tells: it does not know the numbers of attempts.
  void child_says(SagaOutcome outcome, const std::string& code = {}, Direction direction = Direction::action) {
    hear_it({.step = "a",
             .direction = direction,
             .round = direction == Direction::action ? facts("a").actions().round() : 0,
             .attempt = last_attempt,
             .outcome = outcome,
             .code = code,
             .output = outcome == SagaOutcome::ok ? R"({"id":7})" : ""});
  }
};

TEST_F(SagaParentOnPaper, StartsItsChildWithTheTurn) {
  begin_with(with_child(), R"({"cents":5})");
  EXPECT_EQ(sent(), Sent{});
  const auto rows = asked();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].topic, "pay");
  EXPECT_EQ(rows[0].event_id, "x:a:1");
  EXPECT_EQ(rows[0].payload, R"({"cents":5})");
  EXPECT_EQ(rows[0].headers.at("saga-version"), "3");
  EXPECT_EQ(rows[0].headers.at("saga-parent"), "x");
  EXPECT_EQ(outlook_of(execution(), decided_, around_).waits_for, "child");
}

TEST_F(SagaParentOnPaper, GoesOnWithTheOutputOfAChildThatHasCompleted) {
  begin_with(with_child());
  child_says(SagaOutcome::ok);
  EXPECT_TRUE(facts("a").is_done());
  EXPECT_EQ(facts("a").output(), R"({"id":7})");
  EXPECT_EQ(sent(), Sent{"b/action/1.1"});
}

TEST_F(SagaParentOnPaper, TurnsBackWhenItsChildWasCompensated) {
  begin_with(with_child());
  asked();
  child_says(SagaOutcome::fail, "NO_FUNDS");
  EXPECT_EQ(state(), SagaState::compensated);
  EXPECT_EQ(execution().code(), "NO_FUNDS");
  EXPECT_TRUE(asked().empty()) << "there is nothing to undo";
}

TEST_F(SagaParentOnPaper, AsksPeopleWhenItsChildHasFailed) {
  begin_with(with_child());
  asked();
  child_says(SagaOutcome::unknown, "SAGA.COMPENSATION_GIVEN_UP");
  EXPECT_EQ(state(), SagaState::manual);
  ask({.verb = "retry"});
  const auto rows = asked();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].topic, "makegood.saga.ask") << "it is asked again, and not started again";
  child_says(SagaOutcome::fail, "NO_FUNDS");
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaParentOnPaper, BelievesAChildThatIsSettledWhileItWaitsForPeople) {
  begin_with(with_child());
  child_says(SagaOutcome::unknown, "OPEN");
  child_says(SagaOutcome::fail, "NO_FUNDS");
  EXPECT_FALSE(facts("a").may_be_done(SagaPromise::barrier));
  ask({.verb = "resume"});
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaParentOnPaper, UndoesAChildThatHasCompleted) {
  begin_with(with_child());
  child_says(SagaOutcome::ok);
  asked();
  answer("b", SagaOutcome::fail, "NO");
  const auto rows = asked();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].topic, "makegood.saga.undo");
  EXPECT_EQ(rows[0].payload, R"({"execution":"x:a:1","reason":"its parent"})");
  EXPECT_EQ(state(), SagaState::compensating);
  child_says(SagaOutcome::ok, {}, Direction::compensation);
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaParentOnPaper, UndoesAChildThatIsUnderWayWhenItIsCancelled) {
  begin_with(with_child());
  asked();
  ask({.verb = "cancel"});
  const auto rows = asked();
  ASSERT_EQ(rows.size(), 1U) << "it need not wait for its end";
  EXPECT_EQ(rows[0].topic, "makegood.saga.undo");
  child_says(SagaOutcome::ok, {}, Direction::compensation);
  child_says(SagaOutcome::fail, "TX.CANCELLED");
  EXPECT_EQ(state(), SagaState::cancelled);
}

TEST_F(SagaParentOnPaper, AsksAgainToUndoAChildThatCouldNotBe) {
  begin_with(with_child());
  child_says(SagaOutcome::ok);
  answer("b", SagaOutcome::fail, "NO");
  asked();
  child_says(SagaOutcome::unknown, "OPEN", Direction::compensation);
  EXPECT_EQ(state(), SagaState::compensating) << "no person is asked: it is tried on";
  pass(10s);
  EXPECT_EQ(asked().size(), 1U);
}

TEST_F(SagaParentOnPaper, CallsItsOwnCompensationOnlyWhenTheChildHasEnded) {
  SagaDefinition definition = with_child();
  definition.steps[0].compensation = SagaCall{.uri = "fn:undo-pay"};
  begin_with(definition);
  asked();
  ask({.verb = "cancel"});
  EXPECT_EQ(sent(), Sent{});
  const auto rows = cancelled_children(execution());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].topic, "makegood.saga.undo");
  child_says(SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent{"a/compensation/1.1"});
}

TEST_F(SagaParentOnPaper, WithAChildAsItsPivotNeverTurnsBackFromIt) {
  SagaDefinition definition = with_child();
  definition.steps[0].is_pivot = true;
  begin_with(definition);
  ask({.verb = "cancel"});
  EXPECT_EQ(last_refusal(), "Its pivot may be done: it only goes forward.");
  child_says(SagaOutcome::fail, "NO_FUNDS");
  EXPECT_EQ(state(), SagaState::compensated) << "nothing of it was done";
}

TEST_F(SagaParentOnPaper, DoesNotGiveItsChildTheKeyThatItHolds) {
  execution_ = std::make_unique<Execution>([] {
    auto row = new_message(std::to_array<MessageText>({{&Message::event_id, "x"},
                                                       {&Message::tenant_id, "default"},
                                                       {&Message::topic, "d"},
                                                       {&Message::content, "{}"},
                                                       {&Message::dispatch_key, "customer-7"}}));
    row->sequence = 1;
    return row;
  }());
  definition_ = std::make_shared<const SagaDefinition>(with_child());
  Draft draft = new_draft();
  begin(draft, definition_);
  advance(draft);
  const auto rows = asked();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].dispatch_key, "") << "it would wait for its parent, who waits for it";
}

/// The child itself: `pay`, with a step `c`.
class SagaChildOnPaper : public SagaOnPaper {
 protected:
  static MessagePtr start(std::size_t depth = 1) {
    const std::string headers = R"({"saga-parent":"p","saga-parent-step":"a","saga-parent-round":"2","saga-depth":")" +
                                std::to_string(depth) + "\"}";
    auto row = new_message(std::to_array<MessageText>({{&Message::event_id, "p:a:2"},
                                                       {&Message::tenant_id, "default"},
                                                       {&Message::topic, "pay"},
                                                       {&Message::content, "{}"},
                                                       {&Message::headers, headers}}));
    row->sequence = 2;
    return row;
  }
  void begin_child(SagaDefinition definition, std::size_t depth = 1) {
    execution_ = std::make_unique<Execution>(start(depth));
    definition_ = std::make_shared<const SagaDefinition>(std::move(definition));
    Draft draft = new_draft();
    begin(draft, definition_);
    advance(draft);
  }
  std::vector<std::string> told() {
    std::vector<std::string> texts;
    for (const SagaAnswer& answer : answers_of_child(execution(), decided_.is_undo_refused)) {
      texts.push_back(answer.step + "/" + std::string(to_string(answer.direction)) + "/" +
                      std::to_string(answer.round) + " " + std::string(makegood::to_string(answer.outcome)) + " " +
                      answer.code);
    }
    return texts;
  }
  using Told = std::vector<std::string>;
};

TEST_F(SagaChildOnPaper, TellsOfItsEnd) {
  begin_child(chain({"c"}));
  EXPECT_EQ(told(), Told{});
  answer("c", SagaOutcome::ok);
  EXPECT_EQ(told(), Told{"a/action/2 ok "});
}

TEST_F(SagaChildOnPaper, SaysWithWhatItWasCompensated) {
  begin_child(chain({"c"}));
  answer("c", SagaOutcome::fail, "NO_FUNDS");
  EXPECT_EQ(told(), (Told{"a/compensation/0 ok ", "a/action/2 fail NO_FUNDS"}));
}

TEST_F(SagaChildOnPaper, IsUndoneAfterItHasCompleted) {
  begin_child(chain({"c"}));
  answer("c", SagaOutcome::ok);
  sent();
  ask({.verb = "undo"});
  EXPECT_EQ(sent(), Sent{"c/compensation/1.1"});
  EXPECT_FALSE(execution().has_ended());
  undo("c");
  EXPECT_EQ(state(), SagaState::compensated);
  EXPECT_EQ(told().front(), "a/compensation/0 ok ");
}

TEST_F(SagaChildOnPaper, IsUndoneWhileItRuns) {
  begin_child(chain({"c"}, SagaPromise::barrier));
  ask({.verb = "undo"});
  undo("c");
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaChildOnPaper, IsNotUndoneBehindItsPivotAndSaysSo) {
  SagaDefinition definition = chain({"c"});
  definition.steps[0].is_pivot = true;
  definition.steps[0].compensation.reset();
  begin_child(definition);
  ask({.verb = "undo"});
  EXPECT_TRUE(decided_.must_tell_parent);
  EXPECT_EQ(last_refusal(), "Its pivot may be done: it only goes forward.");
  EXPECT_EQ(told(), Told{"a/compensation/0 unknown TX.CANCELLED"});
  answer("c", SagaOutcome::ok);
  EXPECT_EQ(state(), SagaState::completed);
}

TEST_F(SagaChildOnPaper, SaysOnceMoreThatItIsUndone) {
  begin_child(chain({"c"}));
  answer("c", SagaOutcome::fail, "NO");
  decided_ = {};
  ask({.verb = "undo"});
  EXPECT_TRUE(decided_.must_tell_parent);
  EXPECT_TRUE(decided_.records.empty());
}

TEST_F(SagaChildOnPaper, IsNeverBegunOnceItWasUndone) {
  execution_ = std::make_unique<Execution>(start());
  Draft draft = new_draft();
  begin(draft, nullptr);  // Nobody knows its definition.
  EXPECT_EQ(told().back(), "a/action/2 unknown SAGA.NO_DEFINITION");
  ask({.verb = "undo"});
  EXPECT_EQ(state(), SagaState::cancelled);
  EXPECT_EQ(told().front(), "a/compensation/0 ok ");
  ask({.verb = "retry"});
  EXPECT_EQ(last_refusal(), "It has ended.");
}

TEST_F(SagaChildOnPaper, HasNoMoreThanSoManyAboveIt) {
  SagaDefinition definition = chain({"c"});
  definition.steps[0].action.uri = "saga:more@1";
  definition.steps[0].compensation.reset();
  settle_children(definition);
  begin_child(definition, kinship_depth_max);
  EXPECT_EQ(state(), SagaState::manual);
  EXPECT_EQ(execution().code(), "SAGA.NO_CHILD");
}

TEST_F(SagaOnPaper, OfNobodyIsNotUndoneByItsParent) {
  begin_with(chain({"c"}));
  answer("c", SagaOutcome::ok);
  ask({.verb = "undo"});
  EXPECT_EQ(last_refusal(), "It is no step of another execution.");
  EXPECT_EQ(state(), SagaState::completed);
}

}  // namespace
}  // namespace makegood::core
