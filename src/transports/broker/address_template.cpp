#include "transports/broker/address_template.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/mistakes.hpp"

namespace makegood::broker {
namespace {

constexpr auto names = std::to_array<std::string_view>({"topic", "tenant", "key", "event_id", "outbox", "destination"});

}  // namespace

Result<AddressTemplate::Value> AddressTemplate::value_named(std::string_view name) {
  const auto* found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<Value>(found - names.begin() + 1);
  return Error{Errc::config_invalid,
               fmt::format("{{{}}} cannot be filled in; allowed: {{{}}}.", shown(name), fmt::join(names, "}, {"))};
}

Result<AddressTemplate> AddressTemplate::parse(std::string_view text, char separator) {
  AddressTemplate result;
  result.separator_ = separator;
  while (!text.empty()) {
    const std::size_t brace = std::min(text.find_first_of("{}"), text.size());
    if (brace > 0) result.parts_.push_back({.text = std::string(text.substr(0, brace))});
    text.remove_prefix(brace);
    if (text.empty()) break;
    if (text.front() == '}') return Error{Errc::config_invalid, "A } has no { before it."};
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return Error{Errc::config_invalid, "A { has no } behind it."};
    result.parts_.push_back({.value = MAKEGOOD_TRY(value_named(text.substr(1, close - 1)))});
    text.remove_prefix(close + 1);
  }
  return result;
}

std::string_view AddressTemplate::value_of(const Delivery& delivery, Value value) {
  switch (value) {
    case Value::none:
      return {};
    case Value::topic:
      return delivery.message->topic;
    case Value::tenant:
      return delivery.message->tenant_id;
    case Value::key:
      return delivery.message->dispatch_key;
    case Value::event_id:
      return delivery.message->event_id;
    case Value::outbox:
      return delivery.outbox;
    case Value::destination: {
      const std::string_view name = delivery.destination->name;
      return name.substr(name.find(':') + 1);
    }
  }
  std::unreachable();
}

Result<std::string> AddressTemplate::fill(const Delivery& delivery) const {
  std::string address;
  for (const Part& part : parts_) {
    const std::string_view value = value_of(delivery, part.value);
    const bool may_have_levels = part.value == Value::topic || separator_ == 0;
    if (!may_have_levels && value.contains(separator_)) {
      return Error{Errc::invalid,
                   fmt::format("The message's {} has a `{}` in it, so it would lead to another place than it names.",
                               names.at(static_cast<std::size_t>(part.value) - 1), separator_)};
    }
    address.append(part.text).append(value);
  }
  return address;
}

}  // namespace makegood::broker
