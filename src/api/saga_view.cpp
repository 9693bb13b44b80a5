#include "api/saga_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/mistakes.hpp"
#include "base/saga_calls.hpp"
#include "base/saga_json.hpp"
#include "core/saga/steering.hpp"

namespace makegood::api {
namespace {

using core::Direction;
using core::RecordKind;
using core::SagaRecord;

/// Looked at when nobody says whose execution it is.
constexpr std::size_t foreign_looked_max = 1000;

/// Who only looks knows the time, and begins nothing.
class Onlooker final : public core::SagaSurroundings {
 public:
  TimePoint now() const override { return system_clock().now(); }
  double unit_random() override { return 0; }
  bool take_place(const std::string& /*uri*/) override { return false; }
  TimePoint next_place(const std::string& /*uri*/) const override { return TimePoint::max(); }
  bool is_missing(const std::string& /*uri*/) const override { return false; }
  std::string participant_at(const std::string& uri) const override { return uri; }
  Duration downtime_since(TimePoint /*time*/) const override { return Duration::zero(); }
  bool do_deadlines_count() const override { return false; }
};

std::string_view attempt_state(SagaOutcome outcome) {
  switch (outcome) {
    case SagaOutcome::ok:
      return "ok";
    case SagaOutcome::fail:
      return "fail";
    case SagaOutcome::retry:
      return "retry";
    case SagaOutcome::unknown:
      return "unknown";
  }
  std::unreachable();
}

SagaAttempt* attempt_in(SagaStepView& step, const SagaRecord& record) {
  const auto found = std::ranges::find_if(step.attempts, [&](const SagaAttempt& each) {
    return each.direction == record.direction && each.round == record.round && each.attempt == record.attempt;
  });
  return found == step.attempts.end() ? nullptr : &*found;
}

void note_attempt(SagaStepView& step, const SagaRecord& record) {
  if (record.kind == RecordKind::started) {
    if (!step.started_at) step.started_at = record.at;
    if (record.direction == Direction::action && !record.body.empty()) step.input = record.body;
    step.attempts.push_back({.direction = record.direction,
                             .round = record.round,
                             .attempt = record.attempt,
                             .began = record.at,
                             .until = record.until});
    return;
  }
  SagaAttempt* attempt = attempt_in(step, record);
  if (attempt == nullptr || attempt->state == "ok") return;
  if (record.kind == RecordKind::accepted) attempt->state = "accepted";
  if (record.kind == RecordKind::lost) attempt->state = "lost";
  if (record.kind == RecordKind::extended) {
    attempt->state = "accepted";
    attempt->until = record.until;
  }
  if (record.kind != RecordKind::answered) return;
  attempt->state = attempt_state(record.outcome);
  attempt->ended = record.at;
  attempt->next_at = record.until;
  attempt->code = record.code;
  attempt->error = record.error;
}

/// When things happened, which the facts do not keep.
void note_times(SagaStepView& step, const SagaRecord& record) {
  note_attempt(step, record);
  if (record.kind == RecordKind::awaited && !step.started_at) step.started_at = record.at;
  if (record.kind == RecordKind::happened) step.ended_at = record.at;
  const bool is_answer = record.kind == RecordKind::answered && record.outcome == SagaOutcome::ok;
  const bool is_resolved = record.kind == RecordKind::resolved;
  if (record.kind == RecordKind::skipped) step.ended_at = record.at;
  if (is_answer && record.direction != Direction::compensation && !step.ended_at) step.ended_at = record.at;
  if (is_resolved && record.outcome == SagaOutcome::ok) step.ended_at = record.at;
  if (is_answer && record.direction == Direction::compensation) step.compensated_at = record.at;
  if (is_resolved && record.outcome == SagaOutcome::retry) step.compensated_at = record.at;
}

SagaStepState backward_state(const core::StepFacts& facts) {
  if (facts.is_undone()) return SagaStepState::compensated;
  return facts.is_given_up() ? SagaStepState::open : SagaStepState::compensating;
}

/// It waits for its event or its time, and neither has come.
bool is_awaiting(const core::Execution& execution, std::size_t index) {
  const core::StepFacts& facts = execution.facts(index);
  const bool goes_on = !execution.is_turned_back() && !execution.has_ended();
  return goes_on && facts.awaited_until() && !facts.is_finished();
}

SagaStepState step_state(const core::Execution& execution, std::size_t index) {
  const core::StepFacts& facts = execution.facts(index);
  if (facts.is_undone() || facts.is_given_up() || !facts.compensations().empty()) return backward_state(facts);
  if (facts.is_done()) return SagaStepState::succeeded;
  if (facts.is_skipped()) return SagaStepState::skipped;
  if (facts.asked_until() && !facts.decision()) return SagaStepState::waiting;
  if (is_awaiting(execution, index)) return SagaStepState::waiting;
  if (facts.actions().empty()) return SagaStepState::ready;
  if (facts.actions().is_under_way()) {
    const core::Attempt* last = facts.actions().last();
    const bool is_accepted = last != nullptr && last->state == core::Attempt::State::accepted;
    return is_accepted ? SagaStepState::waiting : SagaStepState::in_flight;
  }
  const bool goes_on = !execution.is_standing() && !execution.is_turned_back() && !execution.has_ended();
  if (goes_on) return SagaStepState::waiting;
  return facts.may_be_done(execution.step(index).participant) ? SagaStepState::unknown : SagaStepState::failed;
}

std::optional<TimePoint> next_attempt_at(const SagaStepView& step, const core::StepFacts& facts) {
  const bool is_compensating = step.state == SagaStepState::compensating;
  if (step.state != SagaStepState::waiting && !is_compensating) return std::nullopt;
  const auto& track = facts.track(is_compensating ? Direction::compensation : Direction::action);
  const bool is_set = !track.attempts.is_under_way() && track.next_at != TimePoint();
  return is_set ? std::optional(track.next_at) : std::nullopt;
}

void fill_step(SagaStepView& step, const core::Execution& execution, std::size_t index) {
  const SagaStep& defined = execution.step(index);
  const core::StepFacts& facts = execution.facts(index);
  step.name = defined.name;
  step.group = defined.group;
  step.action = defined.action.uri;
  if (defined.compensation) step.compensation = defined.compensation->uri;
  step.is_pivot = defined.is_pivot;
  step.state = step_state(execution, index);
  step.key = core::key_of(execution, index, Direction::action, facts.actions().round());
  const bool has_child = child_of(defined.action.uri) && !facts.actions().empty();
  if (has_child) step.child = core::child_id(execution, index, facts.actions().round());
  step.output = facts.output();
  if (!facts.is_finished()) step.progress = facts.progress();
  step.next_at = next_attempt_at(step, facts);
  step.is_asked = facts.asked_until() && !facts.decision();
  if (step.is_asked && *facts.asked_until() != TimePoint::max()) step.asked_until = facts.asked_until();
  step.is_awaiting = is_awaiting(execution, index);
  if (step.is_awaiting && *facts.awaited_until() != TimePoint::max()) step.awaited_until = facts.awaited_until();
  step.is_stalled = facts.is_stalled();
  const bool is_back = !facts.compensations().empty();
  const auto& track = facts.track(is_back ? Direction::compensation : Direction::action);
  step.code = track.code;
  step.error = track.error;
}

std::int64_t version_in(const std::vector<JournalEntry>& journal) {
  std::int64_t version = 0;
  for (const JournalEntry& entry : journal) {
    if (core::names_version(entry.record.kind)) version = entry.record.version;
  }
  return version;
}

Result<SagaDefinitionPtr> definition_for(SagaView& sagas, std::string_view name, std::int64_t version) {
  if (version == 0) return SagaDefinitionPtr();
  const auto row = MAKEGOOD_TRY(sagas.definition(name, version));
  if (!row) return SagaDefinitionPtr();
  SagaDefinition definition = MAKEGOOD_TRY(decode_saga_definition(row->document));
  definition.version = version;
  return SagaDefinitionPtr(std::make_shared<const SagaDefinition>(std::move(definition)));
}

void fill_head(SagaExecutionView& view, const core::Execution& execution) {
  const Message& start = execution.start();
  view.number = start.sequence;
  view.id = start.event_id;
  view.tenant_id = start.tenant_id;
  view.definition = start.topic;
  view.key = start.dispatch_key;
  view.created_at = start.created_at;
  view.input = start.content;
  if (execution.parent()) {
    view.parent = execution.parent()->execution;
    view.parent_step = execution.parent()->step;
  }
  if (execution.has_begun()) view.started_at = execution.begun_at();
  view.completed_at = execution.ended_at();
}

void fill_outcome(SagaExecutionView& view, const core::Execution& execution) {
  view.failed_step = execution.failed_step();
  view.code = execution.code();
  view.error = execution.error();
  view.reason = execution.reason();
  view.output = execution.output();
  view.open = execution.open_steps();
  view.unverified = execution.unverified_steps();
  view.state = core::state_of(execution, view.waits_for);
}

void fill_steps(SagaExecutionView& view, const core::Execution& execution, const std::vector<JournalEntry>& journal) {
  view.steps.resize(execution.step_count());
  for (const JournalEntry& entry : journal) {
    if (const auto index = execution.index_of(entry.record.step)) note_times(view.steps[*index], entry.record);
  }
  for (std::size_t index = 0; index < view.steps.size(); ++index) fill_step(view.steps[index], execution, index);
}

/// Late answers are noted too, without an operator.
void fill_notes(SagaExecutionView& view, const std::vector<JournalEntry>& journal) {
  for (const auto& [revision, record] : journal) {
    const bool is_note = record.kind == RecordKind::noted && !record.operator_name.empty();
    if (is_note) view.notes.push_back({record.at, record.operator_name, record.reason});
  }
}

Error no_such_saga(const std::string& tenant_id, const std::string& id) {
  const std::string whose = tenant_id.empty() ? "" : fmt::format(" of tenant '{}'", shown(tenant_id));
  return {Errc::not_found, fmt::format("There is no execution '{}'{}.", shown(id), whose)};
}

/// Of any tenant, among the newest.
Result<Sequence> find_of_anybody(SagaView& sagas, const std::string& id) {
  const SagaPage page = MAKEGOOD_TRY(sagas.list({.id_prefix = id}, 0, foreign_looked_max, foreign_looked_max));
  std::vector<const SagaSummary*> found;
  for (const SagaSummary& item : page.items) {
    if (item.id == id) found.push_back(&item);
  }
  if (found.empty()) return no_such_saga({}, id);
  if (found.size() > 1) {
    return Error{Errc::conflict, fmt::format("Several tenants have an execution '{}'; say whose it is, as tenant={}.",
                                             shown(id), shown(found.front()->tenant_id))};
  }
  return found.front()->execution;
}

}  // namespace

std::string_view to_string(SagaStepState state) {
  constexpr std::array<std::string_view, 10> words = {"ready",   "in_flight", "waiting",      "succeeded",   "failed",
                                                      "unknown", "skipped",   "compensating", "compensated", "open"};
  return words.at(static_cast<std::size_t>(state));
}

Result<std::vector<JournalEntry>> journal_of(const SagaLoaded& loaded) {
  std::vector<JournalEntry> entries;
  for (const JournalRow& row : loaded.journal) {
    auto records = MAKEGOOD_TRY(core::decode_saga_records(row.records));
    for (SagaRecord& record : records) entries.push_back({row.revision, std::move(record)});
  }
  return entries;
}

Result<std::optional<core::SagaRecord>> record_of_request(SagaView& sagas, Sequence execution, Sequence request) {
  const auto loaded = MAKEGOOD_TRY(sagas.load(execution));
  if (!loaded) return std::optional<core::SagaRecord>();
  auto entries = MAKEGOOD_TRY(journal_of(*loaded));
  for (JournalEntry& entry : entries) {
    if (entry.record.request == request) return std::optional(std::move(entry.record));
  }
  return std::optional<core::SagaRecord>();
}

Result<SagaExecutionView> read_saga(SagaView& sagas, Sequence execution) {
  const auto loaded = MAKEGOOD_TRY(sagas.load(execution));
  if (!loaded || loaded->start == nullptr) {
    return Error{Errc::not_found, "The execution is kept no longer."};
  }
  const auto journal = MAKEGOOD_TRY(journal_of(*loaded));
  SagaExecutionView view;
  view.version = version_in(journal);
  const auto definition = MAKEGOOD_TRY(definition_for(sagas, loaded->start->topic, view.version));
  core::Execution folded(loaded->start);
  for (const JournalEntry& entry : journal) folded.apply(entry.record, definition);
  fill_head(view, folded);
  const auto parked = MAKEGOOD_TRY(sagas.parked(execution));
  if (parked) view.due_at = parked->due_at;
  view.waits_for = parked ? parked->summary.waits_for : core::outlook_of(folded, {}, Onlooker()).waits_for;
  if (folded.has_ended()) view.waits_for.clear();
  fill_outcome(view, folded);
  fill_steps(view, folded, journal);
  fill_notes(view, journal);
  view.advice = advice_for(view, folded);
  return view;
}

Result<Sequence> find_saga(SagaView& sagas, const std::string& tenant_id, const std::string& id) {
  const std::string_view whose = tenant_id.empty() ? default_tenant_id : std::string_view(tenant_id);
  const auto found = MAKEGOOD_TRY(sagas.find(whose, id));
  if (found) return *found;
  if (!tenant_id.empty()) return no_such_saga(tenant_id, id);
  return find_of_anybody(sagas, id);
}

}  // namespace makegood::api
