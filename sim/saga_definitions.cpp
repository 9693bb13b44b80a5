#include "sim/saga_definitions.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/saga_calls.hpp"
#include "base/saga_children.hpp"

namespace makegood::sim {
namespace {

using namespace std::chrono_literals;

SagaPromise draw_promise(Chance& chance) {
  static constexpr std::array promises = {SagaPromise::barrier, SagaPromise::barrier, SagaPromise::keyed,
                                          SagaPromise::keyed,   SagaPromise::late,    SagaPromise::late,
                                          SagaPromise::plain};
  return promises.at(chance.below(promises.size()));
}

void draw_rules(SagaStep& step, Chance& chance) {
  static constexpr std::array codes = {"NO_FUNDS", "NO_STOCK", "TX.TIMEOUT", "HTTP.500", "REJECTED", "*"};
  if (!chance.one_in(2)) return;
  FailureRule rule{.code = codes.at(chance.below(codes.size()))};
  switch (chance.below(6)) {
    case 0:
      rule.action = FailureAction::manual;
      rule.reason = "somebody has to look";
      break;
    case 1:
      rule.action = FailureAction::skip;
      break;
    case 2:
      rule.action = FailureAction::compensate;
      break;
    default:
      rule.action = FailureAction::retry;
      rule.retries = 1 + static_cast<std::uint32_t>(chance.below(2));
      break;
  }
  step.on_failure.push_back(std::move(rule));
}

void draw_inputs(const SagaDefinition& definition, SagaStep& step, Chance& chance) {
  if (chance.one_in(3)) step.action.input = R"({"amount":"${input.amount}"})";
  const SagaStep* before = nullptr;
  for (const SagaStep& each : definition.steps) {
    if (each.group < step.group && !each.action.uri.starts_with("wait:")) before = &each;
  }
  if (before != nullptr && chance.one_in(5)) {
    step.action.input = chance.one_in(4) ? R"({"of":"${)" + before->name + R"(.id}"})"
                                         : R"({"of":"${)" + before->name + R"(.id|\"none\"}"})";
  }
  if (!step.compensation || !chance.one_in(3)) return;
  step.compensation->input = R"({"undo":"${)" + step.name + R"(.id}"})";
  if (!chance.one_in(4)) step.compensation->if_unknown = R"({"key":"${)" + step.name + R"(.key}"})";
}

RetryPolicy draw_retry(Chance& chance) {
  return {.attempts_max = 1 + static_cast<std::uint32_t>(chance.below(4)),
          .base = 50ms,
          .cap = chance.one_in(3) ? 5s : 500ms};
}

/// It calls nobody: an event, which may be that of another step too, or a time.
void draw_waiting(SagaStep& step, Chance& chance) {
  const bool is_event = chance.one_in(2);
  step.action = {.uri = is_event ? "event:e" + std::to_string(chance.below(2))
                                 : "wait:" + std::to_string(100 + chance.below(8000)) + "ms"};
  step.compensation.reset();
  step.check.reset();
  step.has_no_effect = true;
  if (!is_event || chance.one_in(2)) step.timeout = {};
  std::erase_if(step.on_failure, [](const FailureRule& rule) { return rule.action == FailureAction::retry; });
}

/// It is asked by a message, and perhaps undone by one.
void draw_bus(SagaStep& step, Chance& chance) {
  if (step.participant == SagaPromise::plain) step.participant = SagaPromise::keyed;
  const std::string topic = "bus:" + saga_participant(chance.below(saga_participant_count)).substr(5) + ".";
  step.action.uri = topic + step.name;
  if (step.compensation && chance.one_in(2)) step.compensation->uri = step.action.uri + "-undo";
}

/// Once for each element of a list of the input.
void draw_repetition(SagaStep& step, Chance& chance) {
  step.for_each = SagaForEach{
      .list = R"("${input.list}")", .max = 5, .concurrency = 1 + static_cast<std::uint32_t>(chance.below(2))};
  const bool is_child = saga_call_kind(step.action.uri) == SagaCallKind::child;
  step.action.input = is_child ? R"("${input}")" : R"({"of":"${item}","at":"${index}"})";
  step.approval.reset();
}

using Children = std::span<const SagaDefinition>;

bool has_pivot(const SagaDefinition& definition) { return std::ranges::any_of(definition.steps, &SagaStep::is_pivot); }

/// Its first version; undone as one unit.
void become_child(SagaStep& step, const SagaDefinition& child) {
  step.action = {.uri = "saga:" + child.name + "@1"};
  step.compensation.reset();
  step.check.reset();
  step.has_no_effect = false;
  settle_child(step);
}

void draw_child(SagaStep& step, Children children, Chance& chance) {
  if (children.empty()) return;
  const SagaDefinition& child = children[chance.below(children.size())];
  if (!has_pivot(child)) become_child(step, child);
}

SagaStep draw_step(const SagaDefinition& definition, std::size_t group, Children children, Chance& chance) {
  const std::string name = "s" + std::to_string(definition.steps.size());
  SagaStep step{.name = name, .group = group, .participant = draw_promise(chance), .retry = draw_retry(chance)};
  step.action.uri = saga_participant(chance.below(saga_participant_count)) + "/" + name;
  step.has_no_effect = chance.one_in(8);
  if (!step.has_no_effect) step.compensation = SagaCall{.uri = step.action.uri + "-undo"};
  if (chance.one_in(5)) step.check = SagaCall{.uri = step.action.uri + "-check"};
  step.timeout = 500ms * (1 + chance.below(6));
  step.compensation_timeout = 500ms * (1 + chance.below(4));
  draw_rules(step, chance);
  if (chance.one_in(8)) step.condition = chance.one_in(2) ? "${input.flag}" : "${input.amount} > 50";
  if (chance.one_in(10)) {
    step.approval = SagaApproval{.reason = "much", .timeout = chance.one_in(2) ? 3s : 0s};
    if (chance.one_in(2)) step.approval->on_timeout = FailureAction::compensate;
  }
  draw_inputs(definition, step, chance);
  if (chance.one_in(6)) {
    draw_waiting(step, chance);
  } else if (chance.one_in(5)) {
    draw_bus(step, chance);
  } else if (chance.one_in(5)) {
    draw_child(step, children, chance);
  }
  if (!is_waiting(step.action.uri) && chance.one_in(6)) draw_repetition(step, chance);
  return step;
}

/// Alone in its group; what comes after it need not be undone.
void draw_pivot(SagaDefinition& definition, Children children, Chance& chance) {
  if (!chance.one_in(3)) return;
  SagaStep& pivot = definition.steps.at(chance.below(definition.steps.size()));
  if (pivot.action.uri.starts_with("event:") || pivot.action.uri.starts_with("wait:")) return;
  for (const SagaStep& other : definition.steps) {
    if (other.group == pivot.group && other.name != pivot.name) return;
  }
  pivot.is_pivot = true;
  pivot.compensation.reset();
  pivot.has_no_effect = false;
  pivot.for_each.reset();
  if (!children.empty() && chance.one_in(3)) become_child(pivot, children[chance.below(children.size())]);
  for (SagaStep& step : definition.steps) {
    if (step.group > pivot.group && chance.one_in(2)) step.compensation.reset();
  }
}

}  // namespace

