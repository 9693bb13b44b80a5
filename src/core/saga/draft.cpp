#include <algorithm>
#include <utility>

#include "base/saga_calls.hpp"
#include "core/mutant.hpp"
#include "core/saga/posts.hpp"
#include "core/saga/steering.hpp"
#include "core/saga/template.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

/// What a compensation sends if it says nothing: what the action was asked for, and what it answered.
std::string usual_compensation_body(const Execution& execution, std::size_t step) {
  const std::string& output = execution.facts(step).output();
  std::string body = R"({"input":)";
  body.append(execution.input());
  if (execution.item(step)) body.append(R"(,"item":)").append(execution.item(step)->value);
  body.append(R"(,"output":)").append(output.empty() ? "null" : output).append("}");
  return body;
}

/// What the start already says is not written again.
bool is_input(const Execution& execution, std::size_t step, Direction direction) {
  return direction == Direction::action && !execution.item(step) && execution.step(step).action.input.empty() &&
         execution.facts(step).changed_input().empty();
}

}  // namespace

TemplateScope scope_of(const Execution& execution) {
  return {.input = execution.input(),
          .output = [&execution](std::string_view step) { return execution.output_of(step); },
          .key =
              [&execution](std::string_view step) {
                const auto index = execution.index_of(step);
                if (!index) return std::string();
                return key_of(execution, *index, Direction::action, execution.facts(*index).actions().round());
              }};
}

TemplateScope scope_of(const Execution& execution, std::size_t step) {
  TemplateScope scope = scope_of(execution);
  if (!execution.item(step)) return scope;
  const SagaItem& item = *execution.item(step);
  const auto meant = [&execution, &item, step](std::string_view name) {
    return name == item.step ? std::string_view(execution.step(step).name) : name;
  };
  scope.item = item.value;
  scope.index = item.index;
  scope.output = [of_all = scope.output, meant](std::string_view name) { return of_all(meant(name)); };
  scope.key = [of_all = scope.key, meant](std::string_view name) { return of_all(meant(name)); };
  return scope;
}

const SagaCall& call_of(const SagaStep& step, Direction direction) {
  switch (direction) {
    case Direction::action:
      return step.action;
    case Direction::compensation:
      return *undoing_of(step);
    case Direction::check:
      return step.check.value();
  }
  std::unreachable();
}

Duration timeout_of(const SagaStep& step, Direction direction) {
  return direction == Direction::compensation ? step.compensation_timeout : step.timeout;
}

Result<std::string> body_of(const Execution& execution, std::size_t step, Direction direction) {
  const StepFacts& facts = execution.facts(step);
  if (!facts.track(direction).body.empty()) return facts.track(direction).body;
  if (direction == Direction::action && !facts.changed_input().empty()) return facts.changed_input();
  const SagaCall& call = call_of(execution.step(step), direction);
  if (direction == Direction::compensation && child_of(call.uri)) return std::string("{}");
  const bool is_unknown = direction == Direction::compensation && facts.output().empty() && !call.if_unknown.empty();
  const std::string& text = is_unknown ? call.if_unknown : call.input;
  if (!text.empty()) return fill_template(text, scope_of(execution, step));
  if (direction == Direction::compensation) return usual_compensation_body(execution, step);
  if (execution.item(step)) return execution.item(step)->value;
  return std::string(execution.input());
}

SagaRecord Draft::about_all(RecordKind kind) const { return {.kind = kind, .at = now()}; }

SagaRecord Draft::about(std::size_t index, RecordKind kind, Direction direction) const {
  return {.kind = kind, .at = now(), .step = execution_.step(index).name, .direction = direction};
}

void Draft::record_under(SagaRecord record, const SagaDefinitionPtr& definition) {
  execution_.apply(record, definition);
  decided_.records.push_back(std::move(record));
}

void Draft::alarm(std::string sentence) { decided_.alarms.push_back({Errc::not_compensable, std::move(sentence)}); }

bool Draft::start_attempt(std::size_t index, Direction direction) {
  const SagaStep& step = execution_.step(index);
  const StepTrack& track = execution_.facts(index).track(direction);
  auto body = body_of(execution_, index, direction);
  if (!body) {
    to_manual(index, saga_code::no_value, body.error().message);
    return false;
  }
  const std::string& uri = call_of(step, direction).uri;
  if (!around_.take_place(uri)) {
    const TimePoint next = around_.next_place(uri);
    if (!decided_.blocked_until || next < *decided_.blocked_until) decided_.blocked_until = next;
    decided_.is_blocked_by_nobody = decided_.is_blocked_by_nobody || around_.is_missing(uri);
    return false;
  }
  if (child_of(uri)) {
    if (std::string why = why_no_child(execution_, index, execution_.facts(index).actions().round()); !why.empty()) {
      to_manual(index, saga_code::no_child, std::move(why));
      return false;
    }
  }
  SagaRecord record = about(index, RecordKind::started, direction);
  record.round = track.attempts.round();
  record.attempt = track.attempts.next_number();
  record.until = now() + timeout_of(step, direction);
  if (track.body.empty() && !is_input(execution_, index, direction)) record.body = *body;
  SagaSend send{index, direction, record.round, record.attempt, uri, around_.participant_at(uri), *std::move(body)};
  this->record(std::move(record));
  leaves_with_turn(uri) ? post(std::move(send)) : decided_.sends.push_back(std::move(send));
  return true;
}

/// Nobody calls: its answer comes by callback, whoever owns the shard then.
void Draft::post(SagaSend send) {
  SagaRecord accepted = about(send.step, RecordKind::accepted, send.direction);
  accepted.round = send.round;
  accepted.attempt = send.attempt;
  record(std::move(accepted));
  if (!is_mutant("saga_post_is_not_sent")) decided_.posts.push_back(std::move(send));
}

void Draft::to_manual(std::size_t index, std::string_view code, std::string error, std::string reason) {
  SagaRecord record = about(index, RecordKind::to_manual);
  record.code = code;
  record.error = std::move(error);
  record.reason = std::move(reason);
  this->record(std::move(record));
  alarm("An execution needs a person: " + std::string(execution_.id()) + " at " + execution_.step(index).name +
        "; `makegood saga show` tells why.");
}

void Draft::to_manual(std::string_view code, std::string error) {
  SagaRecord record = about_all(RecordKind::to_manual);
  record.code = code;
  record.error = std::move(error);
  this->record(std::move(record));
  alarm("An execution needs a person: " + std::string(execution_.id()) + "; `makegood saga show` tells why.");
}

void Draft::turn_back(const std::string& step, std::string_view code, std::string error) {
  SagaRecord record = about_all(RecordKind::turned_back);
  record.step = step;
  record.code = code;
  record.error = std::move(error);
  this->record(std::move(record));
}

void Draft::end(SagaState state, std::string output) {
  SagaRecord record = about_all(RecordKind::ended);
  record.state = makegood::to_string(state);
  record.body = std::move(output);
  this->record(std::move(record));
}

TimePoint Draft::next_try(std::size_t index, Direction direction, Duration retry_after) {
  const RetryPolicy& retry = execution_.step(index).retry;
  const std::uint32_t sends = execution_.facts(index).track(direction).attempts.next_number() - 1;
  const Duration asked = std::min(retry_after, retry.retry_after_max);
  return now() + std::max(asked, backoff(retry, std::max(sends, 1U), around_.unit_random()));
}

}  // namespace makegood::core
