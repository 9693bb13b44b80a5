// What operators ask for. Each wish names the state that the operator saw; one that cannot be fulfilled is in the
// journal with its reason, so that the loser of a race knows why.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/saga_calls.hpp"
#include "core/mutant.hpp"
#include "core/saga/steering.hpp"

namespace makegood::core {
namespace {

/// Why it is refused; nothing: it was carried out.
using Refusal = std::optional<std::string>;

SagaRecord by(Draft& draft, const SagaRequest& request, RecordKind kind) {
  SagaRecord record = draft.about_all(kind);
  record.operator_name = request.operator_name;
  record.reason = request.reason;
  record.request = request.request;
  return record;
}

void resume_by(Draft& draft, const SagaRequest& request) {
  if (draft.execution().is_standing()) draft.record(by(draft, request, RecordKind::resumed));
}

void reopen_by(Draft& draft, const SagaRequest& request) {
  if (draft.execution().has_ended()) draft.record(by(draft, request, RecordKind::reopened));
}

Refusal pause(Draft& draft, const SagaRequest& request) {
  if (draft.execution().is_paused()) return "It is paused already.";
  draft.record(by(draft, request, RecordKind::paused));
  return std::nullopt;
}

Refusal resume(Draft& draft, const SagaRequest& request) {
  if (!draft.execution().is_standing()) return "It is neither paused nor waiting for a decision.";
  resume_by(draft, request);
  return std::nullopt;
}

Refusal turn_back_by(Draft& draft, const SagaRequest& request, std::string_view code) {
  const Execution& execution = draft.execution();
  if (execution.is_turned_back()) return "It is being compensated already.";
  if (execution.has_passed_pivot()) return "Its pivot may be done: it only goes forward.";
  SagaRecord record = by(draft, request, RecordKind::turned_back);
  record.code = code;
  draft.record(std::move(record));
  resume_by(draft, request);
  return std::nullopt;
}

/// Under the same key while an attempt may be done, else under a new one.
Refusal retry_action(Draft& draft, const SagaRequest& request, std::size_t index) {
  const Execution& execution = draft.execution();
  const StepFacts& facts = execution.facts(index);
  if (facts.is_finished()) return "The step is done or skipped.";
  if (facts.actions().is_under_way()) return "The step is under way.";
  if (facts.awaited_until() && draft.now() < *facts.awaited_until()) return "The step waits, and its time is not over.";
  const bool may_be_done = facts.may_be_done(execution.step(index).participant);
  if (may_be_done && !request.body.empty()) return "An attempt may be done: resolve it before its input is changed.";
  if (may_be_done && execution.step(index).participant == SagaPromise::plain) {
    return "An attempt may be done, and the participant does not recognise a repeated one: resolve the step.";
  }
  if (!facts.actions().empty() && !may_be_done) {
    SagaRecord round = by(draft, request, RecordKind::round_begun);
    round.step = execution.step(index).name;
    round.round = facts.actions().round() + 1;
    round.body = request.body;
    draft.record(std::move(round));
  }
  SagaRecord resumed = by(draft, request, RecordKind::resumed);
  resumed.step = execution.step(index).name;
  draft.record(std::move(resumed));
  return std::nullopt;
}

void retry_compensation(Draft& draft, const SagaRequest& request, std::size_t index) {
  SagaRecord round = by(draft, request, RecordKind::round_begun);
  round.step = draft.execution().step(index).name;
  round.direction = Direction::compensation;
  round.round = draft.execution().facts(index).compensations().round() + 1;
  draft.record(std::move(round));
}

/// Where repeated requests are not recognised, nobody repeats a compensation that may be done.
bool may_compensate_anew(const Execution& execution, std::size_t index) {
  const Attempts& attempts = execution.facts(index).compensations();
  const SagaPromise promise = execution.step(index).participant;
  if (undoing_of(execution.step(index)) == nullptr || attempts.is_under_way()) return false;
  return promise != SagaPromise::plain || !attempts.may_be_done(promise);
}

/// Everything that is open, or the one step that is named.
Refusal retry_compensations(Draft& draft, const SagaRequest& request) {
  const Execution& execution = draft.execution();
  bool is_any = false;
  for (std::size_t index = 0; index < execution.step_count(); ++index) {
    const bool is_meant = request.step.empty() || execution.step(index).name == request.step;
    if (!is_meant || execution.is_settled(index) || !may_compensate_anew(execution, index)) continue;
    if (!std::exchange(is_any, true)) reopen_by(draft, request);
    retry_compensation(draft, request, index);
  }
  if (!is_any) return "There is nothing to compensate that is not under way; resolve what was settled by hand.";
  resume_by(draft, request);
  return std::nullopt;
}

std::optional<std::size_t> stuck_step(const Execution& execution) {
  const auto group = execution.current_group();
  for (std::size_t index = 0; group && index < execution.step_count(); ++index) {
    if (execution.step(index).group == *group && !execution.facts(index).is_finished()) return index;
  }
  return std::nullopt;
}

Refusal retry(Draft& draft, const SagaRequest& request) {
  const Execution& execution = draft.execution();
  if (execution.is_turned_back()) return retry_compensations(draft, request);
  const auto index = request.step.empty() ? stuck_step(execution) : execution.index_of(request.step);
  if (!index) return "There is no such step.";
  if (execution.step(*index).group != execution.current_group()) return "It is not this step's turn.";
  return retry_action(draft, request, *index);
}

Refusal skip(Draft& draft, const SagaRequest& request) {
  const Execution& execution = draft.execution();
  if (execution.is_turned_back()) return "It is being compensated: resolve the step instead.";
  const auto index = execution.index_of(request.step);
  if (!index) return "There is no such step.";
  if (execution.facts(*index).is_finished()) return "The step is done or skipped already.";
  if (execution.facts(*index).actions().is_under_way()) return "The step is under way.";
  SagaRecord record = by(draft, request, RecordKind::skipped);
  record.step = request.step;
  draft.record(std::move(record));
  resume_by(draft, request);
  return std::nullopt;
}

Refusal decide(Draft& draft, const SagaRequest& request) {
  const auto index = draft.execution().index_of(request.step);
  if (!index) return "There is no such step.";
  const StepFacts& facts = draft.execution().facts(*index);
  if (!facts.asked_until() || facts.decision()) return "Nobody is asked to approve this step.";
  if (request.choice != "approve" && request.choice != "reject") return "Say `approve` or `reject`.";
  SagaRecord record = by(draft, request, RecordKind::decided);
  record.step = request.step;
  record.outcome = request.choice == "approve" ? SagaOutcome::ok : SagaOutcome::fail;
  record.body = request.body;
  draft.record(std::move(record));
  resume_by(draft, request);
  return std::nullopt;
}

std::optional<SagaOutcome> resolution_from(std::string_view choice) {
  if (choice == "done") return SagaOutcome::ok;
  if (choice == "not_done") return SagaOutcome::fail;
  if (choice == "undone") return SagaOutcome::retry;
  return std::nullopt;
}

/// Whoever looks now may see something else a moment later.
bool may_still_run(const Execution& execution, std::size_t index) {
  const StepFacts& facts = execution.facts(index);
  return facts.actions().may_still_run() || facts.compensations().may_still_run();
}

Refusal resolve(Draft& draft, const SagaRequest& request) {
  const Execution& execution = draft.execution();
  const auto index = execution.index_of(request.step);
  const auto outcome = resolution_from(request.choice);
  if (!index) return "There is no such step.";
  if (!outcome) return "Say `done`, `not_done` or `undone`.";
  if (is_waiting(execution.step(*index).action.uri)) {
    return "The step calls nobody: tell of its event, or skip it.";
  }
  if (may_still_run(execution, *index) && !is_mutant("saga_resolved_in_flight"))
    return "A request of the step may still run: wait for its deadline.";
  if (*outcome == SagaOutcome::retry && !execution.is_turned_back()) {
    return "It is not being compensated; say `done` or `not_done`.";
  }
  reopen_by(draft, request);
  SagaRecord record = by(draft, request, RecordKind::resolved);
  record.step = request.step;
  record.outcome = *outcome;
  record.body = request.body;
  draft.record(std::move(record));
  resume_by(draft, request);
  return std::nullopt;
}

/// What was decided by the one means the same under the other.
bool are_alike(const SagaStep& one, const SagaStep& other) {
  return one.name == other.name && one.group == other.group && one.is_pivot == other.is_pivot &&
         one.participant == other.participant && one.has_no_effect == other.has_no_effect &&
         one.compensation.has_value() == other.compensation.has_value() &&
         one.check.has_value() == other.check.has_value() && one.for_each.has_value() == other.for_each.has_value() &&
         saga_call_kind(one.action.uri) == saga_call_kind(other.action.uri) &&
         event_of(one.action.uri) == event_of(other.action.uri);
}

/// By whatever it is decided from now on; what was begun keeps its body and its deadline.
Refusal repin(Draft& draft, const SagaRequest& request, const SagaDefinitionPtr& target) {
  const SagaDefinition& pinned = *draft.execution().pinned();
  const std::string version = std::to_string(request.version);
  if (target == nullptr) return "Its definition has no version " + version + ".";
  if (target->version == pinned.version) return "It goes by version " + version + " already.";
  if (!std::ranges::equal(pinned.steps, target->steps, are_alike)) {
    return "The steps of version " + version +
           " are not the same: name, group, pivot, participant, effect, and whether they wait, are undone and checked.";
  }
  SagaRecord record = by(draft, request, RecordKind::repinned);
  record.version = target->version;
  draft.record_under(std::move(record), target);
  return std::nullopt;
}

/// In any state, and it changes none: for the next one who looks.
Refusal annotate(Draft& draft, const SagaRequest& request) {
  if (request.reason.empty()) return "The note is empty.";
  draft.record(by(draft, request, RecordKind::noted));
  return std::nullopt;
}

bool is_awaited(const SagaDefinition& definition, std::string_view event) {
  return std::ranges::any_of(definition.steps,
                             [&](const SagaStep& step) { return event_of(step.action.uri) == event; });
}

bool is_waiting_for(const Execution& execution, std::string_view event) {
  for (std::size_t index = 0; index < execution.step_count(); ++index) {
    const StepFacts& facts = execution.facts(index);
    const bool is_it = event_of(execution.step(index).action.uri) == event;
    if (is_it && facts.awaited_until() && !facts.is_finished()) return true;
  }
  return false;
}

/// Also one that comes before its step does; it counts once.
Refusal keep_event(Draft& draft, const SagaRequest& request) {
  const Execution& execution = draft.execution();
  if (request.event.empty()) return "The event has no name.";
  if (execution.definition() && !is_awaited(*execution.definition(), request.event)) {
    return "No step waits for the event " + request.event + ".";
  }
  if (execution.unused_event_count() >= events_kept_max) return "There are 100 events already that no step has used.";
  if (is_mutant("saga_early_event_is_lost") && !is_waiting_for(execution, request.event)) return std::nullopt;
  SagaRecord record = by(draft, request, RecordKind::event_kept);
  record.event = request.event;
  record.body = request.body;
  draft.record(std::move(record));
  return std::nullopt;
}

Refusal refusal_for_ended(const Execution& execution, const SagaRequest& request) {
  if (!execution.has_ended()) return std::nullopt;
  const bool is_settling = request.verb == "retry" || request.verb == "resolve" || request.verb == "compensate";
  if (execution.ended_as() == SagaState::failed && is_settling) return std::nullopt;
  return "It has ended.";
}

/// Its time has not come, or another execution holds its key.
Refusal before_begin(Draft& draft, const SagaRequest& request) {
  if (request.verb != "cancel") return "It has not begun: it can be paused, resumed or cancelled.";
  SagaRecord record = by(draft, request, RecordKind::ended);
  record.state = makegood::to_string(SagaState::cancelled);
  record.code = to_string(Errc::cancelled);
  draft.record(std::move(record));
  return std::nullopt;
}

/// Nobody knew its definition when it was read.
bool is_unknown(const Execution& execution) { return execution.has_ended() && !execution.definition(); }

Refusal begin_anew(Draft& draft, const SagaRequest& request) {
  if (request.verb != "retry") return "It has no definition: apply it, then retry.";
  reopen_by(draft, request);
  return std::nullopt;
}

// --- What a parent asks ---

/// Nobody knew its definition, so nothing was done; and nobody begins it now.
void end_unknown(Draft& draft, const SagaRequest& request) {
  reopen_by(draft, request);
  before_begin(draft, {.verb = "cancel", .reason = request.reason, .request = request.request});
}

/// It has failed, and is tried again; when it ends, its parent is told.
Refusal try_again_for_parent(Draft& draft, const SagaRequest& request) {
  if (is_unknown(draft.execution())) return reopen_by(draft, request), std::nullopt;
  auto refusal = retry_compensations(draft, request);
  if (refusal) draft.tell_parent(true);
  return refusal;
}

Refusal undo_for_parent(Draft& draft, const SagaRequest& request) {
  const Execution& execution = draft.execution();
  if (is_unknown(execution)) return end_unknown(draft, request), std::nullopt;
  if (execution.ended_as() == SagaState::failed) return try_again_for_parent(draft, request);
  const bool is_believed = execution.has_ended() && is_mutant("saga_undo_of_child_is_believed");
  if (execution.is_turned_back() || execution.ended_as() == SagaState::cancelled || is_believed) {
    if (execution.has_ended()) draft.tell_parent(false);
    return std::nullopt;
  }
  if (!execution.has_begun()) return before_begin(draft, {.verb = "cancel", .request = request.request});
  if (execution.has_passed_pivot()) {
    draft.tell_parent(true);
    return "Its pivot may be done: it only goes forward.";
  }
  if (!execution.has_ended() && is_mutant("saga_running_child_is_not_undone")) return "It has not ended.";
  reopen_by(draft, request);
  return turn_back_by(draft, request, saga_code::undone_by_parent);
}

/// The step is tried again, and the child may know already.
Refusal ask_for_parent(Draft& draft, const SagaRequest& request) {
  const Execution& execution = draft.execution();
  if (execution.ended_as() == SagaState::failed) return try_again_for_parent(draft, request);
  if (execution.has_ended()) draft.tell_parent(false);
  return std::nullopt;
}

Refusal try_to(Draft& draft, const SagaRequest& request, const SagaDefinitionPtr& target) {
  const Execution& execution = draft.execution();
  const std::string_view state = makegood::to_string(state_of(execution, {}));
  const bool is_running = state == "running" && request.seen_state == "waiting";
  if (!request.seen_state.empty() && request.seen_state != state && !is_running) {
    return "Its state is " + std::string(state) + ", not " + request.seen_state + ".";
  }
  if (request.verb == "annotate") return annotate(draft, request);
  const bool is_of_parent = request.verb == "undo" || request.verb == "ask";
  if (is_of_parent && !execution.parent()) return "It is no step of another execution.";
  if (request.verb == "undo") return undo_for_parent(draft, request);
  if (request.verb == "ask") return ask_for_parent(draft, request);
  if (auto refusal = refusal_for_ended(execution, request)) return refusal;
  if (request.verb == "event") return keep_event(draft, request);
  if (request.verb == "pause" && !is_unknown(execution)) return pause(draft, request);
  if (request.verb == "resume" && !is_unknown(execution)) return resume(draft, request);
  if (is_unknown(execution)) return begin_anew(draft, request);
  if (!execution.has_begun()) return before_begin(draft, request);
  if (request.verb == "cancel") return turn_back_by(draft, request, to_string(Errc::cancelled));
  if (request.verb == "compensate" && execution.is_turned_back()) return retry_compensations(draft, request);
  if (request.verb == "compensate") return turn_back_by(draft, request, saga_code::asked);
  if (request.verb == "retry") return retry(draft, request);
  if (request.verb == "skip") return skip(draft, request);
  if (request.verb == "decide") return decide(draft, request);
  if (request.verb == "resolve") return resolve(draft, request);
  if (request.verb == "repin") return repin(draft, request, target);
  return "There is no such request: " + request.verb + ".";
}

}  // namespace

void carry_out(Draft& draft, const SagaRequest& request, const SagaDefinitionPtr& target) {
  const auto refusal = try_to(draft, request, target);
  if (!refusal) return;
  SagaRecord record = by(draft, request, RecordKind::refused);
  record.step = request.step;
  record.error = *refusal;
  draft.record(std::move(record));
}

}  // namespace makegood::core
