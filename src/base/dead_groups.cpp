#include "base/dead_groups.hpp"

#include <algorithm>

namespace makegood {

void DeadGroups::add(const Kind& kind, Sequence sequence, TimePoint changed_at) {
  const auto [entry, is_new] = groups_.try_emplace(kind);
  DeadGroup& group = entry->second;
  ++group.count;
  group.first_at = is_new ? changed_at : std::min(group.first_at, changed_at);
  group.last_at = std::max(group.last_at, changed_at);
  group.example = std::max(group.example, sequence);
}

std::vector<DeadGroup> DeadGroups::largest(std::size_t rows_max) const {
  std::vector<DeadGroup> groups;
  groups.reserve(groups_.size());
  for (const auto& [kind, figures] : groups_) {
    DeadGroup& group = groups.emplace_back(figures);
    group.topic = kind.topic;
    group.destination = kind.destination;
    group.error_code = kind.error_code;
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), &DeadGroup::count);
  if (groups.size() > rows_max) groups.resize(rows_max);
  return groups;
}

}  // namespace makegood
