#include "stores/postgres/log_reader.hpp"

#include <algorithm>
#include <limits>

#include "base/log_row.hpp"
#include "base/sieve.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/number_ranges.hpp"

namespace makegood::postgres {
namespace {

constexpr int key_column = expires_at_column + 1;
// Of statements that pass over rows.
constexpr int is_left_out_column = 5;
constexpr int passed_key_column = 6;

/// Both contents are missing from a row whose content is large.
bool has_content(const Rows& row) { return !row.is_null(payload_column) || !row.is_null(body_column); }

}  // namespace

Result<> Contents::read() {
  if (wanted_.is_empty()) return {};
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::read_messages, wanted_));
  while (rows.next()) {
    if (has_content(rows)) messages_.emplace(rows.integer(sequence_column), read_message(rows));
  }
  return {};
}

Result<MessagePtr> Contents::message(Sequence number) {
  const auto known = messages_.find(number);
  if (known != messages_.end()) return known->second;
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::read_number, number));
  return rows.next() ? read_message(rows) : MessagePtr();
}

LogReader::LogReader(const LaneReads& reads)
    : looked_to(reads.after),
      reads_(reads),
      rows_left_(reads.limits.rows_max),
      bytes_left_(reads.limits.bytes_max),
      passed_left_(reads.limits.passed_max > 0 ? reads.limits.passed_max : std::numeric_limits<std::size_t>::max()) {}

/// One more than may be needed, to tell whether there are more.
std::size_t LogReader::scan_max() const {
  const ReadLimits& limits = reads_.limits;
  if (limits.passed_max == 0) return limits.scan_max;
  return std::min(limits.rows_max + limits.passed_max + 1, limits.scan_max);
}

Step LogReader::statement() const {
  const ReadLimits& limits = reads_.limits;
  const RangeArrays ranges(united(NumberSet(reads_.holes), reads_.late));
  if (reads_.filter != nullptr) {
    const bool is_again = reads_.filter->is_history && reads_.filter->scope;
    return {sql::scan_beyond,
            Parameters(reads_.after, reads_.until, ranges.lows, ranges.highs, limits.late_max, scan_max(),
                       is_again ? reads_.filter->scope->destination : std::string(), reads_.asks_keys)};
  }
  const bool is_reading_on = reads_.until > reads_.after;
  if (ranges.lows.is_empty() && is_reading_on) {
    return {reads_.asks_keys ? sql::look_keys : sql::look_beyond, Parameters(reads_.after, limits.rows_max)};
  }
  return {sql::look_numbers,
          Parameters(reads_.after, limits.rows_max, ranges.lows, ranges.highs, limits.late_max, is_reading_on)};
}

void LogReader::take(Rows answer, Contents& contents) {
  visible.reserve(answer.count());
  reads_.filter == nullptr ? take_whole(answer) : take_heads(answer, contents);
  if (!late_.empty() && late_.size() == reads_.limits.late_max) late_end_ = late_.back().sequence;
}

void LogReader::take_whole(Rows& answer) {
  beyond_.reserve(answer.count());
  const bool has_keys = answer.column_count() > key_column;
  while (answer.next()) {
    const Sequence sequence = answer.integer(sequence_column);
    visible.push_back(sequence);
    auto& candidates = sequence <= reads_.after ? late_ : beyond_;
    candidates.push_back({.sequence = sequence,
                          .key = has_keys ? answer.integer_or_null(key_column) : KeyNumber(),
                          .message = has_content(answer) ? read_message(answer) : nullptr});
  }
}

void LogReader::take_heads(Rows& answer, Contents& contents) {
  Sieve sieve(*reads_.filter);
  std::size_t wanted_count = 0;
  while (answer.next()) {
    const MessageHead head = read_message_head(answer);
    visible.push_back(head.sequence);
    const bool is_late = head.sequence <= reads_.after;
    const bool is_wanted =
        is_late || (!answer.boolean(is_left_out_column) && (is_main() || !reads_.left_out->contains(head.sequence)) &&
                    sieve.wants(head.topic, head.tenant_id, head.dispatch_key, head.priority));
    (is_late ? late_ : beyond_)
        .push_back(
            {.sequence = head.sequence, .key = answer.integer_or_null(passed_key_column), .is_wanted = is_wanted});
    if (is_wanted && wanted_count++ < reads_.limits.rows_max) contents.want(head.sequence);
  }
}

