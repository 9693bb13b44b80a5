#include "api/saga_document.hpp"

#include <gtest/gtest.h>

#include <array>

#include "api/saga_schema.hpp"
#include "base/saga_check.hpp"
#include "makegood/schema.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::api {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// The example of the issue, as JSON.
constexpr std::string_view order_process = R"({
  "name": "orderProcess", "deadline": "30m", "output": {"order": "${createOrder.orderId}"},
  "on_end": {"topic": "orders.process.ended.v1"},
  "steps": [
    {"name": "validateOrder", "action": "http:orders/validate", "effect": "none"},
    {"name": "createOrder", "action": "http:orders/create", "input": {"user": "${input.userId}"},
     "compensation": {"action": "http:orders/cancel", "input": {"orderId": "${createOrder.orderId}"},
                      "if_unknown": {"request": "${createOrder.key}"}}},
    {"parallel": [
      {"name": "reserveStock", "action": "http:stock/reserve", "compensation": "http:stock/release"},
      {"name": "payment", "action": "http:payments/charge", "compensation": "http:payments/refund",
       "participant": "barrier",
       "on_failure": {"PAYMENT_TIMEOUT": {"retry": 3}, "RISK_CHECK_FAILED": {"manual": "needs review"}}}]},
    {"name": "confirmStock", "action": "http:stock/confirm", "pivot": true},
    {"name": "sendNotification", "action": "http:mail/send"}]})";

/// Every field that there is.
constexpr std::string_view everything = R"({
  "name": "all", "version": 3, "deadline": 0, "active_timeout": "1h30m", "give_up_after": "2h",
  "compensate": "parallel",
  "steps": [
    {"name": "a", "concurrency_tag": "x", "action": {"uri": "fn:a", "input": ["${input}", 12345678901234567890]},
     "compensation": {"action": "fn:b"}, "check": "http:c/look", "timeout": "7s", "compensation_timeout": "1500ms",
     "retry": {"attempts_max": 3, "base": "1s", "factor": 1.5, "jitter": 0, "cap_ms": 9000, "schedule": ["1s", "2s"],
               "retry_after_max_ms": 5, "unreachable_for": "1h"},
     "on_failure": {"A": "compensate", "B": "skip", "C": "manual", "*": {"retry": 1}}, "outcomes": {"X": "unknown"},
     "approval": {"reason": "large", "timeout": "1h", "on_timeout": "skip"}, "when": "${input.n} > 1"},
    {"name": "b", "concurrency_tag": "x", "action": "fn:b", "effect": "none", "idempotent": false},
    {"name": "c", "concurrency_tag": "y", "action": "fn:c", "effect": "none", "idempotent": true, "when": true},
    {"name": "d", "action": "fn:d", "effect": "none"},
    {"name": "e", "concurrency_tag": "y", "action": "fn:e", "pivot": true}]})";

TEST(SagaDocument, ReadsEventsAndWaits) {
  const SagaDefinition saga = value_of(saga_from_json(
      R"({"name":"s","steps":[{"name":"a","action":"event:paid"},{"name":"b","action":"event:paid","timeout":"3h"},)"
      R"({"name":"c","wait":"24h"}]})"));
  EXPECT_EQ(saga.steps[0].timeout, Duration::zero()) << "for ever";
  EXPECT_TRUE(saga.steps[0].has_no_effect);
  EXPECT_EQ(saga.steps[1].timeout, hours(3));
  EXPECT_EQ(saga.steps[2].action.uri, "wait:24h");
  EXPECT_TRUE(saga.steps[2].has_no_effect);
}

TEST(SagaDocument, TellsWhatSaysNothingOfAWait) {
  const auto read = saga_from_json(R"({"name":"s","steps":[{"name":"a","wait":"24h","action":"fn:a"},)"
                                   R"({"name":"b","wait":"24h","retry":{},"timeout":"1s"}]})");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("/steps/0/wait stands beside action; a step does one of the two"),
            std::string::npos)
      << read.error().message;
  EXPECT_NE(read.error().message.find("/steps/1/retry says nothing here: the step calls nobody; leave it out"),
            std::string::npos)
      << read.error().message;
  EXPECT_NE(read.error().message.find("/steps/1/timeout says nothing here: a wait ends by itself"), std::string::npos)
      << read.error().message;
}

