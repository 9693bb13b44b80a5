#include "core/saga/steering.hpp"

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// So much later than the attempt's end is its deadline judged: the participant's clock is not ours.
void expire(Draft& draft, std::size_t index, Direction direction) {
  const std::vector<Attempt> attempts = draft.execution().facts(index).track(direction).attempts.all();
  for (const Attempt& attempt : attempts) {
    if (!attempt.may_answer() || attempt.until > draft.now()) continue;
    SagaRecord record = draft.about(index, RecordKind::answered, direction);
    record.round = attempt.round;
    record.attempt = attempt.number;
    record.outcome = is_mutant("saga_timeout_is_fail") ? SagaOutcome::fail : SagaOutcome::unknown;
    record.is_spent = !attempt.was_lost;  // Our own death is not the participant's fault.
    record.code = to_string(Errc::timeout);
    record.error = "There was no answer until the attempt's deadline.";
    record.until = draft.next_try(index, direction, {});
    draft.record(std::move(record));
  }
}

void expire_attempts(Draft& draft) {
  for (std::size_t index = 0; index < draft.execution().step_count(); ++index) {
    for (const Direction direction : all_directions) expire(draft, index, direction);
  }
}

bool is_deadline_over(Draft& draft) {
  const Execution& execution = draft.execution();
  const SagaDefinition& definition = *execution.definition();
  if (definition.timeout > Duration::zero() && execution.active_for() > definition.timeout) return true;
  if (definition.deadline == Duration::zero()) return false;
  const TimePoint begun = execution.begun_at();
  const Duration away = is_mutant("saga_downtime_counts") ? Duration::zero() : draft.around().downtime_since(begun);
  return draft.now() >= begun + definition.deadline + away;
}

void check_deadlines(Draft& draft) {
  const Execution& execution = draft.execution();
  if (execution.is_turned_back() || execution.has_passed_pivot() || !is_deadline_over(draft)) return;
  draft.turn_back({}, to_string(Errc::timeout), "The execution took longer than its definition allows.");
}

/// Something goes round in circles: a rule that retries for ever, a participant that reports for ever.
void let_somebody_look(Draft& draft) {
  const std::string count = std::to_string(draft.around().revisions_max());
  draft.to_manual(saga_code::too_long, "Its journal has more than " + count + " revisions; find out what repeats.");
}

/// {"execution":…}
std::string naming(std::string_view id) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartObject();
  json::write(writer, "execution", id);
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

}  // namespace

void begin(Draft& draft, const SagaDefinitionPtr& definition) {
  SagaRecord record = draft.about_all(RecordKind::begun);
  record.version = definition ? definition->version : 0;
  draft.record_under(std::move(record), definition);
  if (definition) return;
  SagaRecord end = draft.about_all(RecordKind::ended);
  end.state = makegood::to_string(SagaState::failed);
  end.code = saga_code::no_definition;
  end.error = "There is no definition of this name; apply it, then retry the execution.";
  draft.record(std::move(end));
}

void refuse_start(Draft& draft, std::string why) {
  SagaRecord end = draft.about_all(RecordKind::ended);
  end.state = makegood::to_string(SagaState::failed);
  end.code = saga_code::unkeepable;
  end.error = std::move(why);
  draft.record(std::move(end));
}

void refuse_busy(Draft& draft, const SagaKeyHeld& held, SagaOnBusy on_busy) {
  SagaRecord end = draft.about_all(RecordKind::ended);
  end.state = makegood::to_string(SagaState::cancelled);
  end.code = saga_code::key_busy;
  end.error = "Another execution holds its key: " + held.id + ".";
  if (on_busy == SagaOnBusy::refer) end.body = naming(held.id);
  draft.record(std::move(end));
}

void advance(Draft& draft) {
  const Execution& execution = draft.execution();
  if (execution.has_ended() || !execution.definition()) return;
  if (draft.around().do_deadlines_count()) expire_attempts(draft);
  if (execution.is_standing()) return;
  if (draft.is_too_long() && !is_mutant("saga_length_is_unbounded")) return let_somebody_look(draft);
  if (draft.around().do_deadlines_count()) check_deadlines(draft);
  if (!execution.is_turned_back()) go_forward(draft);
  if (execution.is_turned_back() && !execution.is_standing() && !execution.has_ended()) go_back(draft);
}

void take_over(Draft& draft) {
  const Execution& execution = draft.execution();

  for (std::size_t index = 0; index < execution.step_count(); ++index) {
    // Nobody may repeat what does not recognise its key: its deadline is waited for.
    if (execution.step(index).participant == SagaPromise::plain) continue;
    for (const Direction direction : all_directions) {
      const std::vector<Attempt> attempts = execution.facts(index).track(direction).attempts.all();
      for (const Attempt& attempt : attempts) {
        if (attempt.state != Attempt::State::open) continue;
        SagaRecord record = draft.about(index, RecordKind::lost, direction);
        if (is_mutant("saga_open_is_not_done")) {
          record.kind = RecordKind::answered;
          record.outcome = SagaOutcome::retry;
        }
        record.round = attempt.round;
        record.attempt = attempt.number;
        draft.record(std::move(record));
      }
    }
  }
}

}  // namespace makegood::core
