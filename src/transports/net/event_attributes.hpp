// A message as an event of CloudEvents 1.0: its attributes, whatever carries them.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "makegood/delivery.hpp"

namespace makegood::net {

/// Event ids are unique per outbox and tenant, so both are part of the source. The incarnation is not: what is sent
/// again after a restore is still the same event.
std::string event_source(const Delivery& delivery);
/// The trace to pass on: empty if it does not follow its standard.
std::string_view sound_traceparent(const Message& message);
/// Its state: empty without a sound `traceparent`.
std::string_view sound_tracestate(const Message& message);

/// A text with numbers in it, filled in place: a formatted string for each was 1 % of a request.
template <std::size_t size>
class Form {
 public:
  explicit Form(const char (&text)[size]) { std::ranges::copy(text, text_.begin()); }
  /// Decimal, with zeros in front, ending before this place.
  void fill(std::size_t end, std::size_t digits, std::uint64_t value) {
    for (; digits > 0; --digits, value /= 10) text_[--end] = static_cast<char>('0' + value % 10);
  }
  std::string_view view() const { return {text_.data(), size - 1}; }

 private:
  std::array<char, size> text_;
};

using Rfc3339 = Form<25>;
using OrderedNumber = Form<20>;
Rfc3339 rfc3339(TimePoint time);
/// The extension wants an order of texts: as wide as the greatest number.
OrderedNumber ordered_number(Sequence sequence);

/// Every attribute but the content's, in the order in which it is sent.
template <class Add>
void for_each_attribute(const Delivery& delivery, Add add) {
  const Message& message = *delivery.message;
  add("specversion", "1.0");
  add("id", message.event_id);
  add("source", event_source(delivery));
  add("type", message.topic);
  add("time", rfc3339(message.created_at).view());
  if (!message.dispatch_key.empty()) add("subject", message.dispatch_key);
  add("tenant", message.tenant_id);
  add("sequence", ordered_number(message.sequence).view());
  const std::string_view trace = sound_traceparent(message);
  if (trace.empty()) return;
  add("traceparent", trace);
  if (const auto state = sound_tracestate(message); !state.empty()) add("tracestate", state);
}

}  // namespace makegood::net