TEST(SagaDocument, ReadsTheOrderProcess) {
  const SagaDefinition saga = value_of(saga_from_json(order_process));
  EXPECT_EQ(saga.name, "orderProcess");
  EXPECT_EQ(saga.version, 0);
  EXPECT_EQ(saga.deadline, minutes(30));
  EXPECT_EQ(saga.timeout, SagaDefinition{}.timeout);
  EXPECT_EQ(saga.output, R"({"order":"${createOrder.orderId}"})");
  EXPECT_EQ(saga.on_end_topic, "orders.process.ended.v1");
  ASSERT_EQ(saga.steps.size(), 6U);
  EXPECT_TRUE(saga.steps[0].has_no_effect);
  EXPECT_EQ(saga.steps[1].action, (SagaCall{"http:orders/create", R"({"user":"${input.userId}"})"}));
  EXPECT_EQ(saga.steps[1].compensation, (SagaCall{"http:orders/cancel", R"({"orderId":"${createOrder.orderId}"})",
                                                  R"({"request":"${createOrder.key}"})"}));
  EXPECT_EQ(saga.steps[3].participant, SagaPromise::barrier);
  const std::vector<FailureRule> rules = {{"PAYMENT_TIMEOUT", FailureAction::retry, 3, {}},
                                          {"RISK_CHECK_FAILED", FailureAction::manual, 0, "needs review"}};
  EXPECT_EQ(saga.steps[3].on_failure, rules);
  EXPECT_TRUE(saga.steps[4].is_pivot);
}

TEST(SagaDocument, MakesGroupsOfParallelSteps) {
  std::vector<std::size_t> groups;
  for (const SagaStep& step : value_of(saga_from_json(order_process)).steps) groups.push_back(step.group);
  EXPECT_EQ(groups, (std::vector<std::size_t>{0, 1, 2, 2, 3, 4}));
}

TEST(SagaDocument, MakesAGroupOfNeighboursWithOneTag) {
  std::vector<std::size_t> groups;
  for (const SagaStep& step : value_of(saga_from_json(everything)).steps) groups.push_back(step.group);
  EXPECT_EQ(groups, (std::vector<std::size_t>{0, 0, 1, 2, 3}));
}

TEST(SagaDocument, ReadsEveryField) {
  const SagaDefinition saga = value_of(saga_from_json(everything));
  EXPECT_EQ(saga.version, 3);
  EXPECT_EQ(saga.deadline, Duration{});
  EXPECT_EQ(saga.timeout, minutes(90));
  EXPECT_EQ(saga.give_up_after, hours(2));
  EXPECT_TRUE(saga.compensates_in_parallel);
  const SagaStep& step = saga.steps[0];
  EXPECT_EQ(step.action, (SagaCall{"fn:a", R"(["${input}",12345678901234567890])"}));
  EXPECT_EQ(step.compensation, (SagaCall{"fn:b"}));
  EXPECT_EQ(step.check, (SagaCall{"http:c/look"}));
  EXPECT_EQ(step.timeout, seconds(7));
  EXPECT_EQ(step.compensation_timeout, milliseconds(1500));
  EXPECT_EQ(step.retry.attempts_max, 3U);
  EXPECT_EQ(step.retry.base, seconds(1));
  EXPECT_EQ(step.retry.cap, seconds(9));
  EXPECT_EQ(step.retry.factor, 1.5);
  EXPECT_EQ(step.retry.schedule, (std::vector<Duration>{seconds(1), seconds(2)}));
  EXPECT_EQ(step.retry.retry_after_max, milliseconds(5));
  EXPECT_EQ(step.retry.unreachable_for, hours(1));
  ASSERT_EQ(step.on_failure.size(), 4U);
  EXPECT_EQ(step.on_failure[1], (FailureRule{"B", FailureAction::skip}));
  EXPECT_EQ(step.on_failure[3], (FailureRule{"*", FailureAction::retry, 1}));
  EXPECT_EQ(step.outcomes.at("X"), SagaOutcome::unknown);
  EXPECT_EQ(step.approval, (SagaApproval{"large", hours(1), FailureAction::skip}));
  EXPECT_EQ(step.condition, "${input.n} > 1");
  EXPECT_EQ(saga.steps[1].participant, SagaPromise::plain);
  EXPECT_EQ(saga.steps[2].participant, SagaPromise::late);
  EXPECT_EQ(saga.steps[2].condition, "true");
}

/// A saga of one step, with more in the step and more in the saga.
std::string one_step(std::string_view in_step, std::string_view in_saga = {}) {
  return R"({"name":"s","steps":[{"name":"a","action":"fn:a","compensation":"fn:b")" + std::string(in_step) + "}]" +
         std::string(in_saga) + "}";
}

std::string told(std::string_view text) {
  const auto result = saga_from_json(text);
  if (result) return "";
  EXPECT_EQ(result.error().code, Errc::invalid);
  return result.error().message;
}

