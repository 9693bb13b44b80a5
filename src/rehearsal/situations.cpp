// What can happen to a saga.
#include <fmt/format.h>

#include <algorithm>

#include "base/saga_calls.hpp"
#include "rehearsal/rehearsal.hpp"

namespace makegood::rehearsal {
namespace {

using Kind = Situation::Kind;

/// More attempts than this end as the last of these does.
constexpr std::uint32_t attempts_tried_max = 10;

std::uint32_t attempts_of(const SagaStep& step) {
  const auto any = std::ranges::find(step.on_failure, "*", &FailureRule::code);
  const bool is_retried = any != step.on_failure.end() && any->action == FailureAction::retry;
  const std::uint32_t count = is_retried ? 1 + any->retries : attempts_max(step.retry);
  return std::min(count, attempts_tried_max);
}

void add_actions(const SagaStep& step, std::vector<Situation>& all) {
  for (const Way way : {Way::error, Way::unknown, Way::crash}) {
    for (std::uint32_t attempt = 1; attempt <= attempts_of(step); ++attempt) {
      all.push_back({.step = step.name, .attempt = attempt, .way = way});
    }
  }
  for (const Way way : {Way::unknown, Way::refusal}) {
    all.push_back({.step = step.name, .is_to_the_end = true, .way = way});
  }
  for (const FailureRule& rule : step.on_failure) {
    if (rule.code != "*") all.push_back({.step = step.name, .code = rule.code});
  }
}

/// It says itself what came of it, and is asked once.
void add_child(const SagaStep& step, std::vector<Situation>& all) {
  all.push_back({.step = step.name});
  for (const FailureRule& rule : step.on_failure) {
    if (rule.code != "*") all.push_back({.step = step.name, .code = rule.code});
  }
}

void add_compensations(const SagaStep& step, std::vector<Situation>& all) {
  const Situation first{.step = step.name, .direction = core::Direction::compensation};
  for (const Way way : {Way::error, Way::unknown, Way::crash}) {
    all.push_back(first);
    all.back().way = way;
  }
  all.push_back(first);
  all.back().is_to_the_end = true;
}

void add_rest(const SagaStep& step, std::vector<Situation>& all) {
  if (!step.condition.empty()) all.push_back({.kind = Kind::condition, .step = step.name});
  const bool is_event = saga_call_kind(step.action.uri) == SagaCallKind::event;
  if (is_event && step.timeout > Duration::zero()) all.push_back({.kind = Kind::no_event, .step = step.name});
  if (!step.approval) return;
  all.push_back({.kind = Kind::rejected, .step = step.name});
  if (step.approval->timeout > Duration::zero()) all.push_back({.kind = Kind::not_decided, .step = step.name});
}

}  // namespace

std::string_view way_text(const Situation& situation) {
  switch (situation.kind) {
    case Kind::call:
      return to_string(situation.way);
    case Kind::condition:
      return "left out";
    case Kind::rejected:
      return "rejected";
    case Kind::not_decided:
      return "not decided";
    case Kind::no_event:
      return "no event";
    case Kind::nothing:
      return "goes well";
  }
  return {};
}

std::string to_string(const Situation& situation) {
  if (situation.kind == Kind::nothing) return std::string(way_text(situation));
  if (situation.kind != Kind::call) return fmt::format("{}: {}", situation.step, way_text(situation));
  const std::string code = situation.code.empty() ? "" : " " + situation.code;
  const bool is_back = situation.direction == core::Direction::compensation;
  return fmt::format("{}{}: attempt {}{}, {}{}", situation.step, is_back ? " (compensation)" : "", situation.attempt,
                     situation.is_to_the_end ? " and all after it" : "", way_text(situation), code);
}

bool is_undone_as_unit(const SagaStep& step) {
  const bool is_child = saga_call_kind(step.action.uri) == SagaCallKind::child;
  return is_child && !step.compensation && !step.is_pivot && !step.has_no_effect;
}

std::vector<Situation> situations_of(const SagaDefinition& definition) {
  std::vector<Situation> all = {{.kind = Kind::nothing}};
  bool is_after_pivot = false;
  for (const SagaStep& step : definition.steps) {
    const bool is_child = saga_call_kind(step.action.uri) == SagaCallKind::child;
    if (is_child) add_child(step, all);
    if (!is_child && !is_waiting(step.action.uri)) add_actions(step, all);
    is_after_pivot = is_after_pivot || step.is_pivot;
    if (step.compensation || (is_undone_as_unit(step) && !is_after_pivot)) add_compensations(step, all);
    add_rest(step, all);
  }
  return all;
}

}  // namespace makegood::rehearsal
