// Sets of a log's numbers, kept as ranges: a large import leaves a million of them in a few runs.
#pragma once

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "makegood/message.hpp"

namespace makegood {

/// Numbers from `low` to `high`.
struct NumberRange {
  Sequence low = 0;
  Sequence high = 0;
  auto operator<=>(const NumberRange&) const = default;
};

class NumberSet {
 public:
  NumberSet() = default;
  /// Ascending.
  NumberSet(std::initializer_list<Sequence> numbers);
  explicit NumberSet(std::span<const Sequence> numbers);

  /// Above all that are in it.
  void append(NumberRange range);
  void append(Sequence number) { append({number, number}); }

  bool empty() const { return ranges_.empty(); }
  bool contains(Sequence number) const;
  Sequence front() const { return ranges_.front().low; }
  std::size_t count() const;
  /// Ascending; between any two of them a number is missing.
  std::span<const NumberRange> ranges() const& { return ranges_; }
  std::span<const NumberRange> ranges() && = delete;  // They live as long as the set.
  bool operator==(const NumberSet&) const = default;

 private:
  std::vector<NumberRange> ranges_;
};

NumberSet united(const NumberSet& one, const NumberSet& other);
/// All of `numbers` that are not in `others`.
NumberSet without(const NumberSet& numbers, const NumberSet& others);
NumberSet without(const NumberSet& numbers, std::span<const Sequence> others);
NumberSet up_to(const NumberSet& numbers, Sequence last);

}  // namespace makegood
