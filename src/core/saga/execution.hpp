// One execution of a saga: its definition, its input, and what its journal says. Nothing changes but by a record, so
// that whoever reads the journal back knows what its writer knew.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/saga/kinship.hpp"
#include "core/saga/repetition.hpp"
#include "core/saga/step_facts.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood::core {

/// What somebody told of, for the steps that wait for it.
struct KeptEvent {
  std::string name;
  std::string body = {};  ///< JSON, or empty.
  bool is_used = false;   ///< By a step: it counts once.
};

class Execution {
 public:
  /// `start` is the row of the log that asked for it. It has begun when its first record is applied.
  explicit Execution(MessagePtr start);

  void apply(const SagaRecord& record, const SagaDefinitionPtr& definition);
  void apply(const SagaRecord& record) { apply(record, definition_); }
  /// What was applied since the last call is one row of its journal.
  void count_revision() { ++revisions_; }

  Sequence number() const { return start_->sequence; }
  const Message& start() const { return *start_; }
  const MessagePtr& start_row() const { return start_; }
  std::string_view id() const { return start_->event_id; }
  std::string_view tenant_id() const { return start_->tenant_id; }
  /// No other execution of its tenant with this key runs beside it. Empty: it has none.
  std::string_view key() const { return start_->dispatch_key; }
  /// Whose step it is; nothing: somebody has started it.
  const std::optional<SagaParent>& parent() const { return parent_; }
  std::string_view input() const { return start_->content; }
  /// With a step for each element of a list that is known. Null until it has begun, and for ever if its definition is
  /// not known.
  const SagaDefinitionPtr& definition() const { return definition_; }
  /// As it was stored.
  const SagaDefinitionPtr& pinned() const { return pinned_; }
  const SagaLists& lists() const { return lists_; }
  /// Which element the step is for; nothing: it is not repeated.
  const std::optional<SagaItem>& item(std::size_t index) const { return items_.at(index); }
  /// What templates call the step.
  const std::string& name_in_templates(std::size_t index) const {
    return items_.at(index) ? items_.at(index)->step : step(index).name;
  }
  /// JSON, of all that the definition names so: of a repeated step a list. Nothing: there is none.
  std::optional<std::string> output_of(std::string_view step) const;

  /// No step is begun before: whoever started it has said so.
  TimePoint begins_at() const;
  bool has_begun() const { return begun_at_.has_value(); }
  bool has_ended() const { return ended_.has_value(); }
  bool is_turned_back() const { return is_turned_back_; }
  bool is_cancelled() const { return is_cancelled_; }
  bool is_paused() const { return is_paused_; }
  bool is_manual() const { return is_manual_; }
  /// Nobody begins anything until an operator says so.
  bool is_standing() const { return is_paused_ || is_manual_; }

  std::size_t step_count() const { return steps_.size(); }
  const SagaStep& step(std::size_t index) const { return definition_->steps.at(index); }
  const StepFacts& facts(std::size_t index) const { return steps_.at(index); }
  std::optional<std::size_t> index_of(std::string_view step) const;

  /// The first of this name that no step has used; null: there is none.
  const KeptEvent* unused_event(std::string_view name) const;
  std::size_t unused_event_count() const;

  /// The group that is not finished yet; nothing: all are.
  std::optional<std::size_t> current_group() const;
  /// The pivot may be done, or was skipped: it only goes forward.
  bool has_passed_pivot() const;
  /// Whether the step lies behind the pivot.
  bool is_behind_pivot(std::size_t index) const;
  /// The step is undone, or there is nothing to undo.
  bool is_settled(std::size_t index) const;
  /// The pivot was done after all, when everything else had turned back.
  bool is_torn() const;
  /// Steps that may be done and are not undone, once it has turned back.
  std::vector<std::string> open_steps() const;

  /// Steps that are undone, at a participant that may still run a request of which nothing is known.
  std::vector<std::string> unverified_steps() const;

  TimePoint begun_at() const { return begun_at_.value_or(TimePoint()); }
  TimePoint turned_back_at() const { return turned_back_at_; }
  /// A new round of a compensation has all its time again.
  TimePoint compensates_since(std::size_t index) const;
  /// How long it has stood since it turned back: that does not count against giving up.
  Duration stood_for() const { return stood_for_; }
  /// How long attempts of actions were under way, without those that are answered by a callback.
  Duration active_for() const { return active_for_; }

  /// What it failed with, and where.
  const std::string& code() const { return code_; }
  const std::string& error() const { return error_; }
  const std::string& failed_step() const { return failed_step_; }
  const std::string& reason() const { return reason_; }
  const std::string& output() const { return output_; }
  std::optional<SagaState> ended_as() const { return ended_; }
  std::optional<TimePoint> ended_at() const { return ended_at_; }
  std::uint32_t endings() const { return endings_; }
  /// Since it was begun, or somebody has last let it go on.
  std::size_t revisions() const { return revisions_; }

 private:
  void repin(const SagaDefinitionPtr& definition);
  void pin(const SagaDefinitionPtr& definition);
  void spread(std::size_t index, const SagaRecord& record);
  void turn_back(const SagaRecord& record);
  void stand(const SagaRecord& record);
  void go_on(const SagaRecord& record);
  void end(const SagaRecord& record);
  void blame(const SagaRecord& record);
  void count_activity(const SagaRecord& record);
  void use_event(std::size_t index, SagaRecord record);

  MessagePtr start_;
  std::optional<SagaParent> parent_;
  SagaDefinitionPtr pinned_;
  SagaDefinitionPtr definition_;
  SagaLists lists_;
  SagaItems items_;
  std::vector<StepFacts> steps_;
  std::vector<KeptEvent> events_;
  std::optional<TimePoint> begun_at_;
  std::optional<TimePoint> ended_at_;
  std::optional<SagaState> ended_;
  TimePoint turned_back_at_ = {};
  TimePoint standing_since_ = {};
  Duration stood_for_ = {};
  Duration active_for_ = {};
  std::string code_;
  std::string error_;
  std::string failed_step_;
  std::string reason_;
  std::string output_;
  std::uint32_t endings_ = 0;
  std::size_t revisions_ = 0;
  bool is_turned_back_ = false;
  bool is_cancelled_ = false;
  bool is_paused_ = false;
  bool is_manual_ = false;
};

/// What undoes the step; a child is undone as one unit unless it has a compensation. Null: nothing does.
const SagaCall* undoing_of(const SagaStep& step);
/// As participants and operators know it: tenant, execution, step, direction and round.
std::string key_of(const Execution& execution, std::size_t step, Direction direction, std::uint32_t round);
/// What state it is in, given what it waits for (empty: nothing).
SagaState state_of(const Execution& execution, std::string_view waits_for);

}  // namespace makegood::core
