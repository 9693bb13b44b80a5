#include "stores/sqlite/log_reader.hpp"

#include <algorithm>
#include <limits>

#include "base/log_row.hpp"
#include "base/sieve.hpp"
#include "makegood_store_sqlite_sql.hpp"

namespace makegood::sqlite {
namespace {

/// After so many rows in a row that are not wanted, only what the filter needs is read of the next ones. Going over
/// from one statement to the other costs as much as reading three rows.
constexpr int strangers_max = 8;

constexpr std::int64_t no_limit = -1;

}  // namespace

struct LogReader::Search {
  Sequence until;
  const Filter& filter;
  const NumberSet& left_out;
  Sieve sieve;
};

LogReader::LogReader(Connection& connection, const ReadLimits& limits)
    : connection_(connection),
      is_idle_(limits.rows_max == 0),
      rows_left_(limits.rows_max),
      bytes_left_(limits.bytes_max),
      passed_left_(limits.passed_max > 0 ? limits.passed_max : std::numeric_limits<std::size_t>::max()) {}

/// False: it does not fit.
bool LogReader::take_in(MessagePtr message) {
  const std::size_t bytes = bytes_of(*message);
  if (!rows.empty() && bytes > bytes_left_) {
    rows_left_ = 0;
    return false;
  }
  --rows_left_;
  bytes_left_ -= std::min(bytes_left_, bytes);
  rows.push_back(std::move(message));
  return true;
}

Result<> LogReader::read_numbers(std::span<const Sequence> numbers) {
  for (const Sequence number : numbers) {
    if (rows_left_ == 0) {
      unread.push_back(number);
      continue;
    }
    Rows row = MAKEGOOD_TRY(connection_.query(sql::read_number, number));
    if (!MAKEGOOD_TRY(row.next())) continue;
    if (!take_in(read_message(row))) unread.push_back(number);
  }
  is_cut = !unread.empty() && !is_idle_;
  return {};
}

Result<> LogReader::read_beyond(const LogRange& range) {
  looked_to = range.after;
  if (rows_left_ == 0 || !unread.empty()) return {};
  Rows row = MAKEGOOD_TRY(
      connection_.query(sql::read_beyond, range.after, range.until, static_cast<std::int64_t>(rows_left_)));
  while (rows_left_ > 0 && MAKEGOOD_TRY(row.next())) {
    if (take_in(read_message(row))) looked_to = rows.back()->sequence;
  }
  return {};
}

Result<> LogReader::read_beyond(const LogRange& range, const Filter& filter, const NumberSet& left_out) {
  looked_to = range.after;
  if (is_idle_ || !unread.empty()) return {};
  Search search{.until = range.until, .filter = filter, .left_out = left_out, .sieve = Sieve(filter)};
  for (Pace pace = Pace::passing; pace != Pace::at_end;) {
    pace = MAKEGOOD_TRY(pace == Pace::passing ? pass(search) : read(search));
  }
  if (!is_cut) looked_to = std::max(range.after, range.until);
  return {};
}

LogReader::Pace LogReader::cut() {
  is_cut = true;
  return Pace::at_end;
}

/// Up to the first row that is wanted, which is left to `read`.
Result<LogReader::Pace> LogReader::pass(Search& search) {
  Rows row = MAKEGOOD_TRY(connection_.query(sql::pass_beyond, looked_to, search.until, no_limit));
  while (MAKEGOOD_TRY(row.next())) {
    if (is_full()) return cut();
    if (MAKEGOOD_TRY(is_wanted(row, search))) return Pace::reading;
    --passed_left_;
    looked_to = row.integer(sequence_column);
  }
  return Pace::at_end;
}

/// As long as many are wanted.
Result<LogReader::Pace> LogReader::read(Search& search) {
  Rows row = MAKEGOOD_TRY(connection_.query(sql::read_beyond, looked_to, search.until, std::int64_t{-1}));
  for (int strangers = 0; MAKEGOOD_TRY(row.next());) {
    if (is_full()) return cut();
    if (MAKEGOOD_TRY(is_wanted(row, search))) {
      if (!take_in(read_message(row))) return cut();
      strangers = 0;
    } else {
      --passed_left_;
      ++strangers;
    }
    looked_to = row.integer(sequence_column);
    if (strangers == strangers_max) return Pace::passing;
  }
  return Pace::at_end;
}

Result<bool> LogReader::is_wanted(const Rows& row, Search& search) {
  const Sequence sequence = row.integer(sequence_column);
  if (search.left_out.contains(sequence)) return false;
  const bool is_carried =
      search.sieve.wants(row.text(topic_column), row.text(tenant_id_column), row.text(dispatch_key_column),
                         static_cast<int>(row.integer(priority_column)));
  const bool is_again = search.filter.is_history && search.filter.scope;
  if (!is_carried || !is_again) return is_carried;
  Rows story = MAKEGOOD_TRY(connection_.query(sql::has_open_story, sequence, search.filter.scope->destination));
  MAKEGOOD_TRY(story.next());
  return story.integer(0) == 0;
}

}  // namespace makegood::sqlite
