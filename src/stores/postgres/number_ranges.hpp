// Numbers as parameters of a statement: `unnest` makes them ranges again.
#pragma once

#include <span>

#include "makegood/spi/numbers.hpp"
#include "stores/postgres/parameters.hpp"

namespace makegood::postgres {

struct RangeArrays {
  explicit RangeArrays(const NumberSet& numbers) {
    for (const NumberRange& range : numbers.ranges()) {
      lows.add(range.low);
      highs.add(range.high);
    }
  }
  Array lows{Type::bigint};
  Array highs{Type::bigint};
};

inline Array array_of(std::span<const std::int64_t> numbers) {
  Array array(Type::bigint);
  for (const std::int64_t number : numbers) array.add(number);
  return array;
}

}  // namespace makegood::postgres
