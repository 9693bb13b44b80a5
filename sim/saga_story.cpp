#include "sim/saga_story.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace makegood::sim {
namespace {

using core::Direction;
using core::RecordKind;
using core::SagaRecord;

bool is_no(const SeenAttempt& attempt) {
  return attempt.is_denied || attempt.outcome == SagaOutcome::fail || attempt.outcome == SagaOutcome::retry;
}

std::size_t lost_in(const std::map<SeenStep::Number, SeenAttempt>& attempts, std::uint32_t round) {
  return static_cast<std::size_t>(std::ranges::count_if(
      attempts, [&](const auto& each) { return each.first.first == round && each.second.is_lost; }));
}

/// What only the transport or our own clock says; and a report, after which an answer comes.
bool is_own_word(const std::string& code) {
  return code == "TX.TIMEOUT" || code == "SIM.SILENT" || code == "SAGA.PROGRESS";
}

}  // namespace

void SagaStory::apply(const SagaRecord& record, const SagaDefinitionPtr& newest) {
  if (record.kind == RecordKind::begun) {
    begun_at = record.at;
    definition = newest;
  }
  if (record.kind == RecordKind::repinned) {
    definition = newest;
    for (const auto& [step, count] : lists) spread(step);
  }
  if (record.kind == RecordKind::spread) {
    const bool is_empty = record.body == "[]";
    lists[record.step] = is_empty ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(record.body, ','));
    return spread(record.step);
  }
  if (!record.step.empty()) apply(steps[record.step], record);
  const RecordKind kind = record.kind;
  if (kind == RecordKind::event_kept) ++events[record.event];
  if (kind == RecordKind::happened && !record.event.empty()) --events[record.event];
  if (kind == RecordKind::turned_back) turned_back_at = record.at;
  is_turned_back = is_turned_back || kind == RecordKind::turned_back;
  is_paused = kind == RecordKind::paused || (is_paused && kind != RecordKind::resumed);
  is_manual = kind == RecordKind::to_manual || (is_manual && kind != RecordKind::resumed);
  if (kind == RecordKind::resumed) revisions = 0;
  has_left_key = has_left_key || (kind == RecordKind::ended && record.state != "failed");
  has_ended = kind == RecordKind::ended || (has_ended && kind != RecordKind::reopened);
}

void SagaStory::spread(const std::string& name) {
  SagaDefinition with_items = *definition;
  const auto step = std::ranges::find(with_items.steps, name, &SagaStep::name);
  if (step == with_items.steps.end() || !step->for_each) return;
  SagaStep repeated = *step;
  at_once[name] = std::exchange(repeated.for_each, std::nullopt)->concurrency;
  auto place = with_items.steps.erase(step);
  for (std::size_t index = lists[name]; index > 0; --index) {
    SagaStep item = repeated;
    item.name += "." + std::to_string(index - 1);
    place = with_items.steps.insert(place, std::move(item));
  }
  definition = std::make_shared<const SagaDefinition>(std::move(with_items));
}

std::map<SeenStep::Number, SeenAttempt>* SagaStory::attempts_of(SeenStep& seen, Direction direction) {
  if (direction == Direction::check) return nullptr;
  return direction == Direction::action ? &seen.actions : &seen.compensations;
}

void SagaStory::apply(SeenStep& seen, const SagaRecord& record) {
  auto* attempts = attempts_of(seen, record.direction);
  const SeenStep::Number number(record.round, record.attempt);
  const RecordKind kind = record.kind;
  if (kind == RecordKind::started && attempts != nullptr) (*attempts)[number].until = record.until.value();
  if (kind == RecordKind::lost && attempts != nullptr) (*attempts)[number].is_lost = true;
  if (kind == RecordKind::extended && attempts != nullptr) (*attempts)[number].until = record.until.value();
  if (kind == RecordKind::answered || kind == RecordKind::noted) hear(seen, record);
  if (kind == RecordKind::resolved) resolve(seen, record);
  if (kind == RecordKind::awaited) seen.waits_since = record.at;
  seen.has_happened = seen.has_happened || kind == RecordKind::happened;
  seen.is_skipped = seen.is_skipped || kind == RecordKind::skipped;
  seen.is_stalled = seen.is_stalled || kind == RecordKind::stalled;
  seen.is_given_up = seen.is_given_up || kind == RecordKind::given_up;
  if (kind == RecordKind::round_begun) begin_round(seen, record);
  if (kind == RecordKind::resumed) seen.forgiven_deaths = lost_in(seen.actions, seen.action_round);
}

void SagaStory::begin_round(SeenStep& seen, const SagaRecord& record) {
  if (record.direction == Direction::action) {
    seen.action_round = record.round;
    seen.forgiven_deaths = 0;
  }
  if (record.direction != Direction::compensation) return;
  seen.compensation_round = record.round;
  seen.is_resolved_undone = seen.is_given_up = seen.is_stalled = false;
}

std::size_t SagaStory::deaths(const std::string& step, Direction direction) const {
  const auto found = steps.find(step);
  if (found == steps.end() || direction == Direction::check) return 0;
  const SeenStep& seen = found->second;
  if (direction == Direction::compensation) return lost_in(seen.compensations, seen.compensation_round);
  return lost_in(seen.actions, seen.action_round) - seen.forgiven_deaths;
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
  return seen.is_skipped || seen.is_resolved_done || seen.has_happened ||
         std::ranges::any_of(seen.actions, [](const auto& each) {
           return each.second.outcome == SagaOutcome::ok && !each.second.is_denied;
         });
}

/// A check has none that matters here.
TimePoint SagaStory::deadline_of(const SagaStep& step, Direction direction, std::uint32_t round,
                                 std::uint32_t attempt) const {
  const auto seen = steps.find(step.name);
  if (seen == steps.end()) return TimePoint::max();
  const auto& attempts = direction == Direction::action ? seen->second.actions : seen->second.compensations;
  const auto found = attempts.find({round, attempt});
  return found == attempts.end() ? TimePoint::max() : found->second.until;
}

int SagaStory::unused_events(const std::string& name) const {
  const auto found = events.find(name);
  return found == events.end() ? 0 : found->second;
}

bool SagaStory::is_undone(const SagaStep& step) const {
  const auto found = steps.find(step.name);
  if (found == steps.end()) return false;
  const SeenStep& seen = found->second;
  return seen.is_resolved_undone || std::ranges::any_of(seen.compensations, [&](const auto& each) {
           return each.first.first == seen.compensation_round && each.second.outcome == SagaOutcome::ok;
         });
}

bool SagaStory::has_tried_to_undo(const std::string& step) const {
  const SeenStep& seen = steps.at(step);
  return std::ranges::any_of(seen.compensations,
                             [&](const auto& each) { return each.first.first == seen.compensation_round; });
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