std::string saga_participant(std::size_t index) { return "http:p" + std::to_string(index); }

SagaDefinition draw_definition(const std::string& name, Children children, Chance& chance) {
  SagaDefinition definition{.name = name};
  const std::size_t count = 1 + chance.below(6);
  std::size_t group = 0;
  for (std::size_t index = 0; index < count; ++index) {
    if (index > 0 && !chance.one_in(3)) ++group;
    definition.steps.push_back(draw_step(definition, group, children, chance));
  }
  draw_pivot(definition, children, chance);
  if (chance.one_in(3)) definition.deadline = 1s * (5 + chance.below(40));
  if (chance.one_in(6)) definition.timeout = 1s * (1 + chance.below(5));
  definition.give_up_after = 1s * (10 + chance.below(60));
  definition.compensates_in_parallel = chance.one_in(5);
  if (chance.one_in(2)) definition.on_end_topic = "saga.ended";
  if (chance.one_in(4)) definition.output = R"({"first":"${s0.id}"})";
  return definition;
}

SagaDefinition varied(SagaDefinition definition, Chance& chance) {
  for (SagaStep& step : definition.steps) {
    const bool is_called =
        saga_call_kind(step.action.uri) == SagaCallKind::participant || !topic_of(step.action.uri).empty();
    if (!is_called || step.for_each) continue;
    step.action.input = step.action.input.empty() ? R"({"of":"${input.amount}"})" : "";
    step.timeout += 100ms * (1 + chance.below(10));
    step.compensation_timeout += 100ms * (1 + chance.below(10));
    step.retry = draw_retry(chance);
  }
  return definition;
}

}  // namespace makegood::sim
