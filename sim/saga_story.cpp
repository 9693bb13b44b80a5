#include "sim/saga_story.hpp"

#include <algorithm>

namespace makegood::sim {
namespace {

using core::Direction;
using core::RecordKind;
using core::SagaRecord;

bool is_no(const SeenAttempt& attempt) {
  return attempt.is_denied || attempt.outcome == SagaOutcome::fail || attempt.outcome == SagaOutcome::retry;
}

/// What only the transport or our own clock says.
bool is_own_word(const std::string& code) { return code == "TX.TIMEOUT" || code == "SIM.SILENT"; }

}  // namespace

void SagaStory::apply(const SagaRecord& record, const SagaDefinitionPtr& newest) {
  if (record.kind == RecordKind::begun) {
    begun_at = record.at;
    definition = newest;
  }
  if (!record.step.empty()) apply(steps[record.step], record);
  switch (record.kind) {
    case RecordKind::turned_back:
      is_turned_back = true;
      turned_back_at = record.at;
      return;
    case RecordKind::paused:
      is_paused = true;
      return;
    case RecordKind::to_manual:
      is_manual = true;
      return;
    case RecordKind::resumed:
      is_paused = is_manual = false;
      return;
    case RecordKind::reopened:
      has_ended = false;
      return;
    case RecordKind::ended:
      has_ended = true;
      return;
    case RecordKind::begun:
    case RecordKind::started:
    case RecordKind::accepted:
    case RecordKind::answered:
    case RecordKind::lost:
    case RecordKind::round_begun:
    case RecordKind::asked:
    case RecordKind::decided:
    case RecordKind::skipped:
    case RecordKind::stalled:
    case RecordKind::given_up:
    case RecordKind::resolved:
    case RecordKind::refused:
    case RecordKind::noted:
      return;
  }
}

std::map<SeenStep::Number, SeenAttempt>* SagaStory::attempts_of(SeenStep& seen, Direction direction) {
  if (direction == Direction::check) return nullptr;
  return direction == Direction::action ? &seen.actions : &seen.compensations;
}

void SagaStory::apply(SeenStep& seen, const SagaRecord& record) {
  auto* attempts = attempts_of(seen, record.direction);
  switch (record.kind) {
    case RecordKind::started:
      if (attempts != nullptr) (*attempts)[{record.round, record.attempt}].until = record.until.value();
      return;
    case RecordKind::answered:
    case RecordKind::noted:
      return hear(seen, record);
    case RecordKind::lost:
      if (attempts != nullptr) (*attempts)[{record.round, record.attempt}].is_lost = true;
      return;
    case RecordKind::round_begun:
      if (record.direction != Direction::compensation) return;
      seen.compensation_round = record.round;
      seen.is_resolved_undone = seen.is_given_up = seen.is_stalled = false;
      return;
    case RecordKind::skipped:
      seen.is_skipped = true;
      return;
    case RecordKind::stalled:
      seen.is_stalled = true;
      return;
    case RecordKind::given_up:
      seen.is_given_up = true;
      return;
    case RecordKind::resolved:
      return resolve(seen, record);
    case RecordKind::begun:
    case RecordKind::accepted:
    case RecordKind::asked:
    case RecordKind::decided:
    case RecordKind::turned_back:
    case RecordKind::to_manual:
    case RecordKind::paused:
    case RecordKind::resumed:
    case RecordKind::reopened:
    case RecordKind::refused:
    case RecordKind::ended:
      return;
  }
}

void SagaStory::hear(SeenStep& seen, const SagaRecord& record) {
  auto* attempts = attempts_of(seen, record.direction);
  const auto found = attempts == nullptr ? std::map<SeenStep::Number, SeenAttempt>::iterator()
                                         : attempts->find({record.round, record.attempt});
  if (attempts == nullptr || found == attempts->end()) return;
  SeenAttempt& attempt = found->second;
  const bool may_have_effect = record.outcome == SagaOutcome::ok || record.outcome == SagaOutcome::unknown;
  attempt.is_heard = attempt.is_heard || (may_have_effect && !is_own_word(record.code));
  if (record.kind == RecordKind::noted || attempt.outcome == SagaOutcome::ok) return;
  attempt.outcome = record.outcome;
  attempt.is_denied = false;
}

void SagaStory::resolve(SeenStep& seen, const SagaRecord& record) {
  seen.is_resolved_done =
      record.outcome == SagaOutcome::ok || (seen.is_resolved_done && record.outcome != SagaOutcome::fail);
  if (record.outcome == SagaOutcome::retry) {
    seen.is_resolved_undone = true;
    seen.is_given_up = false;
  }
  if (record.outcome != SagaOutcome::fail) return;
  for (auto& [number, attempt] : seen.actions) {
    if (attempt.outcome == SagaOutcome::ok) attempt.outcome = SagaOutcome::unknown;
    attempt.is_denied = true;
  }
}

const SagaStep* SagaStory::find(const std::string& step) const {
  if (!definition) return nullptr;
  const auto found = std::ranges::find(definition->steps, step, &SagaStep::name);
  return found == definition->steps.end() ? nullptr : &*found;
}

bool SagaStory::may_be_done(const SagaStep& step) const {
  const auto found = steps.find(step.name);
  if (found == steps.end()) return false;
  const SeenStep& seen = found->second;
  if (seen.is_resolved_done) return true;
  return std::ranges::any_of(seen.actions, [&](const auto& each) {
    if (is_no(each.second)) return false;
    if (each.second.outcome == SagaOutcome::ok || step.participant != SagaPromise::barrier) return true;
    return std::ranges::none_of(seen.actions, [&](const auto& other) {
      return other.first.first == each.first.first && other.second.outcome == SagaOutcome::fail;
    });
  });
}

bool SagaStory::is_finished(const SagaStep& step) const {
  const auto found = steps.find(step.name);
  if (found == steps.end()) return false;
  const SeenStep& seen = found->second;
  return seen.is_skipped || seen.is_resolved_done || std::ranges::any_of(seen.actions, [](const auto& each) {
           return each.second.outcome == SagaOutcome::ok && !each.second.is_denied;
         });
}

bool SagaStory::is_undone(const SagaStep& step) const {
  const auto found = steps.find(step.name);
  if (found == steps.end()) return false;
  const SeenStep& seen = found->second;
  return seen.is_resolved_undone || std::ranges::any_of(seen.compensations, [&](const auto& each) {
           return each.first.first == seen.compensation_round && each.second.outcome == SagaOutcome::ok;
         });
}

bool SagaStory::is_settled(const SagaStep& step) const {
  return step.has_no_effect || !may_be_done(step) || is_undone(step);
}

bool SagaStory::may_still_run(const SagaStep& step, TimePoint now) const {
  const auto found = steps.find(step.name);
  if (found == steps.end()) return false;
  return std::ranges::any_of(found->second.actions, [&](const auto& each) {
    return !each.second.outcome && !each.second.is_denied && each.second.until > now;
  });
}

std::vector<std::string> SagaStory::open() const {
  std::vector<std::string> names;
  for (const SagaStep& step : definition->steps) {
    if (!is_settled(step)) names.push_back(step.name);
  }
  return names;
}

}  // namespace makegood::sim
