// The way forward: which step is next, and what a failure leads to.
#include <algorithm>
#include <utility>

#include "base/json_text.hpp"
#include "base/saga_calls.hpp"
#include "core/mutant.hpp"
#include "core/saga/steering.hpp"
#include "core/saga/template.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

/// How often a participant is asked whether an action was done, before that counts as not known.
constexpr std::uint32_t checks_max = 3;
/// A proxy, a deployment, expired credentials: so long is waited for them to be mended.
constexpr Duration held_for_max = 15min;

const FailureRule* rule_for(const SagaStep& step, std::string_view code) {
  const auto found = std::ranges::find(step.on_failure, code, &FailureRule::code);
  if (found != step.on_failure.end()) return &*found;
  const auto any = std::ranges::find(step.on_failure, "*", &FailureRule::code);
  return any != step.on_failure.end() ? &*any : nullptr;
}

std::uint32_t attempts_allowed(const SagaStep& step, std::string_view code) {
  const FailureRule* rule = rule_for(step, code);
  return rule != nullptr && rule->action == FailureAction::retry ? 1 + rule->retries : attempts_max(step.retry);
}

void skip(Draft& draft, std::size_t index, std::string_view code) {
  SagaRecord record = draft.about(index, RecordKind::skipped);
  record.code = code;
  draft.record(std::move(record));
}

/// A definite failure is tried again under a new key: the participant keeps its answer to the old one. While an attempt
/// may be done there is no new key, because both might count.
bool retry_by_rule(Draft& draft, std::size_t index, const FailureRule& rule) {
  const StepFacts& facts = draft.execution().facts(index);
  const std::uint32_t round = facts.actions().round();
  const bool may_be_done = facts.may_be_done(draft.execution().step(index).participant);
  if (round > rule.retries || (may_be_done && !is_mutant("saga_new_round_early"))) return false;
  SagaRecord record = draft.about(index, RecordKind::round_begun);
  record.round = round + 1;
  draft.record(std::move(record));
  draft.start_attempt(index, Direction::action);
  return true;
}

/// Whether turning back is still possible for a failure of this step.
bool may_turn_back(const Execution& execution, std::size_t index) {
  return !execution.has_passed_pivot() && !execution.is_behind_pivot(index);
}

void fail_step(Draft& draft, std::size_t index, const SagaFailure& failure, bool is_definite) {
  const Execution& execution = draft.execution();
  const auto& [code, error] = failure;
  const FailureRule* rule = rule_for(execution.step(index), code);
  FailureAction action = rule != nullptr ? rule->action : FailureAction::compensate;
  if (action == FailureAction::retry) {
    if (is_definite && retry_by_rule(draft, index, *rule)) return;
    action = FailureAction::compensate;
  }
  if (action == FailureAction::compensate && !may_turn_back(execution, index)) action = FailureAction::manual;
  if (action == FailureAction::skip) return skip(draft, index, code);
  if (action == FailureAction::manual) {
    return draft.to_manual(index, code, error, rule != nullptr ? rule->reason : std::string());
  }
  draft.turn_back(execution.step(index).name, code, error);
}

/// True: the participant is being asked whether it was done, or was asked in vain already.
bool is_being_checked(Draft& draft, std::size_t index) {
  const Execution& execution = draft.execution();
  const StepFacts& facts = execution.facts(index);
  if (!execution.step(index).check || facts.checks().is_ok()) return false;
  if (facts.checks().is_under_way()) return true;
  const Attempt* last = facts.checks().last();
  const bool has_answer = last != nullptr && last->state == Attempt::State::fail;
  if (has_answer || facts.checks().next_number() > checks_max) return false;
  if (facts.track(Direction::check).may_be_tried(draft.now())) draft.start_attempt(index, Direction::check);
  return true;
}

/// All attempts are spent, and none says that it was done.
void run_out(Draft& draft, std::size_t index) {
  const Execution& execution = draft.execution();
  const StepFacts& facts = execution.facts(index);
  const StepTrack& track = facts.track(Direction::action);
  if (facts.may_be_done(execution.step(index).participant) && is_being_checked(draft, index)) return;
  const Attempt* last = facts.actions().last();
  fail_step(draft, index, track.counted, last != nullptr && last->is_denied);
}

void unknown_at_plain(Draft& draft, std::size_t index) {
  if (is_being_checked(draft, index)) return;
  draft.to_manual(index, saga_code::unknown,
                  "Nobody knows whether the action was done, and it must not be repeated; resolve the step.");
}

void repeat_when_due(Draft& draft, std::size_t index) {
  const StepTrack& track = draft.execution().facts(index).track(Direction::action);
  if (track.may_be_tried(draft.now())) draft.start_attempt(index, Direction::action);
}

