// What one lane reads from the log in one look, within its limits.
#pragma once

#include <span>
#include <vector>

#include "makegood/spi/numbers.hpp"
#include "makegood/spi/routing.hpp"
#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

struct ReadLimits {
  std::size_t rows_max = 0;
  std::size_t bytes_max = 0;   ///< Always at least one row.
  std::size_t passed_max = 0;  ///< 0 = no limit.
};

/// Rows in (after, until] of the log.
struct LogRange {
  Sequence after = 0;
  Sequence until = 0;
};

class LogReader {
 public:
  LogReader(Connection& connection, const ReadLimits& limits);

  /// A number without a row will never appear. After one that does not fit nothing does, so that no row passes another.
  Result<> read_numbers(std::span<const Sequence> numbers);
  /// Every row.
  Result<> read_beyond(const LogRange& range);
  /// What the filter wants, without the numbers in `left_out`.
  Result<> read_beyond(const LogRange& range, const Filter& filter, const NumberSet& left_out);

  std::vector<MessagePtr> rows = {};
  std::vector<Sequence> unread = {};
  /// By read_beyond: the last row that was looked at; with a filter `until` when there was no more.
  Sequence looked_to = 0;
  bool is_cut = false;  ///< A number did not fit, or with a filter anything.

 private:
  struct Search;
  enum class Pace { passing, reading, at_end };

  bool is_full() const { return rows_left_ == 0 || passed_left_ == 0; }
  bool take_in(MessagePtr message);
  Result<Pace> pass(Search& search);
  Result<Pace> read(Search& search);
  Result<bool> is_wanted(const Rows& row, Search& search);
  Pace cut();

  Connection& connection_;
  const bool is_idle_;  ///< Nothing is to be read.
  std::size_t rows_left_;
  std::size_t bytes_left_;
  std::size_t passed_left_;
};

}  // namespace makegood::sqlite
