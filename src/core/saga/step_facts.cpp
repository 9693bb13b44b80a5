#include "core/saga/step_facts.hpp"

#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// Who was not reached, or is not the participant, has said nothing that could end the attempts.
bool counts(const SagaRecord& record) {
  return record.is_spent || record.outcome == SagaOutcome::fail || is_mutant("saga_held_is_compensated");
}

}  // namespace

void StepFacts::apply(const SagaRecord& record) {
  switch (record.kind) {
    case RecordKind::started:
      return note_start(record);
    case RecordKind::accepted:
      return at(record.direction).attempts.accept(record.round, record.attempt);
    case RecordKind::extended:
      at(record.direction).attempts.extend(record);
      if (record.direction == Direction::action) progress_ = record.body;
      return;
    case RecordKind::answered:
      return note_answer(record);
    case RecordKind::lost:
      return at(record.direction).attempts.lose(record.round, record.attempt);
    case RecordKind::round_begun:
      return begin_round(record);
    case RecordKind::asked:
      asked_until_ = record.until.value_or(TimePoint::max());
      return;
    case RecordKind::decided:
      decision_ = record.outcome;
      if (!record.body.empty()) changed_input_ = record.body;
      return;
    case RecordKind::awaited:
      awaited_until_ = record.until.value_or(TimePoint::max());
      return;
    case RecordKind::happened:
      has_happened_ = true;
      output_ = record.body;
      return;
    case RecordKind::skipped:
      is_skipped_ = true;
      if (is_mutant("saga_skip_clears")) at(Direction::action).attempts.deny_all();
      return;
    case RecordKind::stalled:
      is_stalled_ = true;
      return;
    case RecordKind::given_up:
      is_given_up_ = true;
      return;
    case RecordKind::resolved:
      return note_resolution(record);
    case RecordKind::resumed:
      return forgive(record.direction);
    case RecordKind::begun:
    case RecordKind::spread:
    case RecordKind::repinned:
    case RecordKind::event_kept:
    case RecordKind::turned_back:
    case RecordKind::to_manual:
    case RecordKind::paused:
    case RecordKind::reopened:
    case RecordKind::refused:
    case RecordKind::noted:
    case RecordKind::ended:
      return;  // They speak of the execution, or change nothing.
  }
}

void StepFacts::fix_body(std::string_view input) {
  StepTrack& track = at(Direction::action);
  if (track.attempts.last() != nullptr && track.body.empty()) track.body = input;
}

bool StepFacts::is_undone() const {
  const Attempt* last = compensations().last();
  const bool has_failed = last != nullptr && !last->may_answer();
  return is_resolved_undone_ || compensations().is_ok() || (is_mutant("saga_failed_undo_is_done") && has_failed);
}

void StepFacts::note_start(const SagaRecord& record) {
  StepTrack& track = at(record.direction);
  if (!record.body.empty()) track.body = record.body;
  track.attempts.start(record);
}

void StepFacts::note_answer(const SagaRecord& record) {
  StepTrack& track = at(record.direction);
  track.attempts.answer(record);
  if (record.until) {
    track.next_at = *record.until;
    track.waits_since = record.at;
  }
  if (!record.is_held) track.held_since.reset();
  if (record.is_held && !track.held_since) track.held_since = record.at;
  if (record.outcome != SagaOutcome::ok) {
    track.code = record.code;
    track.error = record.error;
    if (counts(record)) track.counted = {record.code, record.error};
    return;
  }
  track.code.clear();
  track.error.clear();
  if (record.direction != Direction::compensation && !record.body.empty()) output_ = record.body;
}

void StepFacts::note_resolution(const SagaRecord& record) {
  switch (record.outcome) {
    case SagaOutcome::ok:
      is_resolved_done_ = true;
      if (!record.body.empty()) output_ = record.body;
      return;
    case SagaOutcome::fail:
      is_resolved_done_ = false;
      at(Direction::action).attempts.deny_all();
      output_.clear();
      return;
    case SagaOutcome::retry:
      is_resolved_undone_ = true;
      is_given_up_ = false;
      return;
    case SagaOutcome::unknown:
      return;
  }
}

void StepFacts::forgive(Direction direction) {
  StepTrack& track = at(direction);
  track.forgiven = track.attempts.spent();
  track.forgiven_deaths = track.attempts.lost();
  track.next_at = {};
  track.held_since.reset();
  awaited_until_.reset();  // It waits anew, as long as at first.
}

void StepFacts::begin_round(const SagaRecord& record) {
  StepTrack& track = at(record.direction);
  track.attempts.begin_round(record.round);
  track.body.clear();
  track.round_at = record.at;
  track.next_at = {};
  track.forgiven = 0;
  track.forgiven_deaths = 0;
  track.held_since.reset();
  if (record.direction == Direction::action && !record.body.empty()) changed_input_ = record.body;
  if (record.direction != Direction::compensation) return;
  is_resolved_undone_ = false;
  is_given_up_ = false;
  is_stalled_ = false;
}

}  // namespace makegood::core
