#include "base/saga_calls.hpp"

#include <charconv>

#include "base/duration_text.hpp"

namespace makegood {

SagaCallKind saga_call_kind(std::string_view uri) {
  if (uri.starts_with(event_scheme)) return SagaCallKind::event;
  if (uri.starts_with(bus_scheme)) return SagaCallKind::bus;
  if (uri.starts_with(child_scheme)) return SagaCallKind::child;
  return uri.starts_with(wait_scheme) ? SagaCallKind::wait : SagaCallKind::participant;
}

bool is_waiting(std::string_view uri) {
  const SagaCallKind kind = saga_call_kind(uri);
  return kind == SagaCallKind::event || kind == SagaCallKind::wait;
}

std::string_view topic_of(std::string_view uri) {
  return uri.starts_with(bus_scheme) ? uri.substr(bus_scheme.size()) : std::string_view();
}

std::optional<SagaChild> child_of(std::string_view uri) {
  if (!uri.starts_with(child_scheme)) return std::nullopt;
  uri.remove_prefix(child_scheme.size());
  const std::size_t at = uri.rfind('@');
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view digits = uri.substr(at + 1);
  SagaChild child{.name = uri.substr(0, at)};
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), child.version);
  const bool is_number = failure == std::errc() && end == digits.data() + digits.size() && child.version > 0;
  return is_number ? std::optional(child) : std::nullopt;
}

std::string_view event_of(std::string_view uri) {
  return uri.starts_with(event_scheme) ? uri.substr(event_scheme.size()) : std::string_view();
}

std::optional<Duration> wait_of(std::string_view uri) {
  if (!uri.starts_with(wait_scheme)) return std::nullopt;
  return parse_duration(uri.substr(wait_scheme.size()));
}

}  // namespace makegood
