// The way back: what is undone when, and when it is given up.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/saga_calls.hpp"
#include "core/mutant.hpp"
#include "core/saga/steering.hpp"
#include "core/saga/template.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

/// Who cannot be reached, or is behind something that refuses, spends no attempts; the others wait no longer for it.
constexpr Duration holds_up_for_max = 30s;

enum class Progress {
  holds_up,          ///< Those before it wait.
  waits_for_action,  ///< A request of its action may still run; its siblings do not wait for that.
  goes_on_alone,     ///< It has spent its attempts, and is tried on beside the others.
};

void give_up(Draft& draft, std::size_t index, std::string_view code) {
  SagaRecord record = draft.about(index, RecordKind::given_up, Direction::compensation);
  record.code = code;
  draft.record(std::move(record));
  draft.alarm("The compensation of " + draft.execution().step(index).name + " of " +
              std::string(draft.execution().id()) + " was given up; undo it by hand, then resolve the step.");
}

bool is_time_to_give_up(Draft& draft, std::size_t index) {
  const Execution& execution = draft.execution();
  if (execution.facts(index).compensations().last() == nullptr) return false;
  return draft.now() >= gives_up_at(execution, index, draft.around()) && draft.around().do_deadlines_count();
}

/// How long it stood, or nobody worked, does not count.
TimePoint time_after(Duration wait, TimePoint since, const Execution& execution, const SagaSurroundings& around) {
  return since + wait + execution.stood_for() + around.downtime_since(since);
}

void stall(Draft& draft, std::size_t index) {
  SagaRecord record = draft.about(index, RecordKind::stalled, Direction::compensation);
  record.code = saga_code::stalled;
  draft.record(std::move(record));
  const std::string& code = draft.execution().facts(index).track(Direction::compensation).code;
  draft.alarm("The compensation of " + draft.execution().step(index).name + " of " +
              std::string(draft.execution().id()) +
              " keeps failing: " + (code.empty() ? "its participant cannot be called" : code));
}

bool is_unknown_at_plain(const Execution& execution, std::size_t index) {
  const Attempt* last = execution.facts(index).compensations().last();
  if (execution.step(index).participant != SagaPromise::plain || last == nullptr) return false;
  return last->state == Attempt::State::unknown;
}

/// Whoever is called instead of undoing the child knows nothing of it: it has to be at its end.
bool has_call_beside_child(const SagaStep& step) {
  return step.compensation && saga_call_kind(step.action.uri) == SagaCallKind::child;
}

Progress compensate(Draft& draft, std::size_t index) {
  const Execution& execution = draft.execution();
  const SagaStep& step = execution.step(index);
  const StepFacts& facts = execution.facts(index);
  const StepTrack& track = facts.track(Direction::compensation);
  // A barrier refuses what comes after its compensation; elsewhere it would be done again.
  const bool is_prompt = step.participant == SagaPromise::barrier && !has_call_beside_child(step);
  const bool must_wait = !is_prompt && facts.actions().may_still_run();
  if (must_wait && !is_mutant("saga_compensates_beside")) return Progress::waits_for_action;
  const Progress pace = facts.is_stalled() ? Progress::goes_on_alone : Progress::holds_up;
  if (track.attempts.is_under_way()) return pace;
  if (is_unknown_at_plain(execution, index)) {
    draft.to_manual(index, saga_code::unknown,
                    "Nobody knows whether the compensation was done, and it must not be repeated; resolve the step.");
    return Progress::holds_up;
  }
  const bool is_poison = track.deaths() >= step_deaths_max && !is_mutant("saga_poison_undo_is_repeated");
  if (is_poison || is_time_to_give_up(draft, index)) {
    give_up(draft, index, is_poison ? to_string(Errc::poison) : saga_code::given_up);
    return Progress::goes_on_alone;
  }
  if (!facts.is_stalled() && track.spent() >= attempts_max(step.retry)) stall(draft, index);
  const bool is_begun = track.may_be_tried(draft.now()) && draft.start_attempt(index, Direction::compensation);
  const bool cannot_be_made =
      !is_begun && !execution.is_standing() && draft.now() >= stalls_at(execution, index, draft.around());
  if (!facts.is_stalled() && cannot_be_made) stall(draft, index);
  return facts.is_stalled() ? Progress::goes_on_alone : Progress::holds_up;
}