/// The last attempt has ended without a definite answer, or its owner died over it.
void judge_open_end(Draft& draft, std::size_t index, const Attempt& last) {
  const SagaStep& step = draft.execution().step(index);
  const StepFacts& facts = draft.execution().facts(index);
  const StepTrack& track = facts.track(Direction::action);
  const bool must_not_repeat = step.participant == SagaPromise::plain && !is_mutant("saga_plain_is_repeated");
  if (must_not_repeat && facts.may_be_done(step.participant)) return unknown_at_plain(draft, index);
  if (track.deaths() >= step_deaths_max && !is_mutant("saga_poison_is_repeated")) {
    return draft.to_manual(index, to_string(Errc::poison), "Its owners died, again and again, while it was under way.");
  }
  if (track.held_since && draft.now() - *track.held_since >= held_for_max) {
    return draft.to_manual(index, saga_code::held, track.error,
                           "Something before the participant refuses the request; mend it, then retry the step.");
  }
  const bool is_counted = last.is_spent || is_mutant("saga_held_is_compensated");
  const bool has_run_out = is_counted && track.spent() >= attempts_allowed(step, track.counted.code);
  if (has_run_out) return run_out(draft, index);
  repeat_when_due(draft, index);
}

void judge_last(Draft& draft, std::size_t index, const Attempt& last) {
  const StepTrack& track = draft.execution().facts(index).track(Direction::action);
  if (last.state == Attempt::State::fail) return fail_step(draft, index, track.counted, true);
  judge_open_end(draft, index, last);
}

void ask(Draft& draft, std::size_t index, const SagaApproval& approval) {
  SagaRecord record = draft.about(index, RecordKind::asked);
  if (approval.timeout > Duration::zero()) record.until = draft.now() + approval.timeout;
  record.reason = approval.reason;
  draft.record(std::move(record));
}

void expire_approval(Draft& draft, std::size_t index, FailureAction action) {
  const std::string error = "Nobody has decided in time.";
  if (action == FailureAction::skip) return skip(draft, index, saga_code::rejected);
  if (action == FailureAction::compensate && may_turn_back(draft.execution(), index)) {
    return draft.turn_back(draft.execution().step(index).name, saga_code::rejected, error);
  }
  draft.to_manual(index, saga_code::rejected, error);
}

/// False: somebody has to approve first, or has not.
bool is_gate_open(Draft& draft, std::size_t index) {
  const auto& approval = draft.execution().step(index).approval;
  const StepFacts& facts = draft.execution().facts(index);
  if (!approval || facts.decision() == SagaOutcome::ok) return true;
  if (facts.decision()) {
    fail_step(draft, index, {std::string(saga_code::rejected), "The step was not approved."}, true);
  } else if (!facts.asked_until()) {
    ask(draft, index, *approval);
  } else if (draft.now() >= *facts.asked_until() && draft.around().do_deadlines_count()) {
    expire_approval(draft, index, approval->on_timeout);
  }
  return false;
}

/// Nothing: its condition cannot be read, and somebody has to look.
std::optional<bool> is_wanted(Draft& draft, std::size_t index) {
  const std::string& condition = draft.execution().step(index).condition;
  if (condition.empty()) return true;
  const auto holding = holds(condition, scope_of(draft.execution(), index));
  if (holding) return *holding;
  draft.to_manual(index, saga_code::no_value, holding.error().message);
  return std::nullopt;
}

/// Its participant had no place when the round began, and an answer may have come since.
void begin_round(Draft& draft, std::size_t index) {
  const Execution& execution = draft.execution();
  if (!execution.facts(index).may_be_done(execution.step(index).participant)) return repeat_when_due(draft, index);
  draft.to_manual(index, saga_code::unknown,
                  "An attempt under the key before may be done after all, so a new one is not used; resolve the step.");
}

/// False: it is left out, or somebody has to approve it first, or to look.
bool may_begin(Draft& draft, std::size_t index) {
  const auto wanted = is_wanted(draft, index);
  if (!wanted) return false;
  if (*wanted) return is_gate_open(draft, index);
  skip(draft, index, "CONDITION");
  return false;
}

// --- Steps that call nobody ---

TimePoint waits_until(Draft& draft, const SagaStep& step) {
  if (const auto wait = wait_of(step.action.uri)) return draft.now() + *wait;
  return step.timeout > Duration::zero() ? draft.now() + step.timeout : TimePoint::max();
}

void begin_to_wait(Draft& draft, std::size_t index) {
  SagaRecord record = draft.about(index, RecordKind::awaited);
  const TimePoint until = waits_until(draft, draft.execution().step(index));
  if (until != TimePoint::max() && !is_mutant("saga_wait_is_not_stored")) record.until = until;
  draft.record(std::move(record));
}

void happen(Draft& draft, std::size_t index) {
  SagaRecord record = draft.about(index, RecordKind::happened);
  record.event = event_of(draft.execution().step(index).action.uri);
  draft.record(std::move(record));
}

