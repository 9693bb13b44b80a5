// Whether a log is still the one that its last turn has left. One rule for every store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "makegood/spi/store.hpp"

namespace makegood {

/// What the log shows, in the snapshot in which the last turn was read.
struct LogSight {
  Sequence reached = 0;  ///< By the last turn.
  Sequence counter = 0;
  Sequence highest = 0;                          ///< Of the rows that are visible.
  std::optional<std::string> anchor_event = {};  ///< Of the row with the anchor's number, if there is one.
  bool has_row_in_cleaned = false;               ///< A row lies at or below `cleaned`.
  bool counts_by_one = true;                     ///< The database draws one number after the other.
};

LogTrouble compare(const LogMark& mark, const LogSight& seen);

/// Whether a look may read the log. While it may not, it answers `requests_alone`.
bool is_readable(const LogMark& mark, LogTrouble trouble);
Found requests_alone(const LookFor& wanted, Found found);
/// Whether one of them needs to know the log's first row.
bool wants_first_row(const std::vector<Request>& requests);

/// The columns from `first` on: anchor, anchor_event, counter, cleaned, stopped.
template <class Row>
Result<LogMark> read_mark(const Row& row, int first) {
  const auto stopped = log_trouble_from(row.text(first + 4));
  if (!stopped) {
    return Error{Errc::schema_mismatch, "A turn says something that this version does not know; run a newer makegood.",
                 std::string(row.text(first + 4))};
  }
  return LogMark{.anchor = row.integer(first),
                 .anchor_event = std::string(row.text(first + 1)),
                 .counter = row.integer(first + 2),
                 .cleaned = row.integer(first + 3),
                 .stopped = *stopped};
}

}  // namespace makegood
