#include "base/saga_lint.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace makegood {
namespace {

using namespace std::chrono_literals;

SagaStep linted_step(std::string name, std::size_t group) {
  SagaStep step{.name = std::move(name), .group = group, .action = {"http:orders/do"}};
  step.compensation = SagaCall{"http:orders/undo"};
  return step;
}

/// `rule:step.field problem`, for each.
std::vector<std::string> found_in(const std::function<void(SagaDefinition&)>& change) {
  SagaDefinition definition{.name = "s", .steps = {linted_step("a", 0), linted_step("b", 1), linted_step("c", 2)}};
  change(definition);
  EXPECT_TRUE(check(definition));
  std::vector<std::string> found;
  for (const SagaFinding& one : lint(definition)) {
    const std::string step = one.where.step ? definition.steps[*one.where.step].name : "saga";
    found.push_back(std::string(to_string(one.severity)) + " " + std::string(one.rule) + " " + step + "." +
                    one.where.field + " " + one.where.problem);
  }
  return found;
}
using Sentences = std::vector<std::string>;

TEST(SagaLint, FindsNothingInAPlainSaga) {
  EXPECT_EQ(found_in([](SagaDefinition&) {}), Sentences{});
}

TEST(SagaLint, FindsEventsThatMayBeWaitedForForEver) {
  const auto with = [](const char* uri, Duration timeout, Duration deadline) {
    return found_in([&](SagaDefinition& saga) {
      saga.steps.push_back({.name = "w", .group = 3, .action = {uri}, .has_no_effect = true, .timeout = timeout});
      saga.deadline = deadline;
    });
  };
  EXPECT_EQ(with("event:paid", 1h, {}), Sentences{});
  EXPECT_EQ(
      with("event:paid", {}, {}),
      Sentences{"note waits_for_ever w.action waits for ever if nobody tells of the event: it has no timeout, and "
                "the saga no deadline"});
  EXPECT_EQ(with("wait:24h", {}, {}), Sentences{}) << "waiting does not count against the timeout";
  const auto found = with("wait:24h", {}, 1h);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1], "warning timeout_fit w.action is 24h, and the deadline of the saga is 1h");
}

TEST(SagaLint, FindsAStepThatIsNeverCarriedOut) {
  EXPECT_EQ(found_in([](SagaDefinition& saga) { saga.steps[1].condition = "false"; }),
            Sentences{"warning unreachable b.when never holds: the step is never carried out"});
}

TEST(SagaLint, FindsATemplateThatReadsAStepThatMayBeLeftOut) {
  const auto reads = [](const char* condition) {
    return found_in([&](SagaDefinition& saga) {
      saga.steps[0].condition = "${input.a}";
      saga.steps[1].condition = condition;
      saga.steps[1].action.input = R"({"x":"${a.x}"})";
    });
  };
  EXPECT_EQ(reads(""),
            Sentences{"warning reads_skipped b.action.input reads ${a.x}, and a may be left out (when); give a "
                      "default: ${a.x|null}"});
  EXPECT_EQ(reads("${input.a} && ${input.b}"), Sentences{});
}

TEST(SagaLint, FindsATemplateThatReadsAStepThatARuleSkips) {
  EXPECT_EQ(
      found_in([](SagaDefinition& saga) {
        saga.steps[0].on_failure = {{"A", FailureAction::skip}};
        saga.output = R"("${a.x}")";
      }),
      Sentences{"warning reads_skipped saga.output reads ${a.x}, and a may be left out (on_failure says skip); give a "
                "default: ${a.x|null}"});
}

TEST(SagaLint, FindsTimesThatCannotFit) {
  EXPECT_EQ(
      found_in([](SagaDefinition& saga) {
        saga.deadline = 1min;
        saga.steps[0].timeout = 61s;
        for (SagaStep& step : saga.steps) step.retry.attempts_max = 1;
      }),
      (Sentences{"warning timeout_fit saga.deadline is 1m, and one attempt of each step may take 121s together",
                 "warning timeout_fit a.timeout cannot fit: an attempt may take 61s, and the deadline of the saga is "
                 "1m"}));
  EXPECT_EQ(
      found_in([](SagaDefinition& saga) { saga.steps[0].retry.schedule = {5min}; }),
      Sentences{"warning timeout_fit a.retry cannot fit: 2 attempts may take 6m, and the timeout of the saga is 5m"});
  EXPECT_EQ(found_in([](SagaDefinition& saga) { saga.give_up_after = 10s; }).size(), 3U);
}

TEST(SagaLint, FindsRulesThatNeverMatch) {
  const auto rules = [](const char* code, FailureAction action, std::optional<SagaOutcome> means) {
    const Sentences found = found_in([&](SagaDefinition& saga) {
      const std::uint32_t retries = action == FailureAction::retry ? 1 : 0;
      saga.steps[0].on_failure = {{code, action, retries}};
      if (means) saga.steps[0].outcomes[code] = *means;
    });
    return found.empty() ? std::string() : found.front();
  };
  EXPECT_EQ(rules("NO", FailureAction::skip, {}), "");
  EXPECT_EQ(rules("NO", FailureAction::skip, SagaOutcome::ok),
            "warning rule_never a.on_failure.NO never matches: outcomes says that this code means ok");
  EXPECT_EQ(rules("SAGA.HELD", FailureAction::skip, {}),
            "warning rule_never a.on_failure.SAGA.HELD never matches: a person is asked before any rule");
  EXPECT_EQ(rules("NO", FailureAction::retry, SagaOutcome::unknown),
            "warning rule_never a.on_failure.NO never retries under a new key: outcomes says unknown, and what may be "
            "done is never retried");
}

TEST(SagaLint, FindsRetriesOfWhatIsNotIdempotent) {
  const auto promise = [](const std::function<void(SagaStep&)>& change) {
    const Sentences found = found_in([&](SagaDefinition& saga) {
      saga.steps[0].participant = SagaPromise::plain;
      change(saga.steps[0]);
    });
    return found.empty() ? std::string() : found.front().substr(0, found.front().find('.') + 12);
  };
  EXPECT_EQ(promise([](SagaStep&) {}), "note plain_retries a.participant");
  EXPECT_EQ(promise([](SagaStep& step) { step.retry.attempts_max = 3; }), "warning plain_retries a.retry repea");
  EXPECT_EQ(promise([](SagaStep& step) { step.check = SagaCall{"http:orders/look"}; }), "");
}

TEST(SagaLint, FindsAnApprovalThatWaitsForEver) {
  EXPECT_EQ(found_in([](SagaDefinition& saga) { saga.steps[0].approval.emplace(); }).size(), 1U);
  EXPECT_EQ(found_in([](SagaDefinition& saga) { saga.steps[0].approval = SagaApproval{.timeout = 1h}; }), Sentences{});
}

TEST(SagaLint, TellsWhatAStartHasToHave) {
  SagaDefinition saga{.name = "s", .steps = {linted_step("a", 0)}};
  saga.steps[0].action.input = R"({"x":"${input.user.id}","y":"${input.n|0}","z":"${input.list.1}"})";
  EXPECT_EQ(parameters_of(saga), (Sentences{"list.1", "user.id"}));
  EXPECT_EQ(lint_input(saga, R"({"user":{"id":1},"list":[1,2]})").size(), 0U);
  const auto missing = lint_input(saga, R"({"user":{"id":null},"list":[1]})");
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].rule, "missing_parameter");
  EXPECT_EQ(missing[0].where.problem, "reads ${input.user.id}, which the input does not have");
}

}  // namespace
}  // namespace makegood
