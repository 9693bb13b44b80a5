#include "transports/net/event_attributes.hpp"

#include "base/trace_context.hpp"
#include "transports/net/header_text.hpp"

namespace makegood::net {
namespace {

constexpr std::size_t tracestate_bytes_max = 512;

}  // namespace

std::string event_source(const Delivery& delivery) {
  std::string source = "/makegood/";
  append_path_segment(source, delivery.outbox);
  source += '/';
  append_path_segment(source, delivery.message->tenant_id);
  return source;
}

std::string_view sound_traceparent(const Message& message) {
  return is_traceparent(message.traceparent) ? message.traceparent : std::string_view();
}

std::string_view sound_tracestate(const Message& message) {
  const std::string_view state = trimmed(message.tracestate);
  if (!is_traceparent(message.traceparent) || state.size() > tracestate_bytes_max || !is_header_value(state)) return {};
  return state;
}

Rfc3339 rfc3339(TimePoint time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(time - day));
  Rfc3339 form("YYYY-MM-DDThh:mm:ss.fffZ");
  form.fill(4, 4, static_cast<std::uint64_t>(std::clamp(static_cast<int>(date.year()), 0, 9999)));  // All there is.
  form.fill(7, 2, static_cast<unsigned>(date.month()));
  form.fill(10, 2, static_cast<unsigned>(date.day()));
  form.fill(13, 2, static_cast<std::uint64_t>(clock.hours().count()));
  form.fill(16, 2, static_cast<std::uint64_t>(clock.minutes().count()));
  form.fill(19, 2, static_cast<std::uint64_t>(clock.seconds().count()));
  form.fill(23, 3, static_cast<std::uint64_t>(clock.subseconds().count()));
  return form;
}

OrderedNumber ordered_number(Sequence sequence) {
  OrderedNumber form("nnnnnnnnnnnnnnnnnnn");
  form.fill(19, 19, static_cast<std::uint64_t>(sequence));
  return form;
}

}  // namespace makegood::net
