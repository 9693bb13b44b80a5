#include "stores/memory/reading.hpp"

#include <algorithm>

namespace makegood::memory {

bool is_waiting(const KeysInWait& keys, const Message& row) {
  return !row.dispatch_key.empty() && keys.contains(KeysInWait::key_type(row.tenant_id, row.dispatch_key));
}

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

void Reading::read_late(const NumberSet& numbers) {
  const std::vector<MessagePtr> late = visible_of(numbers);
  const std::size_t room = is_idle() ? 0 : limits_.rows_max - std::min(limits_.rows_max, rows.size());
  const std::size_t late_max = late.size() <= room ? room : (room + 1) / 2;
  std::size_t count = 0;
  for (; count < std::min(late_max, late.size()) && has_room_for(*late[count]); ++count) add(late[count]);
  is_cut = is_cut || (count < late.size() && !is_idle());
  for (; count < late.size(); ++count) leave(*late[count]);
}

std::vector<MessagePtr> Reading::visible_of(const NumberSet& numbers) const {
  std::vector<MessagePtr> visible;
  for (const NumberRange& range : numbers.ranges()) {
    for (auto row = state_.log.lower_bound(range.low); row != state_.log.end() && row->first <= range.high; ++row) {
      visible.push_back(row->second);
    }
  }
  return visible;
}

void Reading::leave(const Message& row) {
  left.append(row.sequence);
  if (!row.dispatch_key.empty()) keys_in_wait.emplace(row.tenant_id, row.dispatch_key);
}

void Reading::read_beyond(Sequence after, Sequence until, const Choose& choose) {
  looked_to = after;
  if (is_idle()) return;
  for (auto row = state_.log.upper_bound(after); row != state_.log.end() && row->first <= until; ++row) {
    const Message& message = *row->second;
    const Choice choice = is_full() ? Choice::stop : choose(message);
    const bool is_at_end = choice == Choice::stop || (choice == Choice::take && !has_room_for(message));
    is_cut = is_cut || is_at_end;
    if (is_at_end) return;
    if (choice == Choice::take) add(row->second);
    if (choice == Choice::pass) ++passed_;
    if (choice == Choice::leave) leave(message);
    looked_to = row->first;
  }
  looked_to = std::max(after, until);
}

}  // namespace makegood::memory
