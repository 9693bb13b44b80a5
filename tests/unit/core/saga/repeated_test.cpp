// Steps that are carried out once for each element of a list.
#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

class SagaRepeated : public SagaOnPaper {
 protected:
  /// `ship` for each of `items`, then `b`.
  static SagaDefinition each(std::uint32_t concurrency = 10) {
    SagaDefinition definition = chain({"ship", "b"});
    definition.steps[0].for_each = SagaForEach{.list = R"("${input.items}")", .max = 3, .concurrency = concurrency};
    return definition;
  }
  std::vector<std::string> bodies() {
    std::vector<std::string> bodies;
    for (const SagaSend& send : std::exchange(decided_.sends, {})) bodies.push_back(send.body);
    return bodies;
  }
};

TEST_F(SagaRepeated, IsOneStepForEachElement) {
  begin_with(each(), R"({"items":["x","y"]})");
  EXPECT_EQ(sent(), (Sent{"ship.0/action/1.1", "ship.1/action/1.1"}));
  EXPECT_EQ(key_of(execution(), 1, Direction::action, 1), "default/x/ship.1/action/1");
  answer("ship.1", SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent{}) << "the next group waits for all of them";
  answer("ship.0", SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent{"b/action/1.1"});
}

TEST_F(SagaRepeated, SendsTheElement) {
  SagaDefinition definition = each();
  begin_with(definition, R"({"items":[{"sku":"x"},7.10]})");
  EXPECT_EQ(bodies(), (Sent{R"({"sku":"x"})", "7.10"})) << "with the digits that it came with";
  definition.steps[0].action.input = R"({"of":"${item}","at":"${index}","all":"${input.items}"})";
  begin_with(definition, R"({"items":["x"]})");
  EXPECT_EQ(bodies(), Sent{R"({"of":"x","at":0,"all":["x"]})"});
}

TEST_F(SagaRepeated, GivesLaterStepsAListOfOutputs) {
  SagaDefinition definition = each();
  definition.steps[1].action.input = R"({"all":"${ship}","second":"${ship.1.id}"})";
  begin_with(definition, R"({"items":["x","y"]})");
  answer("ship.0", SagaOutcome::ok);
  answer("ship.1", SagaOutcome::ok);
  EXPECT_EQ(bodies().back(), R"({"all":[{"id":1},{"id":1}],"second":1})");
}

TEST_F(SagaRepeated, ForNothingIsDoneAtOnce) {
  SagaDefinition definition = each();
  definition.steps[1].action.input = R"({"all":"${ship}"})";
  begin_with(definition, R"({"items":[]})");
  EXPECT_EQ(bodies(), Sent{R"({"all":[]})"});
}

TEST_F(SagaRepeated, OfNothingElseHasCompleted) {
  SagaDefinition definition = each();
  definition.steps.pop_back();
  begin_with(definition, R"({"items":[]})");
  EXPECT_EQ(state(), SagaState::completed);
}

TEST_F(SagaRepeated, HasNoMoreUnderWayThanItSays) {
  begin_with(each(2), R"({"items":[1,2,3]})");
  EXPECT_EQ(sent(), (Sent{"ship.0/action/1.1", "ship.1/action/1.1"}));
  answer("ship.0", SagaOutcome::unknown);
  EXPECT_EQ(sent(), Sent{}) << "it is not through with the first one";
  answer("ship.1", SagaOutcome::ok);
  EXPECT_EQ(sent(), Sent{"ship.2/action/1.1"});
}

TEST_F(SagaRepeated, IsUndoneByIndexTheLastOneFirst) {
  begin_with(each(1), R"({"items":["x","y","z"]})");
  answer("ship.0", SagaOutcome::ok);
  answer("ship.1", SagaOutcome::ok);
  sent();
  answer("ship.2", SagaOutcome::fail, "NO_STOCK");
  EXPECT_EQ(sent(), Sent{"ship.1/compensation/1.1"});
  undo("ship.1");
  EXPECT_EQ(sent(), Sent{"ship.0/compensation/1.1"});
  undo("ship.0");
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaRepeated, UndoesAnElementWithItsOwnOutput) {
  SagaDefinition definition = each();
  begin_with(definition, R"({"items":["x"]})");
  answer("ship.0", SagaOutcome::ok);
  bodies();
  answer("b", SagaOutcome::fail, "NO");
  EXPECT_EQ(bodies(), Sent{R"({"input":{"items":["x"]},"item":"x","output":{"id":1}})"});
  definition.steps[0].compensation->input = R"({"undo":"${ship.id}","of":"${item}","key":"${ship.key}"})";
  begin_with(definition, R"({"items":["x"]})");
  answer("ship.0", SagaOutcome::ok);
  bodies();
  answer("b", SagaOutcome::fail, "NO");
  EXPECT_EQ(bodies(), Sent{R"({"undo":1,"of":"x","key":"default/x/ship.0/action/1"})"});
}

