#include "observe/alarm_filter.hpp"

#include <utility>

namespace makegood::observe {

std::optional<std::uint64_t> AlarmFilter::pass(const std::string& alarm, MonotonicTime now) {
  const auto known = seen_.find(alarm);
  if (known != seen_.end()) {
    Seen& seen = known->second;
    if (now - seen.passed_at < quiet_time) {
      ++seen.held_back_count;
      return {};
    }
    seen.passed_at = now;
    return std::exchange(seen.held_back_count, 0);
  }
  if (seen_.size() >= alarms_max) {
    std::erase_if(seen_, [&](const auto& entry) { return now - entry.second.passed_at >= quiet_time; });
  }
  // With so many different alarms at once, better too many lines than none.
  if (seen_.size() < alarms_max) seen_.emplace(alarm, Seen{.passed_at = now});
  return 0;
}

}  // namespace makegood::observe
