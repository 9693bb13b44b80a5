// What an answer means, in time and too late.
#include <algorithm>
#include <ranges>
#include <utility>

#include "base/saga_calls.hpp"
#include "core/mutant.hpp"
#include "core/saga/steering.hpp"

namespace makegood::core {
namespace {

SagaRecord answered(Draft& draft, std::size_t index, const SagaAnswer& answer) {
  SagaRecord record = draft.about(index, RecordKind::answered, answer.direction);
  record.round = answer.round;
  record.attempt = answer.attempt;
  record.outcome = answer.outcome;
  record.is_spent = answer.is_spent;
  record.is_held = answer.is_held;
  record.code = answer.code;
  record.error = answer.error;
  record.body = answer.output;
  record.request = answer.request;
  if (answer.outcome != SagaOutcome::ok) record.until = draft.next_try(index, answer.direction, answer.retry_after);
  return record;
}

/// It is kept for whoever reads the journal, and changes nothing.
void note(Draft& draft, std::size_t index, const SagaAnswer& answer) {
  SagaRecord record = answered(draft, index, answer);
  record.kind = RecordKind::noted;
  record.until.reset();
  draft.record(std::move(record));
}

/// Whoever is late may have been compensated, so it is not taken for under way again. It is going to answer.
void note_report(Draft& draft, std::size_t index, SagaAnswer report) {
  report.code = saga_code::progress;
  note(draft, index, report);
}

void resolve(Draft& draft, std::size_t index, SagaOutcome outcome, std::string output) {
  SagaRecord record = draft.about(index, RecordKind::resolved);
  record.outcome = outcome;
  record.body = std::move(output);
  record.reason = "check";
  draft.record(std::move(record));
}

/// "Not done" counts only when no request can run any more; otherwise it is compensated to be sure.
void conclude_check(Draft& draft, std::size_t index, const SagaAnswer& answer) {
  const SagaStep& step = draft.execution().step(index);
  if (answer.outcome == SagaOutcome::ok) return resolve(draft, index, SagaOutcome::ok, answer.output);
  const bool is_prompt = step.participant == SagaPromise::keyed || step.participant == SagaPromise::plain;
  const bool may_run_late = !is_prompt || draft.execution().facts(index).actions().may_still_run();
  if (answer.outcome == SagaOutcome::fail && (!may_run_late || is_mutant("saga_check_is_believed")))
    resolve(draft, index, SagaOutcome::fail, {});
}

void accept(Draft& draft, std::size_t index, const SagaAnswer& answer) {
  SagaRecord record = draft.about(index, RecordKind::accepted, answer.direction);
  record.round = answer.round;
  record.attempt = answer.attempt;
  draft.record(std::move(record));
}

/// It has all its time again, from now on.
void extend(Draft& draft, std::size_t index, const SagaAnswer& answer) {
  SagaRecord record = draft.about(index, RecordKind::extended, answer.direction);
  record.round = answer.round;
  record.attempt = answer.attempt;
  record.until = draft.now() + timeout_of(draft.execution().step(index), answer.direction);
  record.body = answer.output;
  record.request = answer.request;
  draft.record(std::move(record));
}

/// The first of those that something before the participant has refused is told; it is tried on until it is mended.
void tell_if_held(Draft& draft, std::size_t index, const SagaAnswer& answer) {
  const StepTrack& track = draft.execution().facts(index).track(answer.direction);
  if (!answer.is_held || track.held_since) return;
  draft.alarm("Something before the participant of " + answer.step + " of " + std::string(draft.execution().id()) +
              " refuses its requests: " + answer.code);
}

void hear_in_time(Draft& draft, std::size_t index, const SagaAnswer& answer) {
  if (answer.is_accepted) return accept(draft, index, answer);
  if (answer.is_progress) return extend(draft, index, answer);
  tell_if_held(draft, index, answer);
  draft.record(answered(draft, index, answer));
  if (answer.direction == Direction::check) return conclude_check(draft, index, answer);
  if (answer.is_manual && !draft.execution().has_ended()) draft.to_manual(index, answer.code, answer.error);
}

/// The step may have been done after its compensation, so it is undone once more, whatever the execution has become.
void compensate_again(Draft& draft, std::size_t index) {
  SagaRecord record = draft.about(index, RecordKind::round_begun, Direction::compensation);
  record.round = draft.execution().facts(index).compensations().round() + 1;
  draft.record(std::move(record));
}

/// What had ended goes on, if a step turns out to be open.
void reopen_if_open(Draft& draft, std::size_t index) {
  const Execution& execution = draft.execution();
  const bool is_open = execution.is_turned_back() && !execution.is_settled(index);
  if (execution.has_ended() && is_open && !is_mutant("saga_end_is_final"))
    draft.record(draft.about_all(RecordKind::reopened));
}

/// Whether a late answer may tell of an effect that came after the step was undone. A compensation makes a barrier
/// refuse it; an operator who says that it is undone does not.
bool must_be_undone_again(const Execution& execution, std::size_t index) {
  const StepFacts& facts = execution.facts(index);
  if (!execution.is_turned_back()) return false;
  switch (execution.step(index).participant) {
    case SagaPromise::barrier:
      return facts.is_undone() && !facts.compensations().was_ever_ok();
    case SagaPromise::keyed:
      return false;
    case SagaPromise::late:
    case SagaPromise::plain:
      return facts.is_undone() || !facts.compensations().empty();
  }
  std::unreachable();
}

/// Nothing ran after the deadline, and whoever looked then knows more than an answer that says nothing.
bool is_known_better(const Execution& execution, std::size_t index, const SagaAnswer& answer, const Attempt& attempt) {
  return attempt.is_denied && answer.outcome != SagaOutcome::ok &&
         execution.step(index).participant == SagaPromise::keyed;
}

/// After its deadline an attempt counted as unknown. A late "fail" proves nothing about the others (but of a child,
/// which is but one), and silence nothing at all; anything else may be an effect that nobody undoes. So may a late 202,
/// whose callback may never come.
void hear_late_action(Draft& draft, std::size_t index, const SagaAnswer& answer) {
  const bool is_child = saga_call_kind(draft.execution().step(index).action.uri) == SagaCallKind::child;
  const bool counts = answer.outcome == SagaOutcome::ok || is_child ||
                      (answer.outcome == SagaOutcome::unknown && !answer.is_silence && !is_mutant("saga_late_ok_only"));
  if (!counts || is_mutant("saga_late_ignored")) return note(draft, index, answer);
  draft.record(answered(draft, index, answer));
  if (must_be_undone_again(draft.execution(), index)) compensate_again(draft, index);
  reopen_if_open(draft, index);
}

void hear_late(Draft& draft, std::size_t index, const SagaAnswer& answer, const Attempt& attempt) {
  if (answer.is_progress) return note_report(draft, index, answer);
  // The first definite answer counts.
  const bool is_ignored = answer.is_accepted && is_mutant("saga_late_accept_ignored");
  if (attempt.state != Attempt::State::unknown || is_ignored) return note(draft, index, answer);
  if (is_known_better(draft.execution(), index, answer, attempt)) return note(draft, index, answer);
  if (answer.direction == Direction::action) return hear_late_action(draft, index, answer);
  const bool is_current = attempt.round == draft.execution().facts(index).track(answer.direction).attempts.round();
  const bool counts = is_current && answer.outcome == SagaOutcome::ok && !draft.execution().has_ended();
  if (!counts) return note(draft, index, answer);
  draft.record(answered(draft, index, answer));
  if (answer.direction == Direction::check) conclude_check(draft, index, answer);
}

/// The one that it means; null: there is none.
const Attempt* attempt_meant(const Execution& execution, std::size_t index, const SagaAnswer& told) {
  const Attempts& attempts = execution.facts(index).track(told.direction).attempts;
  if (told.attempt != last_attempt) return attempts.find(told.round, told.attempt);
  const bool is_child = saga_call_kind(execution.step(index).action.uri) == SagaCallKind::child;
  const std::uint32_t round = told.round == 0 ? attempts.round() : told.round;
  const auto last = std::ranges::find(attempts.all() | std::views::reverse, round, &Attempt::round);
  return is_child && last != attempts.all().rend() ? &*last : nullptr;
}

/// What has failed as a whole has something open, and nobody knows better than its operators.
bool is_for_people(const Execution& execution, std::size_t index, const SagaAnswer& told) {
  const bool is_child = saga_call_kind(execution.step(index).action.uri) == SagaCallKind::child;
  return is_child && told.outcome == SagaOutcome::unknown && told.direction == Direction::action &&
         !execution.is_turned_back();
}

/// A bus may hand over a message twice, so a "no" to one of the two proves nothing; only a barrier keeps its answer.
SagaAnswer as_heard(const Execution& execution, std::size_t index, SagaAnswer answer) {
  const SagaStep& step = execution.step(index);
  const bool is_told_by_bus = !answer.is_progress && !topic_of(call_of(step, answer.direction).uri).empty();
  const bool is_kept = step.participant == SagaPromise::barrier && answer.outcome == SagaOutcome::fail;
  const bool is_no = answer.outcome == SagaOutcome::fail || answer.outcome == SagaOutcome::retry;
  if (is_told_by_bus && is_no && !is_kept && !is_mutant("saga_bus_no_is_believed"))
    answer.outcome = SagaOutcome::unknown;
  answer.is_manual = answer.is_manual || is_for_people(execution, index, answer);
  return answer;
}

}  // namespace

void hear(Draft& draft, const SagaAnswer& told) {
  const auto index = draft.execution().index_of(told.step);
  if (!index) return;
  const Attempt* attempt = attempt_meant(draft.execution(), *index, told);
  if (attempt == nullptr) return;
  SagaAnswer answer = as_heard(draft.execution(), *index, told);
  answer.round = attempt->round;
  answer.attempt = attempt->number;
  // Each report costs a revision; the attempt's deadline ends it.
  if (answer.is_progress && draft.is_too_long()) return;
  const bool is_revived = answer.is_progress && is_mutant("saga_progress_revives");
  if (attempt->may_answer() || is_revived) return hear_in_time(draft, *index, answer);
  hear_late(draft, *index, answer, *attempt);
}

}  // namespace makegood::core
