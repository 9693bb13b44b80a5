#include "makegood/spi/numbers.hpp"

#include <algorithm>

#include "makegood/spi/assert.hpp"

namespace makegood {

NumberSet::NumberSet(std::initializer_list<Sequence> numbers) : NumberSet(std::span(numbers.begin(), numbers.end())) {}

NumberSet::NumberSet(std::span<const Sequence> numbers) {
  for (const Sequence number : numbers) append(number);
}

void NumberSet::append(NumberRange range) {
  MAKEGOOD_ASSERT(range.low <= range.high && (ranges_.empty() || range.low > ranges_.back().high));
  if (!ranges_.empty() && ranges_.back().high + 1 == range.low) {
    ranges_.back().high = range.high;
  } else {
    ranges_.push_back(range);
  }
}

bool NumberSet::contains(Sequence number) const {
  const auto range = std::ranges::lower_bound(ranges_, number, {}, &NumberRange::high);
  return range != ranges_.end() && range->low <= number;
}

std::size_t NumberSet::count() const {
  std::size_t count = 0;
  for (const NumberRange& range : ranges_) count += static_cast<std::size_t>(range.high - range.low) + 1;
  return count;
}

NumberSet united(const NumberSet& one, const NumberSet& other) {
  if (one.empty()) return other;
  NumberSet all;
  Sequence taken_to = 0;
  const auto take = [&](const NumberRange& range) {
    if (range.high > taken_to) all.append({std::max(range.low, taken_to + 1), range.high});
    taken_to = std::max(taken_to, range.high);
  };
  auto next = other.ranges().begin();
  for (const NumberRange& range : one.ranges()) {
    for (; next != other.ranges().end() && next->low <= range.low; ++next) take(*next);
    take(range);
  }
  for (; next != other.ranges().end(); ++next) take(*next);
  return all;
}

NumberSet without(const NumberSet& numbers, const NumberSet& others) {
  NumberSet rest;
  auto other = others.ranges().begin();
  for (NumberRange range : numbers.ranges()) {
    while (other != others.ranges().end() && other->high < range.low) ++other;
    for (auto cut = other; cut != others.ranges().end() && cut->low <= range.high; ++cut) {
      if (cut->low > range.low) rest.append({range.low, cut->low - 1});
      range.low = cut->high + 1;
    }
    if (range.low <= range.high) rest.append(range);
  }
  return rest;
}

NumberSet without(const NumberSet& numbers, std::span<const Sequence> others) {
  return without(numbers, NumberSet(others));
}

NumberSet up_to(const NumberSet& numbers, Sequence last) {
  NumberSet lower;
  for (const NumberRange& range : numbers.ranges()) {
    if (range.low <= last) lower.append({range.low, std::min(range.high, last)});
  }
  return lower;
}

}  // namespace makegood
