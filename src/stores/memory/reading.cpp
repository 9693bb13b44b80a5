#include "stores/memory/reading.hpp"

#include <algorithm>

namespace makegood::memory {

bool Reading::has_room_for(const Message& row) const {
  if (rows.size() >= limits_.rows_max) return false;
  return rows.empty() || bytes_ + bytes_of(row) <= limits_.bytes_max;
}

bool Reading::is_full() const {
  return rows.size() >= limits_.rows_max || (limits_.passed_max > 0 && passed_ >= limits_.passed_max);
}

void Reading::add(const MessagePtr& row) {
  bytes_ += bytes_of(*row);
  rows.push_back(row);
}

void Reading::read_numbers(std::vector<Sequence> numbers) {
  std::ranges::sort(numbers);
  for (const Sequence number : numbers) {
    const auto row = state_.log.find(number);
    const bool is_visible = row != state_.log.end();
    if (unread.empty() && !is_visible) continue;
    if (unread.empty() && has_room_for(*row->second)) {
      add(row->second);
    } else {
      unread.push_back(number);
    }
  }
  is_cut = !unread.empty() && limits_.rows_max > 0;
}

void Reading::read_beyond(Sequence after, Sequence until, const Wants& wants) {
  looked_to = after;
  if (!unread.empty() || limits_.rows_max == 0) return;
  for (auto row = state_.log.upper_bound(after); row != state_.log.end() && row->first <= until; ++row) {
    is_cut = is_full();
    if (is_cut) return;
    const Message& message = *row->second;
    if (!wants(message)) {
      ++passed_;
    } else if (has_room_for(message)) {
      add(row->second);
    } else {
      is_cut = true;
      return;
    }
    looked_to = row->first;
  }
  looked_to = std::max(after, until);
}

}  // namespace makegood::memory
