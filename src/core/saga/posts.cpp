#include "core/saga/posts.hpp"

#include <utility>

#include "base/digest.hpp"
#include "base/json_text.hpp"
#include "base/saga_calls.hpp"
#include "core/mutant.hpp"

namespace makegood::core {
namespace {

constexpr std::size_t event_id_bytes_max = 128;

std::string milliseconds(TimePoint time) {
  return std::to_string(std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count());
}

/// As the headers of a call over HTTP, under names that a message may have.
std::map<std::string, std::string> headers_of(const Execution& execution, const SagaSend& send, TimePoint until) {
  const std::uint32_t action_round = execution.facts(send.step).actions().round();
  std::map<std::string, std::string> headers = {
      {"saga-name", std::string(execution.start().topic)},
      {"saga-execution", std::string(execution.id())},
      {"saga-step", execution.step(send.step).name},
      {"saga-direction", std::string(to_string(send.direction))},
      {"saga-round", std::to_string(send.round)},
      {"saga-attempt", std::to_string(send.attempt)},
      {"saga-key", key_of(execution, send.step, send.direction, send.round)},
      {"saga-deadline-ms", milliseconds(until)},
  };
  if (send.direction == Direction::action) return headers;
  headers["saga-action-key"] = key_of(execution, send.step, Direction::action, action_round);
  headers["saga-action-round"] = std::to_string(action_round);
  return headers;
}

/// Each attempt is an event of its own; the same one is written once, however often its turn is tried.
std::string event_of_attempt(const Execution& execution, const SagaSend& send) {
  std::string text = "saga:" + std::string(execution.id()) + ":" + execution.step(send.step).name;
  text.append(":").append(to_string(send.direction)).append(":").append(std::to_string(send.round));
  return event_id_for(text.append(":").append(std::to_string(send.attempt)));
}

}  // namespace

bool leaves_with_turn(std::string_view uri) {
  const SagaCallKind kind = saga_call_kind(uri);
  return kind == SagaCallKind::bus || kind == SagaCallKind::child;
}

NewMessage bus_message(const Execution& execution, const SagaSend& send, const CallbackAddress& callback) {
  const Attempt* attempt = execution.facts(send.step).track(send.direction).attempts.find(send.round, send.attempt);
  NewMessage message{.topic = std::string(topic_of(send.uri)),
                     .event_id = event_of_attempt(execution, send),
                     .tenant_id = std::string(execution.tenant_id()),
                     // Action and compensation stay in their order.
                     .dispatch_key = std::string(execution.id()) + "/" + execution.step(send.step).name,
                     .headers = headers_of(execution, send, attempt->until),
                     .traceparent = std::string(execution.start().traceparent),
                     .tracestate = std::string(execution.start().tracestate)};
  json::is_json(send.body) ? message.payload = send.body : message.body.emplace(send.body);
  if (!is_mutant("saga_bus_never_expires")) message.expires_at = attempt->until;
  if (std::string address = callback ? callback(execution, send) : std::string(); !address.empty()) {
    message.headers["saga-callback"] = std::move(address);
  }
  return message;
}

std::string event_id_for(const std::string& text) {
  return text.size() <= event_id_bytes_max ? text : "saga:" + long_digest(text);
}

}  // namespace makegood::core