struct Wrong {
  std::string in_step;
  std::string in_saga;
  std::string_view message;
};
const auto wrong_documents = std::to_array<Wrong>({
    {R"(,"timeout":30)", "", "/steps/0/timeout is not a duration, such as 30m, 10s or 500ms"},
    {R"(,"timeout":"30")", "", "/steps/0/timeout is not a duration, such as 30m, 10s or 500ms"},
    {R"(,"timeout":"0")", "", "/steps/0/timeout is not at least 1ms"},
    {R"(,"tiemout":"3s")", "", "/steps/0/tiemout is not known here; is it timeout?"},
    {R"(,"pivot":"yes")", "", "/steps/0/pivot is neither true nor false"},
    {R"(,"effect":"little")", "", "/steps/0/effect is little; allowed: some, none"},
    {R"(,"participant":7)", "", "/steps/0/participant is 7; allowed: barrier, keyed, late, plain"},
    {R"(,"participant":"late","idempotent":false)", "", "/steps/0/idempotent is false, and participant is late"},
    {R"(,"retry":{"attempts_max":1.5})", "", "/steps/0/retry/attempts_max is not a whole number"},
    {R"(,"retry":{"attempts_max":0})", "", "/steps/0/retry/attempts_max is 0; allowed: 1 to 1000000"},
    {R"(,"retry":{"base_ms":"1s"})", "", "/steps/0/retry/base_ms is not a whole number of milliseconds, up to a year"},
    {R"(,"retry":3)", "", "/steps/0/retry is not an object"},
    {R"(,"on_failure":{"A":"retry"})", "",
     "/steps/0/on_failure/A is no rule; allowed: {retry: 3}, {manual: why}, manual, compensate, skip"},
    {R"(,"on_failure":{"A":{"retry":0}})", "", "/steps/0/on_failure/A retries 1 to 1000 times"},
    {R"(,"outcomes":{"A":"done"})", "", "/steps/0/outcomes/A is done; allowed: ok, fail, retry, unknown"},
    {R"(,"approval":{"on_timeout":"retry"})", "",
     "/steps/0/approval/on_timeout is retry; allowed: compensate, manual, skip"},
    {R"(,"when":"1 +")", "",
     "/steps/0/when is wrong: the condition cannot be read at character 3: &&, || or the end is expected, such as "
     "${input.total} > 100"},
    {R"(,"input":{"x":"${b.y}"})", "", "/steps/0/input reads ${b.y}, which is no step; is it a?"},
    {R"(,"action":"fn:c")", "", "/steps/0/action is there twice; keep one of them"},
    {R"(,"parallel":[])", "", "/steps/0/name is not known here; allowed: parallel"},
    {"", R"(,"deadline":"-1s")", "/deadline is not a duration, such as 30m, 10s or 500ms"},
    {"", R"(,"version":0)", "/version is not 1, 2, 3 …"},
    {"", R"(,"timeout":"1s","active_timeout":"1s")", "/active_timeout is another name of timeout; keep one of them"},
    {"", R"(,"on_end":{"topic":"makegood.x"})", "/on_end/topic is refused"},
    {"", R"(,"output":"${x.y}")", "/output reads ${x.y}, which is no step"},
    {"", R"(,"stepz":1)", "/stepz is not known here; is it steps?"},
});

TEST(SagaDocument, RefusesWhatIsWrongAndTellsWhere) {
  for (const Wrong& wrong : wrong_documents) {
    const std::string message = told(one_step(wrong.in_step, wrong.in_saga));
    EXPECT_NE(message.find(wrong.message), std::string::npos) << one_step(wrong.in_step, wrong.in_saga) << "\n"
                                                              << message;
  }
}

TEST(SagaDocument, RefusesWhatIsNoSagaAtAll) {
  for (const char* text :
       {"", "7", "[]", "{", "{}", R"({"name":"a"})", R"({"name":"a","steps":[]})", R"({"name":"a","steps":[7]})",
        R"({"name":"a","steps":{}})", R"({"name":7,"steps":[{}]})", R"({"name":"a","steps":[{"parallel":[]}]})",
        R"({"name":"a","steps":[{"parallel":[7]}]})", R"({"name":"a","steps":[{"parallel":[{"parallel":[]}]}]})"}) {
    EXPECT_NE(told(text), "") << text;
  }
}

TEST(SagaDocument, TellsAllMistakesAtOnce) {
  EXPECT_EQ(told(R"({"nam":"s","steps":[{"name":"a","action":"worker:x","effect":"none","timeout":"long"},
                 {"name":"a","action":"fn:a"}]})"),
            "The document has 5 mistakes: /steps/0/timeout is not a duration, such as 30m, 10s or 500ms; /nam is not "
            "known here; is it name?; /steps/0/action is worker:…, which a step cannot call yet; write fn:name, "
            "http:destination/path, https://…, bus:topic or saga:name@version; /steps/1/name is a, as an earlier step "
            "has it; /steps/1 does not say "
            "how it is undone; give it a compensation, or say effect: none or pivot: true.");
}

