#include "core/saga/kinship.hpp"

#include <utility>

#include "base/json.hpp"
#include "base/saga_calls.hpp"
#include "core/mutant.hpp"
#include "core/saga/request.hpp"

namespace makegood::core {
namespace {

constexpr std::size_t id_bytes_max = 128;

std::string text_in(const json::Value& headers, const char* name) {
  const json::Value* value = json::member(headers, name);
  return value != nullptr && value->IsString() ? json::text_of(*value) : std::string();
}

std::uint32_t number_in(const json::Value& headers, const char* name) {
  const std::string text = text_in(headers, name);
  const bool is_number = !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? static_cast<std::uint32_t>(std::stoul(text)) : 0;
}

std::size_t depth_below(const Execution& parent) { return parent.parent() ? parent.parent()->depth + 1 : 1; }

NewMessage child_start(const Execution& parent, const SagaSend& send) {
  const SagaChild child = child_of(send.uri).value();
  NewMessage start{.topic = std::string(child.name),
                   .payload = send.body,
                   .event_id = child_id(parent, send.step, send.round),
                   .tenant_id = std::string(parent.tenant_id()),
                   .headers = {{"saga-version", std::to_string(child.version)},
                               {"saga-parent", std::string(parent.id())},
                               {"saga-parent-step", parent.step(send.step).name},
                               {"saga-parent-round", std::to_string(send.round)},
                               {"saga-depth", std::to_string(depth_below(parent))}},
                   .traceparent = std::string(parent.start().traceparent),
                   .tracestate = std::string(parent.start().tracestate)};
  // The key is its parent's, who holds it until both have ended: a child that waited for it would wait for ever.
  if (is_mutant("saga_child_wants_the_key")) start.dispatch_key = parent.key();
  return start;
}

NewMessage wish_about(const Execution& parent, std::size_t step, std::string verb) {
  const std::uint32_t round = parent.facts(step).actions().round();
  NewMessage row = request_row(child_id(parent, step, round), {.verb = std::move(verb), .reason = "its parent"});
  row.tenant_id = parent.tenant_id();
  return row;
}

SagaOutcome outcome_for_action(SagaState ended) {
  if (ended == SagaState::completed) return SagaOutcome::ok;
  const bool is_open = ended == SagaState::failed && !is_mutant("saga_failed_child_is_undone");
  return is_open ? SagaOutcome::unknown : SagaOutcome::fail;
}

SagaAnswer answer_to(const Execution& child, Direction direction, SagaOutcome outcome) {
  const SagaParent& parent = *child.parent();
  SagaAnswer answer{.step = parent.step,
                    .direction = direction,
                    .round = direction == Direction::action ? parent.round : 0,
                    .attempt = last_attempt,
                    .outcome = outcome};
  if (outcome != SagaOutcome::ok) {
    answer.code = child.code().empty() ? to_string(Errc::cancelled) : child.code();
    answer.error = child.error();
  } else if (direction == Direction::action) {
    answer.output = child.output();
  }
  return answer;
}

}  // namespace

std::optional<SagaParent> read_parent(const Message& start) {
  if (start.headers.find("saga-parent") == std::string_view::npos) return std::nullopt;
  rapidjson::Document headers;
  headers.Parse(start.headers.data(), start.headers.size());
  if (headers.HasParseError() || !headers.IsObject()) return std::nullopt;
  SagaParent parent{.execution = text_in(headers, "saga-parent"),
                    .step = text_in(headers, "saga-parent-step"),
                    .round = number_in(headers, "saga-parent-round"),
                    .depth = number_in(headers, "saga-depth")};
  return parent.execution.empty() ? std::nullopt : std::optional(std::move(parent));
}

std::string child_id(const Execution& parent, std::size_t step, std::uint32_t round) {
  std::string id(parent.id());
  return id.append(":").append(parent.step(step).name).append(":").append(std::to_string(round));
}

std::string why_no_child(const Execution& parent, std::size_t step, std::uint32_t round) {
  if (depth_below(parent) > kinship_depth_max) return "More than 8 sagas would stand inside one another.";
  if (child_id(parent, step, round).size() <= id_bytes_max) return {};
  return "The id of its child would be longer than 128 bytes; start it with a shorter id.";
}

NewMessage child_request(const Execution& parent, const SagaSend& send) {
  if (send.direction == Direction::compensation) return wish_about(parent, send.step, "undo");
  return send.attempt == 1 ? child_start(parent, send) : wish_about(parent, send.step, "ask");
}

std::vector<NewMessage> cancelled_children(const Execution& parent) {
  std::vector<NewMessage> rows;
  for (std::size_t step = 0; step < parent.step_count(); ++step) {
    const bool is_child = saga_call_kind(parent.step(step).action.uri) == SagaCallKind::child;
    const bool is_waited_for =
        is_child && parent.step(step).compensation && parent.facts(step).actions().is_under_way();
    if (is_waited_for) rows.push_back(wish_about(parent, step, "undo"));
  }
  return rows;
}

std::vector<SagaAnswer> answers_of_child(const Execution& child, bool is_refused) {
  std::vector<SagaAnswer> answers;
  const auto ended = child.ended_as();
  const bool is_clean = ended == SagaState::compensated || ended == SagaState::cancelled;
  if (is_clean) answers.push_back(answer_to(child, Direction::compensation, SagaOutcome::ok));
  if (is_refused || ended == SagaState::failed) {
    answers.push_back(answer_to(child, Direction::compensation, SagaOutcome::unknown));
  }
  if (ended) answers.push_back(answer_to(child, Direction::action, outcome_for_action(*ended)));
  return answers;
}

}  // namespace makegood::core
