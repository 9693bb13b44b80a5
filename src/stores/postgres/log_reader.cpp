#include "stores/postgres/log_reader.hpp"

#include <algorithm>
#include <limits>

#include "base/log_row.hpp"
#include "base/sieve.hpp"
#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {
namespace {

constexpr int is_left_out_column = 5;

/// Both contents are missing from a row whose content is large.
bool has_content(const Rows& row) { return !row.is_null(payload_column) || !row.is_null(body_column); }

struct RangeArrays {
  explicit RangeArrays(std::span<const Sequence> numbers) {
    for (const NumberRange& range : ranges_of(numbers)) {
      lows.add(range.low);
      highs.add(range.high);
    }
  }
  Array lows{Type::bigint};
  Array highs{Type::bigint};
};

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
  const auto rows_max = static_cast<std::int64_t>(reads_.limits.rows_max);
  const RangeArrays ranges(reads_.numbers);
  if (reads_.filter != nullptr) {
    const bool is_again = reads_.filter->is_history && reads_.filter->scope;
    return {sql::scan_beyond, Parameters(reads_.after, reads_.until, ranges.lows, ranges.highs, rows_max, scan_max(),
                                         is_again ? reads_.filter->scope->destination : std::string())};
  }
  if (reads_.numbers.empty()) return {sql::look_beyond, Parameters(reads_.after, rows_max)};
  return {sql::look_numbers, Parameters(reads_.after, rows_max, ranges.lows, ranges.highs)};
}

void LogReader::take(Rows answer, Contents& contents) {
  visible.reserve(answer.count());
  reads_.filter == nullptr ? take_whole(answer) : take_heads(answer, contents);
}

void LogReader::take_whole(Rows& answer) {
  beyond_.reserve(answer.count());
  while (answer.next()) {
    const Sequence sequence = answer.integer(sequence_column);
    visible.push_back(sequence);
    auto& candidates = sequence <= reads_.after ? late_ : beyond_;
    candidates.push_back({.sequence = sequence, .message = has_content(answer) ? read_message(answer) : nullptr});
  }
}

void LogReader::take_heads(Rows& answer, Contents& contents) {
  Sieve sieve(*reads_.filter);
  std::size_t wanted_count = 0;
  while (answer.next()) {
    const MessageHead head = read_message_head(answer);
    visible.push_back(head.sequence);
    const bool is_late = head.sequence <= reads_.after;
    const bool is_wanted = is_late || (!answer.boolean(is_left_out_column) &&
                                       !std::ranges::binary_search(reads_.left_out, head.sequence) &&
                                       sieve.wants(head.topic, head.tenant_id, head.dispatch_key, head.priority));
    (is_late ? late_ : beyond_).push_back({.sequence = head.sequence, .is_wanted = is_wanted});
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

Result<> LogReader::finish(Contents& contents) {
  rows.reserve(std::min(reads_.limits.rows_max, late_.size() + beyond_.size()));
  MAKEGOOD_TRY(finish_numbers(contents));
  if (unread.empty() && !is_idle()) MAKEGOOD_TRY(finish_beyond(contents));
  return {};
}

Result<> LogReader::finish_numbers(Contents& contents) {
  // All up to here have been looked at: those without a row are open, or will never have one.
  Sequence looked_at = std::numeric_limits<Sequence>::max();
  if (is_idle()) looked_at = std::numeric_limits<Sequence>::min();
  for (Candidate& candidate : late_) {
    if (rows_left_ > 0 && MAKEGOOD_TRY(take_in(candidate, contents))) continue;
    looked_at = candidate.sequence - 1;
    break;
  }
  const bool may_be_more = late_.size() == reads_.limits.rows_max;
  if (may_be_more && !late_.empty()) looked_at = std::min(looked_at, late_.back().sequence);
  unread.assign(std::ranges::upper_bound(reads_.numbers, looked_at), reads_.numbers.end());
  is_cut = !unread.empty() && !is_idle();
  return {};
}

Result<> LogReader::finish_beyond(Contents& contents) {
  for (Candidate& candidate : beyond_) {
    const bool is_full = rows_left_ == 0 || passed_left_ == 0;
    if (is_full || (candidate.is_wanted && !MAKEGOOD_TRY(take_in(candidate, contents)))) {
      is_cut = true;
      return {};
    }
    if (!candidate.is_wanted) --passed_left_;
    looked_to = candidate.sequence;
  }
  is_scan_short = reads_.filter != nullptr && beyond_.size() == scan_max();
  is_cut = is_scan_short;
  const bool has_end = reads_.until < std::numeric_limits<Sequence>::max();
  if (!is_cut && has_end) looked_to = std::max(reads_.after, reads_.until);
  return {};
}

}  // namespace makegood::postgres
