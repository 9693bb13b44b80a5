// Rows that appeared among open numbers, and that there was no room for: a large import that was committed. They are
// read a few at a time, so that others need not wait for them all; but of their keys nothing else is read before them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "makegood/spi/numbers.hpp"
#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

/// Stands for a tenant and a key; two may share one, and then wait for each other in vain. Nothing: there is no key.
using KeyNumber = std::optional<std::int64_t>;

class LateRows {
 public:
  const NumberSet& numbers() const { return numbers_; }
  /// Where the first `count` of them are.
  NumberSet first(std::size_t count) const;
  /// Whether one of this key is among them, or may be.
  bool has(KeyNumber key) const;
  /// There was more than could be examined: until the next look every key is suspected.
  bool is_blind() const { return is_blind_; }

  /// What is visible of these is late.
  Result<> examine(Connection& connection, const NumberSet& numbers);
  void add(const NumberSet& numbers) { numbers_ = united(numbers_, numbers); }
  void add_key(KeyNumber key);
  void remove(const NumberSet& numbers);
  /// A look begins, whose lane has these numbers open.
  void begin(const NumberSet& open);
  void clear();

 private:
  Result<NumberSet> visible_of_mixed(Connection& connection, const NumberSet& mixed);
  void add_keys(std::string_view numbers);
  void forget_keys();

  NumberSet numbers_;
  std::vector<std::int64_t> keys_;  ///< Sorted. Of a million, a hash table takes three times as long to make.
  std::set<std::int64_t> few_keys_;
  bool is_blind_ = false;
};

}  // namespace makegood::postgres
