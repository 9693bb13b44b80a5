#include "rehearsal/rehearsal.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "rehearsal/values.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::rehearsal {
namespace {

using namespace std::chrono_literals;
using core::Direction;
using Names = std::vector<std::string>;

SagaStep step_of(std::string name, std::size_t group, SagaPromise promise = SagaPromise::barrier) {
  SagaStep step{.name = std::move(name), .group = group, .action = {"http:shop/do"}, .participant = promise};
  step.compensation = SagaCall{"http:shop/undo"};
  step.retry.attempts_max = 2;
  return step;
}

/// order, pay, the pivot ship, mail.
SagaDefinition shop() {
  return {.name = "shop",
          .give_up_after = 10min,
          .steps = {step_of("order", 0), step_of("pay", 1),
                    SagaStep{.name = "ship", .group = 2, .action = {"fn:ship"}, .is_pivot = true},
                    SagaStep{.name = "mail", .group = 3, .action = {"https://mail.example/send"}}}};
}

Played played(const SagaDefinition& definition, std::vector<Fault> faults, const std::string& input = "{}") {
  return value_of(play(definition, {.input = input, .script = {.faults = std::move(faults)}}));
}

TEST(Stage, CarriesASagaOutAndCallsNobody) {
  const Played end = played(shop(), {});
  EXPECT_EQ(end.state, SagaState::completed);
  EXPECT_EQ(end.begun, (Names{"order", "pay", "ship", "mail"}));
  EXPECT_EQ(end.calls, 4U);
}

/// order, the event paid, a day, ship.
SagaDefinition waiting_shop(Duration timeout) {
  SagaStep paid{.name = "paid", .group = 1, .action = {"event:paid"}, .has_no_effect = true, .timeout = timeout};
  SagaStep pause{.name = "pause", .group = 2, .action = {"wait:24h"}, .has_no_effect = true, .timeout = {}};
  SagaStep ship = step_of("ship", 3);
  ship.action.input = R"({"receipt":"${paid.receipt}"})";
  return {.name = "shop", .steps = {step_of("order", 0), paid, pause, ship}};
}

TEST(Stage, TellsOfEventsAndLetsTimePass) {
  const Played end = value_of(play(waiting_shop({}), {.script = {.outputs = {{"paid", R"({"receipt":7})"}}}}));
  EXPECT_EQ(end.state, SagaState::completed);
  EXPECT_EQ(end.begun, (Names{"order", "paid", "pause", "ship"}));
  EXPECT_EQ(end.calls, 2U);
}

TEST(Rehearsal, KnowsThatAnEventMayNotCome) {
  const Rehearsal tried = value_of(rehearse(waiting_shop(1h), {}));
  EXPECT_EQ(tried.coverage(), 100);
  const auto silent =
      std::ranges::find(tried.tried, Situation::Kind::no_event, [](const Tried& one) { return one.situation.kind; });
  ASSERT_NE(silent, tried.tried.end());
  EXPECT_EQ(to_string(silent->situation), "paid: no event");
  EXPECT_EQ(silent->played.state, SagaState::compensated);
  EXPECT_EQ(silent->played.undone, Names{"order"});
}

TEST(Rehearsal, TriesAStepOverABusWhoseNoIsNoProof) {
  SagaDefinition definition = shop();
  definition.steps[1].action.uri = "bus:shop.pay.wanted";
  definition.steps[1].compensation->uri = "bus:shop.pay.unwanted";
  definition.steps[1].participant = SagaPromise::keyed;
  const Rehearsal tried = value_of(rehearse(definition, {}));
  EXPECT_EQ(tried.coverage(), 100);
  const auto refused = std::ranges::find_if(tried.tried, [](const Tried& one) {
    return one.situation.step == "pay" && one.situation.way == Way::error && one.situation.attempt == 2;
  });
  ASSERT_NE(refused, tried.tried.end());
  EXPECT_EQ(refused->played.undone, Names{"order"});
  EXPECT_EQ(refused->played.calls, 5U) << "order, pay twice, and both are undone, although pay said no";
}

TEST(Rehearsal, TriesASagaWithinASagaAsOneThatCompletesOrDoesNot) {
  SagaDefinition definition = shop();
  definition.steps[1].action.uri = "saga:pay@3";
  definition.steps[1].compensation.reset();
  const Rehearsal tried = value_of(rehearse(definition, {}));
  EXPECT_EQ(tried.coverage(), 100);
  const auto refused = std::ranges::find_if(tried.tried, [](const Tried& one) {
    return one.situation.step == "pay" && one.situation.direction == Direction::action;
  });
  ASSERT_NE(refused, tried.tried.end());
  EXPECT_EQ(refused->played.undone, Names{"order"});
}

TEST(Rehearsal, RepeatsAStepForTwoElements) {
  SagaDefinition definition = shop();
  definition.steps[0].for_each = SagaForEach{.list = R"("${input.lines}")"};
  definition.steps[0].action.input = R"({"sku":"${item.sku}"})";
  const Rehearsal tried = value_of(rehearse(definition, {}));
  EXPECT_EQ(tried.coverage(), 100);
  const Tried& well = tried.tried.front();
  EXPECT_EQ(well.played.begun, (Names{"order.0", "order.1", "pay", "ship", "mail"}));
  const auto undone = std::ranges::find_if(
      tried.tried, [](const Tried& one) { return one.situation.step == "pay" && one.situation.way == Way::error; });
  ASSERT_NE(undone, tried.tried.end());
  EXPECT_EQ(undone->played.undone, (Names{"order.1", "order.0"}));
}

TEST(Stage, UndoesInReverseOrderWhatMayBeDone) {
  Played end = played(shop(), {{.step = "pay", .way = Way::error}});
  EXPECT_EQ(end.state, SagaState::compensated);
  EXPECT_EQ(end.code, "SIMULATED");
  EXPECT_EQ(end.undone, Names{"order"});
  end = played(shop(), {{.step = "pay", .to = to_the_end, .way = Way::unknown}});
  EXPECT_EQ(end.undone, (Names{"pay", "order"}));
  EXPECT_EQ(end.left, Names{});
}

TEST(Stage, LetsTheNextOwnerGoOnAfterACrash) {
  const Played end = played(shop(), {{.step = "order", .way = Way::crash}});
  EXPECT_EQ(end.state, SagaState::completed);
  EXPECT_EQ(end.met, std::vector<bool>{true});
  EXPECT_EQ(end.calls, 5U);
}

TEST(Stage, AsksAPersonOnceThePivotMayBeDone) {
  const Played end = played(shop(), {{.step = "mail", .way = Way::error}});
  EXPECT_EQ(end.state, SagaState::manual);
  EXPECT_EQ(end.step, "mail");
}

TEST(Stage, GivesUpACompensationThatNeverGoesWell) {
  const Played end = played(shop(), {{.step = "order", .direction = Direction::compensation, .to = to_the_end},
                                     {.step = "pay", .way = Way::error}});
  EXPECT_EQ(end.state, SagaState::failed);
  EXPECT_EQ(end.open, Names{"order"});
}

TEST(Stage, DecidesAsItIsTold) {
  SagaDefinition saga = shop();
  saga.steps[1].approval = SagaApproval{.timeout = 1h};
  EXPECT_EQ(played(saga, {}).state, SagaState::completed);
  Play wanted{.decisions = {{"pay", Decision::reject}}};
  EXPECT_EQ(value_of(play(saga, wanted)).state, SagaState::compensated);
  wanted.decisions["pay"] = Decision::nothing;
  EXPECT_EQ(value_of(play(saga, wanted)).state, SagaState::manual);
}

TEST(Values, MakeConditionsHoldOrNot) {
  SagaDefinition saga = shop();
  saga.steps[0].condition = "${input.n} > 3 && ${input.kind} == 'gift'";
  saga.steps[1].condition = "${order.list.1} != 'x' || ${input.n} < 0";
  saga.steps[0].action.input = R"({"user":"${input.user.id}"})";
  const Values all = values_for(saga, std::nullopt, true, {});
  EXPECT_EQ(all.input, R"({"kind":"gift","n":4,"user":{"id":"input.user.id"}})");
  EXPECT_EQ(all.outputs.at("order"), R"({"list":[null,"xz"]})");
  EXPECT_EQ(values_for(saga, 0, false, {}).input, R"({"kind":"gift","n":3,"user":{"id":"input.user.id"}})");
  EXPECT_EQ(values_for(saga, 0, false, R"({"n":1})").input, R"({"n":1})");
}

const Tried* find(const Rehearsal& rehearsal, std::string_view situation) {
  const auto found = std::ranges::find_if(rehearsal.tried,
                                          [&](const Tried& tried) { return to_string(tried.situation) == situation; });
  return found == rehearsal.tried.end() ? nullptr : &*found;
}

TEST(Rehearsal, TriesEverythingThatCanHappen) {
  const Rehearsal all = value_of(rehearse(shop(), {}));
  EXPECT_EQ(all.coverage(), 100.0);
  const Tried* late = find(all, "pay: attempt 2, unknown");
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->played.state, SagaState::compensated);
  EXPECT_EQ(late->played.undone, (Names{"pay", "order"}));
  const Tried* stuck = find(all, "order (compensation): attempt 1 and all after it, error");
  ASSERT_NE(stuck, nullptr);
  EXPECT_EQ(stuck->played.state, SagaState::failed);
  for (const Tried& tried : all.tried) EXPECT_EQ(tried.played.left, Names{}) << to_string(tried.situation);
}

TEST(Rehearsal, TellsWhatItCouldNotTry) {
  SagaDefinition saga = shop();
  saga.steps[1].condition = "${input.n} > 100";
  const Rehearsal made_up = value_of(rehearse(saga, {}));
  EXPECT_EQ(made_up.coverage(), 100.0);
  const Rehearsal given = value_of(rehearse(saga, R"({"n":1})"));
  EXPECT_LT(given.coverage(), 100.0);
  const Tried* paid = find(given, "pay: attempt 1, error");
  ASSERT_NE(paid, nullptr);
  EXPECT_FALSE(paid->has_happened);
  EXPECT_TRUE(find(given, "pay: left out")->has_happened);
}

TEST(Rehearsal, TriesEachRule) {
  SagaDefinition saga = shop();
  saga.steps[1].on_failure = {{"RISK", FailureAction::manual, 0, "look"}, {"SMALL", FailureAction::skip}};
  const Rehearsal all = value_of(rehearse(saga, {}));
  EXPECT_EQ(find(all, "pay: attempt 1, error RISK")->played.state, SagaState::manual);
  EXPECT_EQ(find(all, "pay: attempt 1, error SMALL")->played.skipped, Names{"pay"});
}

}  // namespace
}  // namespace makegood::rehearsal
