#include "core/saga/execution.hpp"

#include <algorithm>
#include <utility>

#include "base/json_text.hpp"
#include "base/saga_calls.hpp"
#include "core/mutant.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

void append_escaped(std::string& text, std::string_view part) {
  for (const char c : part) {
    if (c == '/' || c == '%') {
      text += c == '/' ? "%2F" : "%25";
    } else {
      text += c;
    }
  }
}

}  // namespace

Execution::Execution(MessagePtr start) : start_(std::move(start)), parent_(read_parent(*start_)) {}

void Execution::apply(const SagaRecord& record, const SagaDefinitionPtr& definition) {
  if (record.kind == RecordKind::begun) {
    begun_at_ = record.at;
    pin(definition);
    steps_.resize(definition_ ? definition_->steps.size() : 0);
  }
  if (const auto index = index_of(record.step)) {
    if (record.kind == RecordKind::answered || record.kind == RecordKind::accepted ||
        record.kind == RecordKind::extended) {
      count_activity(record);
    }
    if (record.kind == RecordKind::spread) return spread(*index, record);
    record.kind == RecordKind::happened ? use_event(*index, record) : steps_[*index].apply(record);
  }
  switch (record.kind) {
    case RecordKind::repinned:
      return repin(definition);
    case RecordKind::event_kept:
      events_.push_back({.name = record.event, .body = record.body});
      return;
    case RecordKind::turned_back:
      return turn_back(record);
    case RecordKind::to_manual:
    case RecordKind::paused:
      return stand(record);
    case RecordKind::resumed:
      return go_on(record);
    case RecordKind::reopened:
      ended_.reset();
      ended_at_.reset();
      if (!definition_) begun_at_.reset();  // Nobody knew it; it begins now.
      return;
    case RecordKind::ended:
      return end(record);
    case RecordKind::begun:
    case RecordKind::spread:
    case RecordKind::started:
    case RecordKind::accepted:
    case RecordKind::extended:
    case RecordKind::answered:
    case RecordKind::lost:
    case RecordKind::round_begun:
    case RecordKind::asked:
    case RecordKind::decided:
    case RecordKind::awaited:
    case RecordKind::happened:
    case RecordKind::skipped:
    case RecordKind::stalled:
    case RecordKind::given_up:
    case RecordKind::resolved:
    case RecordKind::refused:
    case RecordKind::noted:
      return;  // They speak of a step, or change nothing.
  }
}

void Execution::pin(const SagaDefinitionPtr& definition) {
  pinned_ = definition;
  SpreadDefinition spread = spread_out(pinned_, lists_);
  definition_ = std::move(spread.definition);
  items_ = std::move(spread.items);
}

/// In the place of the one there is one for each element, about which nothing is known yet.
void Execution::spread(std::size_t index, const SagaRecord& record) {
  if (!step(index).for_each) return;
  auto elements = json::elements_of(record.body).value_or(std::vector<std::string>());
  const auto place = steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(index));
  steps_.insert(place, elements.size(), StepFacts());
  lists_[record.step] = std::move(elements);
  pin(pinned_);
}

std::optional<std::string> Execution::output_of(std::string_view name) const {
  const auto index = index_of(name);
  if (index) return facts(*index).output().empty() ? std::nullopt : std::optional(facts(*index).output());
  const auto list = lists_.find(name);
  if (list == lists_.end()) return std::nullopt;
  std::string outputs;
  for (std::size_t item = 0; item < list->second.size(); ++item) {
    const auto output = output_of(item_name(name, item));
    outputs.append(outputs.empty() ? "" : ",").append(output.value_or("null"));
  }
  return "[" + outputs + "]";
}

/// One key has one body, whatever the mapping says now.
void Execution::repin(const SagaDefinitionPtr& definition) {
  pin(definition);
  if (is_mutant("saga_repin_changes_bodies")) return;
  for (StepFacts& facts : steps_) facts.fix_body(input());
}

/// Without such a time the row has the moment of its making, of a clock that may have been set back since.
TimePoint Execution::begins_at() const {
  return start_->available_at > start_->created_at ? start_->available_at : TimePoint();
}

const KeptEvent* Execution::unused_event(std::string_view name) const {
  const auto is_it = [&](const KeptEvent& event) { return event.name == name && !event.is_used; };
  const auto found = std::ranges::find_if(events_, is_it);
  return found == events_.end() ? nullptr : &*found;
}

std::size_t Execution::unused_event_count() const {
  return static_cast<std::size_t>(std::ranges::count(events_, false, &KeptEvent::is_used));
}

/// What the event says is the step's output.
void Execution::use_event(std::size_t index, SagaRecord record) {
  const std::string_view name = event_of(step(index).action.uri);
  const auto is_it = [&](const KeptEvent& event) { return event.name == name && !event.is_used; };
  const auto found = std::ranges::find_if(events_, is_it);
  if (!name.empty() && found != events_.end()) {
    record.body = found->body;
    found->is_used = !is_mutant("saga_event_counts_twice");
  }
  steps_[index].apply(record);
}

std::optional<std::size_t> Execution::index_of(std::string_view step) const {
  if (!definition_ || step.empty()) return std::nullopt;
  const auto found = std::ranges::find(definition_->steps, step, &SagaStep::name);
  if (found == definition_->steps.end()) return std::nullopt;
  return static_cast<std::size_t>(found - definition_->steps.begin());
}

