#include "transports/broker/headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/header_rules.hpp"
#include "base/json.hpp"
#include "transports/net/event_attributes.hpp"

namespace makegood::broker {
namespace {

constexpr auto own_names =
    std::to_array<std::string_view>({"event_id", "tenant_id", "topic", "dispatch_key", "sequence", "envelope_id",
                                     "outbox", "incarnation", "attempt", "traceparent", "tracestate", "content-type"});

bool is_own(std::string_view name, std::string_view event_prefix) {
  return (!event_prefix.empty() && name.starts_with(event_prefix)) ||
         std::ranges::find(own_names, name) != own_names.end();
}

void add_number(std::string_view name, std::int64_t number, const AddHeader& add) {
  const fmt::format_int digits(number);
  add(name, {digits.data(), digits.size()});
}

void add_delivery(const Delivery& delivery, const AddHeader& add) {
  const Message& message = *delivery.message;
  const auto add_if_any = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, value);
  };
  add("event_id", message.event_id);
  add("tenant_id", message.tenant_id);
  add("topic", message.topic);
  add_if_any("dispatch_key", message.dispatch_key);
  add_number("sequence", message.sequence, add);
  add_if_any("envelope_id", message.envelope_id);
  add("outbox", delivery.outbox);
  add_if_any("incarnation", delivery.incarnation);
  add_number("attempt", delivery.attempt, add);
  add_if_any("traceparent", net::sound_traceparent(message));
  add_if_any("tracestate", net::sound_tracestate(message));
}

Result<> add_producers(std::string_view texts, std::string_view event_prefix, const AddHeader& add) {
  if (texts.empty()) return {};
  const auto document = json::parse_object(texts);
  if (!document) return Error{Errc::invalid, "The message's headers are not a JSON object."};
  HeaderCheck check;
  for (const auto& member : document->GetObject()) {
    const std::string name = json::text_of(member.name);
    if (!member.value.IsString()) {
      return Error{Errc::invalid, fmt::format("The message's header {} is not a text.", shown_header_name(name))};
    }
    const std::string value = json::text_of(member.value);
    MAKEGOOD_TRY(check.take(name, value));
    if (!is_own(name, event_prefix)) add(name, value);
  }
  return {};
}

}  // namespace

Result<> for_each_header(const Delivery& delivery, std::string_view event_prefix, const AddHeader& add) {
  const Message& message = *delivery.message;
  if (message.event_id.empty()) return Error{Errc::invalid, "The message has no event id."};
  std::string name(event_prefix);
  const auto add_attribute = [&](std::string_view attribute, std::string_view value) {
    name.resize(event_prefix.size());
    add(name.append(attribute), value);
  };
  if (!event_prefix.empty()) net::for_each_attribute(delivery, add_attribute);
  add_delivery(delivery, add);
  return add_producers(message.headers, event_prefix, add);
}

}  // namespace makegood::broker
