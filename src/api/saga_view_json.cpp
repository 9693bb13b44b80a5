#include "api/saga_view_json.hpp"

#include <array>
#include <utility>

#include "api/json_value.hpp"

namespace makegood::api {
namespace {

using core::Direction;

constexpr Direction last_direction = Direction::check;
constexpr core::RecordKind last_kind = core::RecordKind::ended;

struct SagaFailure {
  std::string step = {};
  std::string code = {};
  std::string error = {};
  std::string reason = {};
  bool operator==(const SagaFailure&) const = default;
};
void put_failure_members(Writer& writer, const SagaFailure& failure) {
  put_or_null(writer, "step", failure.step);
  put_or_null(writer, "code", failure.code);
  put_or_null(writer, "error", failure.error);
  put_or_null(writer, "reason", failure.reason, "What the rule says that wants a person.");
}
/// Null when there is none.
void put_failure_or_null(Writer& writer, const SagaFailure& failure) {
  const auto put_members = [&](Writer& to) { put_failure_members(to, failure); };
  if (writer.sketch != nullptr) {
    const Schema whole = keep_schema(writer.sketch->named, "SagaFailure", put_members);
    const std::string either = json_list(std::array<std::string, 2>{whole.str(), R"({"type":"null"})"});
    return note(writer, "failure", Schema().json("oneOf", either),
                "What it failed with, where, and why somebody has to look; null: nothing of that.");
  }
  failure == SagaFailure{} ? put_null(writer, "failure") : put_object(writer, "failure", "SagaFailure", put_members);
}

/// The words of a step's record elsewhere.
std::string_view step_status(SagaStepState state) {
  switch (state) {
    case SagaStepState::ready:
      return "PENDING";
    case SagaStepState::in_flight:
    case SagaStepState::waiting:
      return "RUNNING";
    case SagaStepState::succeeded:
    case SagaStepState::compensating:
    case SagaStepState::compensated:
    case SagaStepState::open:
      return "COMPLETED";
    case SagaStepState::failed:
    case SagaStepState::unknown:
      return "FAILED";
    case SagaStepState::skipped:
      return "SKIPPED";
  }
  std::unreachable();
}

void put_saga_attempt(Writer& writer, const SagaAttempt& attempt) {
  put_word(writer, "direction", attempt.direction, last_direction);
  put(writer, "round", attempt.round, "A new one has a new key.");
  put(writer, "attempt", attempt.attempt);
  put_one_of(writer, "state", attempt.state, {"open", "accepted", "lost", "ok", "fail", "retry", "unknown"},
             "`accepted`: it will be answered by a callback. `lost`: its owner died. `fail` and `retry`: certainly "
             "not done. `unknown`: it may be done.");
  put(writer, "startedAt", attempt.began);
  put(writer, "deadline", attempt.until);
  put(writer, "endedAt", attempt.ended);
  put(writer, "nextAt", attempt.next_at, "The next one is not begun before.");
  put_or_null(writer, "code", attempt.code);
  put_or_null(writer, "error", attempt.error);
}

/// Which of the two members are of use depends on who looks.
struct StepToPut {
  SagaStepView step = {};
  bool is_hidden = false;
};
void put_saga_step(Writer& writer, const StepToPut& each) {
  const SagaStepView& step = each.step;
  put(writer, "stepId", step.name);
  put(writer, "component", step.action, "What is called.");
  put_one_of(writer, "status", step_status(step.state), {"PENDING", "RUNNING", "COMPLETED", "FAILED", "SKIPPED"});
  put_word(writer, "state", step.state, SagaStepState::open,
           "`unknown`: it may be done. `open`: it may be done, and nobody undoes it.");
  put(writer, "group", step.group, "Steps of one group run side by side.");
  put(writer, "isPivot", step.is_pivot);
  put_or_null(writer, "compensation", step.compensation, "What is called to undo it.");
  put(writer, "key", step.key, "`Idempotency-Key` of its action.");
  put_or_null(writer, "child", step.child, "The id of the execution that carries it out, of a step `saga:…`.");
  put(writer, "startedAt", step.started_at);
  put(writer, "endedAt", step.ended_at);
  put(writer, "compensatedAt", step.compensated_at);
  put(writer, "nextAt", step.next_at, "When it is tried again.");
  put(writer, "isAsked", step.is_asked, "Somebody has to approve it.");
  put(writer, "askedUntil", step.asked_until);
  put(writer, "isAwaiting", step.is_awaiting, "It waits for its event or its time, as `component` says.");
  put(writer, "awaitedUntil", step.awaited_until, "Null: for ever.");
  put(writer, "isStalled", step.is_stalled, "Its compensation has spent its attempts, and is tried on.");
  put_or_null(writer, "code", step.code);
  put_or_null(writer, "error", step.error);
  put_kept_json(writer, "input", step.input, each.is_hidden, "What was sent; null: the execution's input.");
  put_kept_json(writer, "output", step.output, each.is_hidden);
  put_kept_json(writer, "progress", step.progress, each.is_hidden, "What its participant has reported last.");
  put_objects(writer, "attempts", "SagaAttempt", step.attempts, put_saga_attempt);
}

struct CompensationView {
  std::string step = {};
  std::string component = {};
  SagaStepState state = SagaStepState::compensating;
  std::optional<TimePoint> at = {};
};
void put_compensation(Writer& writer, const CompensationView& view) {
  const bool is_done = view.state == SagaStepState::compensated;
  put(writer, "stepId", view.step);
  put_or_null(writer, "component", view.component);
  put_one_of(writer, "status",
             is_done                             ? "SUCCESS"
             : view.state == SagaStepState::open ? "FAILED"
                                                 : "RUNNING",
             {"SUCCESS", "FAILED", "RUNNING"});
  put(writer, "compensatedAt", view.at);
}

/// The first to be undone comes first.
std::vector<CompensationView> compensations_of(const SagaExecutionView& view) {
  std::vector<CompensationView> log;
  for (auto step = view.steps.rbegin(); step != view.steps.rend(); ++step) {
    const bool is_back = step->state == SagaStepState::compensated || step->state == SagaStepState::compensating ||
                         step->state == SagaStepState::open;
    if (is_back) log.push_back({step->name, step->compensation, step->state, step->compensated_at});
  }
  return log;
}

void put_advice(Writer& writer, const SagaAdvice& advice) {
  put(writer, "why", advice.why);
  put(writer, "command", advice.command);
}

void put_note(Writer& writer, const SagaNote& note) {
  put(writer, "at", note.at);
  put(writer, "operator", note.by);
  put(writer, "note", note.text);
}

void put_identity(Writer& writer, const SagaExecutionView& view) {
  put(writer, "executionId", view.id);
  put(writer, "tenantId", view.tenant_id);
  put(writer, "chainName", view.definition);
  put(writer, "version", view.version, "Of its definition; 0: it has not begun.");
  put_or_null(writer, "key", view.key,
              "What it is about, as in `customer-7`: executions of one tenant with the same key run one after another. "
              "Null: it has none, and waits for nobody.");
  put_or_null(writer, "parent", view.parent, "The id of the execution whose step it is.");
  put_or_null(writer, "parentStep", view.parent_step);
  put_state(writer, view.state);
  put_or_null(
      writer, "waitsFor", view.waits_for,
      "`key`, `retry`, `circuit`, `participant`, `callback`, `approval`, `child`, `event`, `timer` or `start`.");
  put(writer, "createdAt", view.created_at);
  put(writer, "startedAt", view.started_at);
  put(writer, "completedAt", view.completed_at);
  put(writer, "dueAt", view.due_at, "When it is looked at again, while it is parked.");
}

}  // namespace

std::string_view status_of(SagaState state) {
  switch (state) {
    case SagaState::pending:
      return "PENDING";
    case SagaState::running:
    case SagaState::waiting:
      return "RUNNING";
    case SagaState::paused:
      return "PAUSED";
    case SagaState::manual:
      return "MANUAL_INTERVENTION";
    case SagaState::compensating:
      return "COMPENSATING";
    case SagaState::completed:
      return "COMPLETED";
    case SagaState::compensated:
      return "COMPENSATED";
    case SagaState::failed:
      return "FAILED";
    case SagaState::cancelled:
      return "CANCELLED";
  }
  std::unreachable();
}

void put_kept_json(Writer& writer, std::string_view name, std::string_view json, bool is_hidden,
                   std::string_view says) {
  const bool is_there = !is_hidden && !json.empty() && is_json(json);
  put_json(writer, name, is_there ? json : "null", {}, says);
}

void put_names(Writer& writer, std::string_view name, const std::vector<std::string>& names, std::string_view says) {
  if (writer.sketch != nullptr) {
    return note(writer, name, Schema("array").json("items", R"({"type":"string"})"), says);
  }
  put_array(writer, name, names, [](Writer& to, const std::string& each) { json::write_text(to, each); });
}

void put_state(Writer& writer, SagaState state) {
  put_one_of(writer, "status", status_of(state),
             {"PENDING", "RUNNING", "PAUSED", "MANUAL_INTERVENTION", "COMPENSATING", "COMPLETED", "COMPENSATED",
              "FAILED", "CANCELLED"});
  put_word(writer, "state", state, SagaState::cancelled, "The same, in more words.");
}

void put_failure(Writer& writer, const SagaExecutionView& view) {
  put_failure_or_null(writer, {view.failed_step, view.code, view.error, view.reason});
}

void put_execution(Writer& writer, const SagaExecutionView& view) {
  put_identity(writer, view);
  put_failure(writer, view);
  put(writer, "isContentHidden", view.is_hidden, "Input, outputs and bodies are for operators.");
  put_kept_json(writer, "input", view.input, view.is_hidden);
  put_kept_json(writer, "output", view.output, view.is_hidden);
  put_names(writer, "open", view.open, "Steps that may be done and are not undone, once it has turned back.");
  put_names(writer, "unverified", view.unverified,
            "Steps that are undone, where a request of which nothing is known may still run.");
  std::vector<StepToPut> steps;
  for (const SagaStepView& step : view.steps) steps.push_back({step, view.is_hidden});
  put_objects(writer, "steps", "SagaStep", steps, put_saga_step);
  put_objects(writer, "compensationLog", "SagaCompensation", compensations_of(view), put_compensation,
              "In the order in which they are undone.");
  put_objects(writer, "notes", "SagaNote", view.notes, put_note, "What operators want the next one to know.");
  put_objects(writer, "advice", "SagaAdvice", view.advice, put_advice, "What somebody could do now.");
}

void put_saga_summary(Writer& writer, const SagaSummary& summary) {
  put(writer, "executionId", summary.id);
  put(writer, "tenantId", summary.tenant_id);
  put(writer, "chainName", summary.definition);
  put(writer, "version", summary.version, "0: it is not told while it runs.");
  put_state(writer, summary.state);
  put_or_null(writer, "waitsFor", summary.waits_for);
  put_failure_or_null(writer, {.step = summary.step, .code = summary.code, .error = summary.error});
  put(writer, "startedAt", summary.started_at);
}

void put_saga_count(Writer& writer, const SagaCounts& counts) {
  put_or_null(writer, "chainName", counts.definition, "Null: of those in memory it is not counted.");
  put_state(writer, counts.state);
  put(writer, "count", counts.count);
  put(writer, "unattended_count", counts.unattended_count,
      "Of them: they wait for a destination that is not registered, or for a function that no node has.");
}

void put_record(Writer& writer, const JournalEntry& entry, bool is_hidden) {
  const core::SagaRecord& record = entry.record;
  put(writer, "revision", entry.revision, "Records of one revision were decided in one turn.");
  put_word(writer, "kind", record.kind, last_kind);
  put(writer, "at", record.at);
  put_or_null(writer, "step", record.step);
  put_word(writer, "direction", record.direction, last_direction);
  put(writer, "round", record.round);
  put(writer, "attempt", record.attempt);
  put_word(writer, "outcome", record.outcome, SagaOutcome::unknown, "Of answers, decisions and resolutions.");
  put(writer, "isSpent", record.is_spent, "It counts against the attempts.");
  put(writer, "isHeld", record.is_held, "Something before the participant has to be mended.");
  put(writer, "until", record.until, "Its deadline; of an answer: not tried again before.");
  put_or_null(writer, "code", record.code);
  put_or_null(writer, "error", record.error);
  put_or_null(writer, "state", record.state, "What it ended as.");
  put_or_null(writer, "event", record.event, "The name of an event.");
  put(writer, "version", record.version, "Of its definition: that it was begun by, or goes on by; otherwise 0.");
  put_or_null(writer, "operator", record.operator_name);
  put_or_null(writer, "reason", record.reason);
  put(writer, "request", record.request, "The row of the log that it has used; 0: none.");
  put_kept_json(writer, "body", record.body, is_hidden);
}

void put_purged(Writer& writer, std::size_t count, const std::optional<TimePoint>& before) {
  put(writer, "purgedCount", count, "Executions that are kept no longer (`tx.saga.retention`); statistics count them.");
  put(writer, "purgedBefore", before, "They had ended before this moment; null: there is none.");
}

}  // namespace makegood::api