void Execution::count_activity(const SagaRecord& record) {
  if (record.direction != Direction::action) return;
  const Attempt* attempt = steps_[*index_of(record.step)].actions().find(record.round, record.attempt);
  if (attempt == nullptr || attempt->state != Attempt::State::open) return;
  // Nobody waits for an attempt beyond its deadline, however long we were away.
  const TimePoint end = is_mutant("saga_absence_is_active") ? record.at : std::min(record.at, attempt->until);
  active_for_ += std::max<Duration>(end - attempt->began, {});
}

void Execution::blame(const SagaRecord& record) {
  code_ = record.code;
  error_ = record.error;
  failed_step_ = record.step;
}

void Execution::turn_back(const SagaRecord& record) {
  is_turned_back_ = true;
  is_cancelled_ = record.code == "TX.CANCELLED";
  turned_back_at_ = record.at;
  stood_for_ = {};
  if (is_standing()) standing_since_ = record.at;
  blame(record);
}

void Execution::stand(const SagaRecord& record) {
  if (!is_standing()) standing_since_ = record.at;
  if (record.kind == RecordKind::paused) {
    is_paused_ = true;
    return;
  }
  is_manual_ = true;
  reason_ = record.reason;
  blame(record);
}

void Execution::go_on(const SagaRecord& record) {
  if (is_standing()) stood_for_ += record.at - standing_since_;
  is_paused_ = false;
  is_manual_ = false;
  revisions_ = 0;
  reason_.clear();
}

void Execution::end(const SagaRecord& record) {
  ended_ = saga_state_from(record.state).value_or(SagaState::failed);
  ended_at_ = record.at;
  output_ = record.body;
  ++endings_;
  if (!record.code.empty()) blame(record);
}

std::optional<std::size_t> Execution::current_group() const {
  for (std::size_t index = 0; index < steps_.size(); ++index) {
    if (!steps_[index].is_finished()) return step(index).group;
  }
  return std::nullopt;
}

bool Execution::has_passed_pivot() const {
  if (is_mutant("saga_pivot_forgotten")) return false;
  for (std::size_t index = 0; index < steps_.size(); ++index) {
    if (!step(index).is_pivot) continue;
    return steps_[index].is_skipped() || steps_[index].may_be_done(step(index).participant);
  }
  return false;
}

bool Execution::is_behind_pivot(std::size_t index) const {
  for (std::size_t before = 0; before < index; ++before) {
    if (step(before).is_pivot) return true;
  }
  return false;
}

bool Execution::is_settled(std::size_t index) const {
  const StepFacts& facts = steps_[index];
  if (step(index).has_no_effect || facts.is_undone()) return true;
  if (is_mutant("saga_no_compensation_is_undone") && undoing_of(step(index)) == nullptr) return true;
  if (is_mutant("saga_only_ok_is_undone")) return !facts.is_done();
  return !facts.may_be_done(step(index).participant);
}

TimePoint Execution::compensates_since(std::size_t index) const {
  return std::max(turned_back_at_, steps_[index].track(Direction::compensation).round_at);
}

bool Execution::is_torn() const {
  if (!is_turned_back_) return false;
  for (std::size_t index = 0; index < steps_.size(); ++index) {
    if (step(index).is_pivot && !is_settled(index)) return true;
  }
  return false;
}

std::vector<std::string> Execution::open_steps() const {
  std::vector<std::string> open;
  if (!is_turned_back_) return open;
  for (std::size_t index = 0; index < steps_.size(); ++index) {
    if (!is_settled(index)) open.push_back(step(index).name);
  }
  return open;
}

std::vector<std::string> Execution::unverified_steps() const {
  const auto is_unheard = [](const Attempt& attempt) {
    return attempt.may_answer() || attempt.state == Attempt::State::unknown;
  };
  std::vector<std::string> unverified;
  for (std::size_t index = 0; index < steps_.size(); ++index) {
    const bool may_run_late = step(index).participant == SagaPromise::late && steps_[index].is_undone();
    if (may_run_late && std::ranges::any_of(steps_[index].actions().all(), is_unheard)) {
      unverified.push_back(step(index).name);
    }
  }
  return unverified;
}

const SagaCall* undoing_of(const SagaStep& step) {
  if (step.compensation) return &*step.compensation;
  const bool is_child = saga_call_kind(step.action.uri) == SagaCallKind::child;
  return is_child && !step.is_pivot && !step.has_no_effect ? &step.action : nullptr;
}

std::string key_of(const Execution& execution, std::size_t step, Direction direction, std::uint32_t round) {
  std::string key;
  append_escaped(key, execution.tenant_id());
  key += '/';
  append_escaped(key, execution.id());
  const bool is_shared = is_mutant("saga_items_share_a_key");
  key.append("/").append(is_shared ? execution.name_in_templates(step) : execution.step(step).name);
  key.append("/").append(to_string(direction));
  return key.append("/").append(std::to_string(round));
}

SagaState state_of(const Execution& execution, std::string_view waits_for) {
  if (const auto ended = execution.ended_as()) return *ended;
  if (execution.is_paused()) return SagaState::paused;
  if (execution.is_manual()) return SagaState::manual;
  if (execution.is_turned_back()) return SagaState::compensating;
  if (!execution.has_begun()) return SagaState::pending;
  return waits_for.empty() ? SagaState::running : SagaState::waiting;
}

}  // namespace makegood::core
