#include "base/saga_json.hpp"

#include <gtest/gtest.h>

#include "tests/support/value_of.hpp"

namespace makegood {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

SagaDefinition everything() {
  SagaStep step{.name = "payment", .action = {"http:payments/charge", R"({"n":"${input.n}"})"}};
  step.compensation = SagaCall{"http:payments/refund", R"("${payment.id}")", R"({"key":"${payment.key}"})"};
  step.check = SagaCall{"http:payments/find", {}, {}};
  step.participant = SagaPromise::barrier;
  step.timeout = seconds(7);
  step.compensation_timeout = milliseconds(1500);
  step.retry.attempts_max = 3;
  step.retry.factor = 1.5;
  step.retry.schedule = {seconds(1), seconds(2)};
  step.on_failure = {{"A", FailureAction::retry, 3, {}}, {"*", FailureAction::manual, 0, "look"}};
  step.outcomes = {{"X", SagaOutcome::unknown}, {"Y", SagaOutcome::retry}};
  step.approval = SagaApproval{"over 1000", seconds(60), FailureAction::compensate};
  step.condition = "${input.n} > 0";
  SagaStep second{.name = "mail", .group = 1, .action = {"fn:mail"}, .has_no_effect = true, .is_pivot = true};
  return {.name = "order",
          .deadline = seconds(60),
          .timeout = seconds(30),
          .give_up_after = seconds(90),
          .compensates_in_parallel = true,
          .output = R"({"a":"${payment.id}"})",
          .on_end_topic = "order.ended.v1",
          .steps = {step, second}};
}

TEST(SagaJson, ComesBackAsItWasStored) {
  const SagaDefinition definition = everything();
  EXPECT_EQ(value_of(decode_saga_definition(encode(definition))), definition);
}

TEST(SagaJson, IsTheSameTextForTheSameDefinitionWhateverItsVersion) {
  SagaDefinition second = everything();
  second.version = 7;
  EXPECT_EQ(encode(everything()), encode(second));
  second.steps[0].outcomes["X"] = SagaOutcome::ok;
  EXPECT_NE(encode(everything()), encode(second));
}

TEST(SagaJson, GivesDefaultsToWhatIsLeftOut) {
  const auto read = value_of(decode_saga_definition(R"({"name":"a","steps":[{"name":"s","action":{"uri":"fn:s"}}]})"));
  const SagaDefinition expected{.name = "a", .steps = {SagaStep{.name = "s", .action = {"fn:s"}}}};
  EXPECT_EQ(read, expected);
}

TEST(SagaJson, TakesDamageForDamage) {
  for (const char* text :
       {"", "[]", "{}", R"({"name":"a"})", R"({"name":7,"steps":[{}]})", R"({"name":"a","steps":[7]})",
        R"({"name":"a","steps":[{"timeout_us":"x"}]})", R"({"name":"a","steps":[{"participant":"x"}]})",
        R"({"name":"a","steps":[{"group":-1}]})", R"({"name":"a","steps":[{"outcomes":{"A":"x"}}]})",
        R"({"name":"a","steps":[{"approval":7}]})", R"({"name":"a","steps":[{"on_failure":[7]}]})",
        R"({"name":"a","steps":[{"retry":{"attempts_max":-1}}]})"}) {
    EXPECT_EQ(code_of(decode_saga_definition(text)), Errc::store_corrupt) << text;
  }
}

TEST(SagaWords, AreReadAsTheyAreWritten) {
  for (const auto promise : {SagaPromise::barrier, SagaPromise::keyed, SagaPromise::late, SagaPromise::plain}) {
    EXPECT_EQ(saga_promise_from(to_string(promise)), promise);
  }
  for (const auto outcome : {SagaOutcome::ok, SagaOutcome::fail, SagaOutcome::retry, SagaOutcome::unknown}) {
    EXPECT_EQ(saga_outcome_from(to_string(outcome)), outcome);
  }
  for (const auto action :
       {FailureAction::retry, FailureAction::compensate, FailureAction::manual, FailureAction::skip}) {
    EXPECT_EQ(failure_action_from(to_string(action)), action);
  }
  EXPECT_FALSE(saga_promise_from("sure"));
}

}  // namespace
}  // namespace makegood
