#include "server/event_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/path.hpp"
#include "makegood/destination.hpp"

namespace makegood::server {
namespace {

constexpr std::array<std::string_view, event_kind_count> kind_names = {
    "delivered", "retried", "died", "news", "ownership", "alarm", "saga", "step", "source", "key", "key_told"};

std::string_view cut_off(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

Error not_understood(std::string sentence) { return {Errc::invalid, std::move(sentence)}; }

Result<> choose_kinds(std::string_view names, EventFilter& filter) {
  filter.kinds.fill(false);
  while (!names.empty()) {
    const std::string_view name = cut_off(names, ',');
    const auto* const found = std::ranges::find(kind_names, name);
    if (found == kind_names.end()) {
      return not_understood(
          fmt::format("There are no events of the kind '{}'; there are: {}.", name, fmt::join(kind_names, ", ")));
    }
    filter.kinds.at(static_cast<std::size_t>(found - kind_names.begin())) = true;
  }
  return {};
}

Result<> take_parameter(std::string_view name, std::string value, EventFilter& filter) {
  if (name == "kind") return choose_kinds(value, filter);
  std::string* const place = name == "outbox"   ? &filter.outbox
                             : name == "topic"  ? &filter.topic
                             : name == "tenant" ? &filter.tenant
                                                : nullptr;
  if (place == nullptr) {
    return not_understood(fmt::format("There is no parameter '{}'; there are: outbox, topic, tenant, kind.", name));
  }
  *place = std::move(value);
  return {};
}

bool is_empty_or(std::string_view wanted, std::string_view value) { return wanted.empty() || wanted == value; }

}  // namespace

std::string_view to_string(EventKind kind) { return kind_names.at(std::to_underlying(kind)); }

bool EventFilter::wants(const EventSubject& subject) const {
  return kinds.at(std::to_underlying(subject.kind)) && is_empty_or(outbox, subject.outbox) &&
         is_empty_or(tenant, subject.tenant) &&
         (topic.empty() || topic == "*" || (!subject.topic.empty() && matches(topic, subject.topic)));
}

Result<EventFilter> parse_event_filter(std::string_view query) {
  EventFilter filter;
  while (!query.empty()) {
    std::string_view parameter = cut_off(query, '&');
    if (parameter.empty()) continue;
    const std::string_view name = cut_off(parameter, '=');
    std::optional<std::string> value = api::percent_decoded(parameter, api::Plus::is_blank);
    if (!value) return not_understood(fmt::format("The parameter '{}' is not percent-encoded.", name));
    MAKEGOOD_TRY(take_parameter(name, std::move(*value), filter));
  }
  return filter;
}

}  // namespace makegood::server
