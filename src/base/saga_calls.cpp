#include "base/saga_calls.hpp"

#include "base/duration_text.hpp"

namespace makegood {

SagaCallKind saga_call_kind(std::string_view uri) {
  if (uri.starts_with(event_scheme)) return SagaCallKind::event;
  if (uri.starts_with(bus_scheme)) return SagaCallKind::bus;
  return uri.starts_with(wait_scheme) ? SagaCallKind::wait : SagaCallKind::participant;
}

bool is_waiting(std::string_view uri) {
  const SagaCallKind kind = saga_call_kind(uri);
  return kind == SagaCallKind::event || kind == SagaCallKind::wait;
}

std::string_view topic_of(std::string_view uri) {
  return uri.starts_with(bus_scheme) ? uri.substr(bus_scheme.size()) : std::string_view();
}

std::string_view event_of(std::string_view uri) {
  return uri.starts_with(event_scheme) ? uri.substr(event_scheme.size()) : std::string_view();
}

std::optional<Duration> wait_of(std::string_view uri) {
  if (!uri.starts_with(wait_scheme)) return std::nullopt;
  return parse_duration(uri.substr(wait_scheme.size()));
}

}  // namespace makegood