TEST_F(SagaRepeated, HoldsUpWhatIsBeforeItAlsoWhenAnElementIsStalled) {
  SagaDefinition definition = chain({"a", "ship", "b"});
  definition.steps[1].for_each = SagaForEach{.list = R"("${input.items}")"};
  definition.steps[1].compensation->input = R"({"undo":"${ship.id|null}"})";
  begin_with(definition, R"({"items":["x","y"]})");
  for (const char* step : {"a", "ship.0", "ship.1"}) answer(step, SagaOutcome::ok);
  answer("b", SagaOutcome::fail, "NO");
  sent();
  pass(40s);  // Nobody undoes ship.1; the others do not wait for it any more.
  EXPECT_EQ(sent(), Sent{"ship.0/compensation/1.1"}) << "and not `a` before `ship.0`";
}

TEST_F(SagaRepeated, AsksAPersonWhenItsListIsTooLongOrNone) {
  begin_with(each(), R"({"items":[1,2,3,4]})");
  EXPECT_EQ(state(), SagaState::manual);
  EXPECT_EQ(execution().code(), "SAGA.TOO_MANY");
  begin_with(each(), R"({"items":{"a":1}})");
  EXPECT_EQ(execution().code(), "SAGA.NO_VALUE");
  begin_with(each(), "{}");
  EXPECT_EQ(execution().code(), "SAGA.NO_VALUE");
}

TEST_F(SagaRepeated, IsLeftOutAsAWhole) {
  SagaDefinition definition = each();
  definition.steps[0].condition = "${input.wants}";
  begin_with(definition, R"({"items":[1],"wants":false})");
  EXPECT_EQ(sent(), Sent{"b/action/1.1"});
  EXPECT_TRUE(facts("ship").is_skipped());
}

TEST_F(SagaRepeated, IsTheSameForWhoeverReadsItsJournal) {
  begin_with(each(), R"({"items":["x","y"]})");
  answer("ship.1", SagaOutcome::ok);
  Execution again(saga_start(R"({"items":["x","y"]})"));
  for (const SagaRecord& record : decode_saga_records(encode(decided_.records)).value())
    again.apply(record, definition_);
  ASSERT_EQ(again.step_count(), 3U);
  EXPECT_TRUE(again.facts(1).is_done());
  EXPECT_EQ(again.item(0)->value, R"("x")");
}

TEST_F(SagaRepeated, KeepsItsListUnderAnotherVersion) {
  begin_with(each(), R"({"items":["x","y"]})");
  sent();
  SagaDefinition other = each();
  other.version = 2;
  other.steps[0].for_each->list = R"("${input.others}")";
  other.steps[0].compensation->input = R"({"of":"${item}"})";
  repin(std::make_shared<const SagaDefinition>(other));
  EXPECT_EQ(last_refusal(), "");
  answer("ship.0", SagaOutcome::ok);
  answer("ship.1", SagaOutcome::fail, "NO");
  EXPECT_EQ(bodies().back(), R"({"of":"x"})");
}

TEST_F(SagaRepeated, IsSettledElementByElement) {
  SagaDefinition definition = each();
  definition.steps[0].participant = SagaPromise::plain;
  begin_with(definition, R"({"items":["x","y"]})");
  answer("ship.0", SagaOutcome::ok);
  answer("ship.1", SagaOutcome::unknown);
  EXPECT_EQ(state(), SagaState::manual);
  ask({.verb = "resolve", .step = "ship.1", .choice = "done"});
  EXPECT_EQ(sent().back(), "b/action/1.1");
}

}  // namespace
}  // namespace makegood::core