/// False: it does not fit.
Result<bool> LogReader::take_in(Candidate& candidate, Contents& contents) {
  MessagePtr message = std::move(candidate.message);
  if (message == nullptr) message = MAKEGOOD_TRY(contents.message(candidate.sequence));
  if (message == nullptr) return true;  // Deleted by hand since.
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

void LogReader::add_late(const NumberSet& numbers, Contents& contents) {
  const NumberSet unseen = without(numbers, visible);
  for (const NumberRange& range : unseen.ranges()) {
    for (Sequence number = range.low; number <= range.high; ++number) {
      late_.push_back({.sequence = number});
      visible.push_back(number);
      contents.want(number);
    }
  }
  std::ranges::sort(late_, {}, &Candidate::sequence);
  std::ranges::sort(visible);
}

bool LogReader::is_hole(Sequence number) const { return std::ranges::binary_search(reads_.holes, number); }

NumberSet LogReader::not_looked_at() const {
  if (!late_end_) return {};
  return without(without(reads_.late, up_to(reads_.late, *late_end_)), visible);
}

Result<> LogReader::finish_numbers(Contents& contents, LateRows& late) {
  rows.reserve(std::min(reads_.limits.rows_max, late_.size() + beyond_.size()));
  MAKEGOOD_TRY(finish_holes(contents));
  const bool may_read_late = is_main() && !is_idle() && unread.empty();
  return may_read_late ? finish_late(contents, late) : Result<>();
}

Result<> LogReader::finish_holes(Contents& contents) {
  // All up to here have been looked at: those without a row will never have one.
  Sequence looked_at = std::numeric_limits<Sequence>::max();
  if (is_idle()) looked_at = std::numeric_limits<Sequence>::min();
  if (late_end_) looked_at = *late_end_;
  for (Candidate& candidate : late_) {
    if (!is_hole(candidate.sequence)) continue;
    if (rows_left_ > 0 && MAKEGOOD_TRY(take_in(candidate, contents))) continue;
    looked_at = candidate.sequence - 1;
    break;
  }
  unread.assign(std::ranges::upper_bound(reads_.holes, looked_at), reads_.holes.end());
  is_cut = !unread.empty() && !is_idle();
  return {};
}

/// By number. One whose key is among those that were left before is left to them, and then what was left behind it
/// waits with it: it may be of the same key.
Result<> LogReader::finish_late(Contents& contents, LateRows& late) {
  const NumberSet known = late.numbers();
  NumberSet taken;
  NumberSet left;
  bool is_held_up = false;
  for (Candidate& candidate : late_) {
    if (is_hole(candidate.sequence)) continue;
    const bool is_known = known.contains(candidate.sequence);
    is_held_up = is_held_up || (!is_known && late.has(candidate.key));
    const bool is_next = is_known ? !is_held_up : !late.has(candidate.key);
    const bool is_taken = is_next && rows_left_ > 0 && MAKEGOOD_TRY(take_in(candidate, contents));
    (is_taken ? taken : left).append(candidate.sequence);
    if (!is_taken) late.add_key(candidate.key);
  }
  late.add(left);
  late.remove(taken);
  late.remove(without(without(reads_.late, not_looked_at()), visible));  // Deleted by hand since.
  return {};
}

Result<> LogReader::finish_beyond(Contents& contents, LateRows& late) {
  if (is_idle() || !unread.empty()) return {};
  NumberSet left;
  for (Candidate& candidate : beyond_) {
    const bool is_full = rows_left_ == 0 || passed_left_ == 0;
    const bool is_behind = candidate.is_wanted && late.has(candidate.key);
    const bool is_stopped = is_full || (is_behind && !is_main());
    if (is_stopped || (candidate.is_wanted && !is_behind && !MAKEGOOD_TRY(take_in(candidate, contents)))) {
      is_cut = true;
      break;
    }
    if (is_behind) left.append(candidate.sequence);
    if (!candidate.is_wanted) --passed_left_;
    looked_to = candidate.sequence;
  }
  late.add(left);
  is_cut = is_cut || (is_main() && !late.numbers().empty());
  const bool is_through = beyond_.empty() || looked_to == beyond_.back().sequence;
  is_scan_short = is_through && reads_.filter != nullptr && beyond_.size() == scan_max();
  is_cut = is_cut || is_scan_short;
  const bool has_end = reads_.until < std::numeric_limits<Sequence>::max();
  if (is_through && !is_scan_short && has_end) looked_to = std::max(reads_.after, reads_.until);
  return {};
}

}  // namespace makegood::postgres
