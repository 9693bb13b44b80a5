#include "rehearsal/rehearsal.hpp"

#include <algorithm>

#include "base/saga_calls.hpp"
#include "rehearsal/values.hpp"

namespace makegood::rehearsal {
namespace {

using Kind = Situation::Kind;

std::size_t index_of(const SagaDefinition& definition, const std::string& step) {
  const auto found = std::ranges::find(definition.steps, step, &SagaStep::name);
  return static_cast<std::size_t>(found - definition.steps.begin());
}

/// A failure that no rule knows leads to the way back.
bool turns_back(const SagaStep& step) {
  if (is_waiting(step.action.uri)) return false;
  const auto any = std::ranges::find(step.on_failure, "*", &FailureRule::code);
  return any == step.on_failure.end() || any->action == FailureAction::compensate;
}

/// What makes the saga undo the step: the next one that can fails; if there is none, nobody knows what became of the
/// step itself.
Fault reason_to_undo(const SagaDefinition& definition, std::size_t index) {
  const auto& steps = definition.steps;
  for (std::size_t later = index + 1; later < steps.size(); ++later) {
    const bool may_fail = steps[later].group > steps[index].group && turns_back(steps[later]);
    if (may_fail && steps[later].condition.empty()) {
      return {.step = steps[later].name, .to = to_the_end, .way = Way::error};
    }
    if (steps[later].is_pivot) break;
  }
  return {.step = steps[index].name, .to = to_the_end, .way = Way::unknown};
}

/// The attempts before it are refused; the fault itself comes first.
std::vector<Fault> faults_of(const SagaDefinition& definition, const Situation& situation) {
  Fault fault{.step = situation.step,
              .direction = situation.direction,
              .from = situation.attempt,
              .to = situation.is_to_the_end ? to_the_end : situation.attempt,
              .way = situation.way};
  if (!situation.code.empty()) {
    fault.code = situation.code;
    fault.to = to_the_end;
  }
  std::vector<Fault> faults = {fault};
  if (situation.attempt > 1) {
    faults.push_back(
        {.step = fault.step, .direction = fault.direction, .to = situation.attempt - 1, .way = Way::refusal});
  }
  if (situation.direction == core::Direction::compensation) {
    faults.push_back(reason_to_undo(definition, index_of(definition, situation.step)));
  }
  return faults;
}

Play play_of(const SagaDefinition& definition, const Situation& situation, const std::string& input) {
  const bool has_step = situation.kind != Kind::nothing;
  const auto step = has_step ? std::optional(index_of(definition, situation.step)) : std::nullopt;
  Values values = values_for(definition, step, situation.kind != Kind::condition, input);
  Play wanted{.input = std::move(values.input), .script = {.outputs = std::move(values.outputs)}};
  if (situation.kind == Kind::call) wanted.script.faults = faults_of(definition, situation);
  if (situation.kind == Kind::rejected) wanted.decisions[situation.step] = Decision::reject;
  if (situation.kind == Kind::not_decided) wanted.decisions[situation.step] = Decision::nothing;
  if (situation.kind == Kind::no_event) wanted.silent_events.insert(situation.step);
  return wanted;
}

bool has_happened(const Situation& situation, const Played& played) {
  switch (situation.kind) {
    case Kind::call:
      return played.met.front();
    case Kind::condition:
      return std::ranges::find(played.skipped, situation.step) != played.skipped.end();
    case Kind::rejected:
    case Kind::not_decided:
    case Kind::no_event:
      return played.step == situation.step || std::ranges::find(played.skipped, situation.step) != played.skipped.end();
    case Kind::nothing:
      return true;
  }
  return false;
}

/// A day of retries tells nothing that an hour of them does not.
constexpr Duration given_up_after = std::chrono::hours(1);

/// Whoever is asked by a message answers like everybody else here; but where a message may run twice, a failure is no
/// proof.
void rehearse_as_call(SagaStep& step) {
  if (step.participant != SagaPromise::barrier) {
    step.outcomes.emplace(simulated_code, SagaOutcome::unknown);
    for (const FailureRule& rule : step.on_failure) {
      if (rule.code != "*") step.outcomes.emplace(rule.code, SagaOutcome::unknown);
    }
  }
  step.action.uri = "fn:" + step.name;
}

/// What another saga does is rehearsed there: here it completes, or was compensated.
void rehearse_child_as_call(SagaStep& step) {
  if (is_undone_as_unit(step)) step.compensation = SagaCall{.uri = "fn:undo-" + step.name};
  step.action.uri = "fn:" + step.name;
  step.timeout = step.compensation_timeout = SagaStep{}.timeout;
}

SagaDefinition as_rehearsed(SagaDefinition definition) {
  definition.give_up_after = std::min(definition.give_up_after, given_up_after);
  for (SagaStep& step : definition.steps) {
    if (saga_call_kind(step.action.uri) == SagaCallKind::child) rehearse_child_as_call(step);
    if (saga_call_kind(step.action.uri) == SagaCallKind::bus) rehearse_as_call(step);
    const bool is_undone_by_bus = step.compensation && saga_call_kind(step.compensation->uri) == SagaCallKind::bus;
    if (is_undone_by_bus) step.compensation->uri = "fn:undo-" + step.name;
  }
  return definition;
}

}  // namespace

std::size_t Rehearsal::happened() const {
  return static_cast<std::size_t>(std::ranges::count(tried, true, &Tried::has_happened));
}

double Rehearsal::coverage() const {
  return tried.empty() ? 100.0 : 100.0 * static_cast<double>(happened()) / static_cast<double>(tried.size());
}

Result<Rehearsal> rehearse(const SagaDefinition& wanted_definition, const std::string& input) {
  const SagaDefinition definition = as_rehearsed(wanted_definition);
  Rehearsal rehearsal;
  for (Situation& situation : situations_of(wanted_definition)) {
    const Play wanted = play_of(definition, situation, input);
    Played played = MAKEGOOD_TRY(play(definition, wanted));
    const bool happened = has_happened(situation, played);
    rehearsal.tried.push_back({std::move(situation), std::move(played), happened});
  }
  return rehearsal;
}

}  // namespace makegood::rehearsal