TEST(SagaDocument, TellsOnceOfWhatCouldNotBeRead) {
  EXPECT_EQ(told(R"({"name":"s","steps":[{"name":"a","action":7,"effect":"none"}]})"),
            "The document has 1 mistake: /steps/0/action is neither an address nor an object with action and input.");
}

constexpr std::string_view chained_steps = R"([{"name":"b","action":"fn:b","effect":"none","when":"${input.n} > 1"},
  {"name":"a","action":"fn:a","effect":"none"},{"name":"c","action":"fn:c","timeout":"0","effect":"none"}])";

std::string chained(std::string_view chain) {
  return R"json({"name":"s","chain":")json" + std::string(chain) + R"json(","steps":)json" +
         std::string(chained_steps) + "}";
}

TEST(SagaDocument, PutsStepsInTheOrderOfAChain) {
  std::string text = chained(R"(<chain name=\"s\">THEN(a, IF(a.ok, WHEN(b, c)))</chain>)");
  text.replace(text.find("\"0\""), 3, "\"1s\"");
  text.replace(text.find("\"name\":\"s\","), 11, "");
  const SagaDefinition saga = value_of(saga_from_json(text));
  EXPECT_EQ(saga.name, "s");
  ASSERT_EQ(saga.steps.size(), 3U);
  EXPECT_EQ(saga.steps[0].name, "a");
  EXPECT_EQ(saga.steps[1].name, "b");
  EXPECT_EQ(saga.steps[1].condition, "${a.ok} && ${input.n} > 1");
  EXPECT_EQ(saga.steps[2].group, saga.steps[1].group);
}

TEST(SagaDocument, TellsMistakesOfAChainAndPlacesOfStepsThatItHasMoved) {
  EXPECT_EQ(told(chained("THEN(a, b, c)")), "The document has 1 mistake: /steps/2/timeout is not at least 1ms.");
  EXPECT_EQ(
      told(chained("THEN(a, bb)")),
      "The document has 4 mistakes: /steps/0/name is not in the chain; it would never be carried out; "
      "/steps/2/name is not in the chain; it would never be carried out; /chain names bb, which is no step; is it "
      "b?; /steps/2/timeout is not at least 1ms.");
  EXPECT_EQ(told(chained(R"(<chain name=\"t\">THEN(a, b, c)</chain>)")),
            "The document has 2 mistakes: /chain is the chain t, and the saga is s; /steps/2/timeout is not at least "
            "1ms.");
}

TEST(SagaDocument, HasALimit) {
  const std::string large = one_step(R"(,"input":")" + std::string(saga_bytes_max, 'x') + "\"");
  EXPECT_NE(told(large).find("is larger than 64 KiB"), std::string::npos);
}

PayloadSchemas published() {
  PayloadSchemas schemas;
  must(schemas.add("saga", saga_schema()));
  return schemas;
}

TEST(SagaSchema, AcceptsWhatTheReaderAccepts) {
  const PayloadSchemas schemas = published();
  for (const std::string_view text : {order_process, everything}) {
    const auto result = schemas.check("saga", text);
    EXPECT_TRUE(result) << result.error().message << result.error().diagnostics;
  }
}

TEST(SagaSchema, RefusesFormsThatTheReaderRefuses) {
  const PayloadSchemas schemas = published();
  for (const char* in_step :
       {R"(,"timeout":30)", R"(,"timeout":"30")", R"(,"tiemout":"3s")", R"(,"pivot":"yes")", R"(,"effect":"little")",
        R"(,"participant":7)", R"(,"retry":{"attempts_max":1.5})", R"(,"retry":{"attempts_max":0})", R"(,"retry":3)",
        R"(,"on_failure":{"A":"retry"})", R"(,"on_failure":{"A":{"retry":0}})", R"(,"outcomes":{"A":"done"})",
        R"(,"parallel":[])", R"(,"check":7)", R"(,"check":{"url":"x"})"}) {
    EXPECT_FALSE(schemas.check("saga", one_step(in_step))) << in_step;
  }
  EXPECT_TRUE(schemas.check("saga", one_step("")));
  for (const char* text :
       {"{}", R"({"name":"a"})", R"({"name":"a","steps":[]})", R"({"name":"a","steps":[{"name":"x"}]})"}) {
    EXPECT_FALSE(schemas.check("saga", text)) << text;
  }
}

}  // namespace
}  // namespace makegood::api
