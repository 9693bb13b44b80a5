#include "base/saga_calls.hpp"

#include "base/duration_text.hpp"

namespace makegood {

SagaCallKind saga_call_kind(std::string_view uri) {
  if (uri.starts_with(event_scheme)) return SagaCallKind::event;
  return uri.starts_with(wait_scheme) ? SagaCallKind::wait : SagaCallKind::participant;
}

std::string_view event_of(std::string_view uri) {
  return uri.starts_with(event_scheme) ? uri.substr(event_scheme.size()) : std::string_view();
}

std::optional<Duration> wait_of(std::string_view uri) {
  if (!uri.starts_with(wait_scheme)) return std::nullopt;
  return parse_duration(uri.substr(wait_scheme.size()));
}

}  // namespace makegood
