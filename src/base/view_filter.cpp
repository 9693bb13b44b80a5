#include "base/view_filter.hpp"

namespace makegood {

bool is_wanted_topic(std::string_view pattern, std::string_view topic) {
  return pattern.empty() || pattern == "*" || matches(pattern, topic);
}

bool is_wanted(const MessageFilter& filter, const MessageHead& head, std::string_view event_id) {
  if (!filter.tenant_id.empty() && filter.tenant_id != head.tenant_id) return false;
  if (!filter.dispatch_key.empty() && filter.dispatch_key != head.dispatch_key) return false;
  if (!filter.event_id.empty() && filter.event_id != event_id) return false;
  return is_wanted_topic(filter.topic, head.topic);
}

bool is_wanted_time(const MessageFilter& filter, TimePoint created_at) {
  if (filter.created_from && created_at < *filter.created_from) return false;
  return !filter.created_until || created_at < *filter.created_until;
}

}  // namespace makegood