bool reads(const SagaCall& call, std::string_view step) {
  for (const std::string* text : {&call.input, &call.if_unknown}) {
    const auto uses = uses_of(*text);
    if (uses && std::ranges::find(*uses, step, &TemplateUse::root) != uses->end()) return true;
  }
  return false;
}

/// A compensation that keeps failing still needs what this step has answered, so this step is undone after it.
bool is_read_by_stalled(const Execution& execution, std::size_t index) {
  for (std::size_t later = index + 1; later < execution.step_count(); ++later) {
    const SagaStep& step = execution.step(later);
    if (execution.is_settled(later) || execution.facts(later).is_given_up() || !step.compensation) continue;
    // Of a repeated step each element reads its own output under the name of all.
    const bool is_sibling = execution.item(later) && execution.item(later)->step == execution.name_in_templates(index);
    if (!is_sibling && reads(*step.compensation, execution.name_in_templates(index))) return true;
  }
  return false;
}

/// What nobody can undo, or what was given up, stays open.
bool is_left_open(const Execution& execution, std::size_t index) {
  return execution.facts(index).is_given_up() || undoing_of(execution.step(index)) == nullptr;
}

bool is_open_work(const Execution& execution, std::size_t index) {
  return !execution.is_settled(index) && !is_left_open(execution, index);
}

/// In reverse order, also inside a group; a step is passed only if it keeps failing, or if a sibling of it may go
/// first.
void undo_in_order(Draft& draft) {
  const Execution& execution = draft.execution();
  const bool is_parallel = execution.definition()->compensates_in_parallel;
  std::optional<std::size_t> waiting_group;
  for (std::size_t count = execution.step_count(); count > 0 && !execution.is_standing(); --count) {
    const std::size_t index = is_mutant("saga_undoes_in_order") ? execution.step_count() - count : count - 1;
    if (!is_open_work(execution, index)) continue;
    if (waiting_group && *waiting_group != execution.step(index).group && !is_parallel) return;
    if (is_read_by_stalled(execution, index)) continue;
    const Progress progress = compensate(draft, index);
    if (progress == Progress::waits_for_action) waiting_group = execution.step(index).group;
    if (progress == Progress::holds_up && !is_parallel) return;
  }
}

bool is_anything_left(const Execution& execution) {
  for (std::size_t index = 0; index < execution.step_count(); ++index) {
    if (is_open_work(execution, index)) return true;
  }
  return false;
}

}  // namespace

TimePoint stalls_at(const Execution& execution, std::size_t index, const SagaSurroundings& around) {
  const Attempts& attempts = execution.facts(index).compensations();
  const auto first = std::ranges::find(attempts.all(), attempts.round(), &Attempt::round);
  const bool has_begun = first != attempts.all().end();
  return time_after(holds_up_for_max, has_begun ? first->began : execution.compensates_since(index), execution, around);
}

TimePoint gives_up_at(const Execution& execution, std::size_t index, const SagaSurroundings& around) {
  const TimePoint since = execution.compensates_since(index);
  return time_after(execution.definition()->give_up_after, since, execution, around);
}

void go_back(Draft& draft) {
  const Execution& execution = draft.execution();
  undo_in_order(draft);
  if (execution.is_standing() || is_anything_left(execution)) return;
  if (!execution.open_steps().empty()) return draft.end(SagaState::failed);
  draft.end(execution.is_cancelled() ? SagaState::cancelled : SagaState::compensated);
}

}  // namespace makegood::core
