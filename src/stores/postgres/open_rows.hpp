// What is open in the log: numbers whose rows may still appear, and late rows that have appeared and are not read.
#pragma once

#include <set>

#include "makegood/spi/store.hpp"
#include "stores/postgres/late_rows.hpp"
#include "stores/postgres/log_reader.hpp"
#include "stores/postgres/open_numbers.hpp"

namespace makegood::postgres {

class OpenRows {
 public:
  OpenNumbers& numbers() { return numbers_; }
  const OpenNumbers& numbers() const { return numbers_; }
  LateRows& late() { return late_; }
  const LateRows& late() const { return late_; }

  /// Which of the open numbers have to be looked for.
  NumberSet awake_of(const NumberSet& open) const;
  /// What a look did not look for and may be there, when it has heard that these transactions have ended.
  NumberSet unknown_to(const LookFor& wanted, bool is_main_idle, const std::set<std::int64_t>& ended);
  /// Finds which of these are there and late: nothing of their keys may be read before them.
  Result<> examine(Connection& connection, const NumberSet& numbers);
  /// Which of the numbers that were open, and of those that were passed on the way, may still appear.
  NumberSet still_open(const LookFor& wanted, const LogReader& main, Sequence counter, MonotonicTime now);
  void clear();

 private:
  OpenNumbers numbers_;
  LateRows late_;
};

}  // namespace makegood::postgres
