#include "stores/postgres/late_rows.hpp"

#include <algorithm>
#include <utility>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/number_ranges.hpp"

namespace makegood::postgres {
namespace {

/// About a second's work for the server.
constexpr std::size_t examined_max = 1'000'000;

NumberSet first_of(const NumberSet& numbers, std::size_t count) {
  NumberSet first;
  for (const NumberRange& range : numbers.ranges()) {
    if (count == 0) break;
    const Sequence high = std::min(range.high, range.low + static_cast<Sequence>(count) - 1);
    first.append({range.low, high});
    count -= static_cast<std::size_t>(high - range.low) + 1;
  }
  return first;
}

}  // namespace

bool LateRows::has(KeyNumber key) const {
  if (!key) return false;
  return is_blind_ || few_keys_.contains(*key) || std::ranges::binary_search(keys_, *key);
}

void LateRows::forget_keys() {
  keys_ = {};
  few_keys_.clear();
}

NumberSet LateRows::first(std::size_t count) const { return first_of(numbers_, count); }

Result<> LateRows::examine(Connection& connection, const NumberSet& numbers) {
  const NumberSet examined = first_of(numbers, examined_max);
  is_blind_ = is_blind_ || examined != numbers;
  const RangeArrays ranges(examined);
  Rows rows = MAKEGOOD_TRY(connection.query(sql::late_heads, ranges.lows, ranges.highs));
  NumberSet whole;
  NumberSet mixed;
  while (rows.next()) {
    const NumberRange range{rows.integer(0), rows.integer(1)};
    const bool is_whole = rows.integer(2) == range.high - range.low + 1;
    (is_whole ? whole : mixed).append(range);
    add_keys(rows.blob(3));
  }
  std::ranges::sort(keys_);
  add(united(whole, MAKEGOOD_TRY(visible_of_mixed(connection, mixed))));
  return {};
}

Result<NumberSet> LateRows::visible_of_mixed(Connection& connection, const NumberSet& mixed) {
  NumberSet visible;
  if (mixed.empty()) return visible;
  const RangeArrays ranges(mixed);
  Rows rows = MAKEGOOD_TRY(connection.query(sql::late_numbers, ranges.lows, ranges.highs));
  while (rows.next()) {
    visible.append(rows.integer(0));
    add_key(rows.integer_or_null(1));  // Some may have appeared only now.
  }
  return visible;
}

void LateRows::add_key(KeyNumber key) {
  if (key) few_keys_.insert(*key);
}

void LateRows::add_keys(std::string_view numbers) {
  for (; numbers.size() >= sizeof(std::int64_t); numbers.remove_prefix(sizeof(std::int64_t))) {
    std::uint64_t number = 0;
    for (const char byte : numbers.substr(0, sizeof(number))) number = number << 8U | static_cast<unsigned char>(byte);
    keys_.push_back(static_cast<std::int64_t>(number));
  }
}

void LateRows::remove(const NumberSet& numbers) {
  numbers_ = without(numbers_, numbers);
  if (numbers_.empty()) forget_keys();
}

void LateRows::begin(const NumberSet& open) {
  is_blind_ = false;
  if (!numbers_.empty()) remove(without(numbers_, open));
}

void LateRows::clear() {
  numbers_ = {};
  forget_keys();
  is_blind_ = false;
}

}  // namespace makegood::postgres