/// It is done when its event is there, or its time has come. What nobody told of in time was not done.
void wait_forward(Draft& draft, std::size_t index) {
  const Execution& execution = draft.execution();
  const std::string_view event = event_of(execution.step(index).action.uri);
  if (!execution.facts(index).awaited_until()) {
    if (!may_begin(draft, index)) return;
    begin_to_wait(draft, index);
  }
  const bool is_over = draft.now() >= *execution.facts(index).awaited_until() || is_mutant("saga_wait_is_over");
  const bool is_there = !event.empty() && execution.unused_event(event) != nullptr;
  if (is_there && !(is_over && is_mutant("saga_event_expires_first"))) return happen(draft, index);
  if (!is_over) return;
  if (event.empty()) return happen(draft, index);
  if (!draft.around().do_deadlines_count()) return;
  fail_step(draft, index, {std::string(to_string(Errc::timeout)), "The event did not come in time."}, true);
}

// --- Steps that are repeated ---

/// Nothing: somebody has to look.
std::optional<std::string> list_for(Draft& draft, std::size_t index) {
  const SagaForEach& for_each = *draft.execution().step(index).for_each;
  auto list = fill_template(for_each.list, scope_of(draft.execution()));
  const auto elements = list ? json::elements_of(*list) : std::nullopt;
  if (!elements) {
    draft.to_manual(index, saga_code::no_value, list ? "What for_each reads is no list." : list.error().message);
    return std::nullopt;
  }
  if (elements->size() <= for_each.max) return *std::move(list);
  draft.to_manual(index, saga_code::too_many,
                  "The list has " + std::to_string(elements->size()) + " elements; for_each allows " +
                      std::to_string(for_each.max) + ".");
  return std::nullopt;
}

/// From now on each element has a step of its own.
void spread(Draft& draft, std::size_t index) {
  if (!may_begin(draft, index)) return;
  auto list = list_for(draft, index);
  if (!list) return;
  SagaRecord record = draft.about(index, RecordKind::spread);
  record.body = *std::move(list);
  draft.record(std::move(record));
}

/// As many others are under way as may be.
bool is_crowded(const Execution& execution, std::size_t index) {
  const auto& item = execution.item(index);
  if (!item || is_mutant("saga_concurrency_is_ignored")) return false;
  std::uint32_t count = 0;
  for (std::size_t other = 0; other < execution.step_count(); ++other) {
    const bool is_sibling = execution.item(other) && execution.item(other)->step == item->step;
    const bool is_begun = is_sibling && !execution.facts(other).actions().empty();
    count += is_begun && !execution.facts(other).is_finished() ? 1U : 0U;
  }
  return count >= item->concurrency;
}

void begin_step(Draft& draft, std::size_t index) {
  // A new round: its condition and its gate are behind it.
  if (!draft.execution().facts(index).actions().empty()) return begin_round(draft, index);
  if (is_crowded(draft.execution(), index)) return;
  if (may_begin(draft, index)) repeat_when_due(draft, index);
}

void step_forward(Draft& draft, std::size_t index) {
  const StepFacts& facts = draft.execution().facts(index);
  if (facts.is_finished() || facts.actions().is_under_way()) return;
  if (draft.execution().step(index).for_each) return spread(draft, index);
  if (is_waiting(draft.execution().step(index).action.uri)) return wait_forward(draft, index);
  const Attempt* last = facts.actions().last();
  if (last != nullptr) return judge_last(draft, index, *last);
  begin_step(draft, index);
}

void complete(Draft& draft) {
  const Execution& execution = draft.execution();
  const std::string& wanted = execution.definition()->output;
  if (wanted.empty()) return draft.end(SagaState::completed);
  auto output = fill_template(wanted, scope_of(execution));
  if (output) return draft.end(SagaState::completed, *std::move(output));
  // Everything is done; what cannot be told must not stop it.
  SagaRecord note = draft.about_all(RecordKind::noted);
  note.code = saga_code::no_value;
  note.error = output.error().message;
  draft.record(std::move(note));
  draft.end(SagaState::completed);
}

/// False: a step was spread out, and others have another place now.
bool step_group_forward(Draft& draft, std::size_t group) {
  const Execution& execution = draft.execution();
  const std::size_t lists = execution.lists().size();
  for (std::size_t index = 0; index < execution.step_count(); ++index) {
    if (execution.step(index).group != group || execution.is_turned_back() || execution.is_standing()) continue;
    step_forward(draft, index);
    if (execution.lists().size() != lists) return false;
  }
  return true;
}

}  // namespace

void go_forward(Draft& draft) {
  const Execution& execution = draft.execution();
  while (!execution.is_turned_back() && !execution.is_standing()) {
    const auto group = execution.current_group();
    if (!group) return complete(draft);
    const bool is_through = step_group_forward(draft, *group);
    if (is_through && execution.current_group() == group) return;
  }
}

}  // namespace makegood::core
