#include "stores/sql/message_search.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/log_row.hpp"
#include "base/parked_row.hpp"
#include "base/turn_row.hpp"
#include "stores/sql/outbox_view.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::relational {
namespace {

constexpr std::size_t chunk_max = 5'000;
/// In a row of scan_messages or heads_of; the time from which it may be sent comes after it. A store may leave both out
/// of scan_messages while no filter asks for them.
constexpr int created_column = event_id_column + 1;

using Digests = std::map<Sequence, ParkedDigest>;

void set_times(MessageSummary& summary, const Rows& row, int first) {
  summary.created_at = row.time(first);
  const auto available_at = row.time_or_null(first + 1);
  const bool is_due_later = summary.available_at.has_value();  // As a parked delivery says.
  if (!is_due_later && available_at != summary.created_at) summary.available_at = available_at;
}

/// A row of scan_messages or heads_of.
MessageSummary summary_in(const Rows& row) {
  MessageSummary summary{.sequence = row.integer(sequence_column),
                         .event_id = std::string(row.text(event_id_column)),
                         .tenant_id = std::string(row.text(tenant_id_column)),
                         .topic = std::string(row.text(topic_column)),
                         .dispatch_key = std::string(row.text(dispatch_key_column)),
                         .priority = static_cast<int>(row.integer(priority_column))};
  if (!row.is_null(created_column)) set_times(summary, row, created_column);
  return summary;
}

MessageHead head_in(const MessageSummary& summary) {
  return {.sequence = summary.sequence,
          .tenant_id = summary.tenant_id,
          .topic = summary.topic,
          .dispatch_key = summary.dispatch_key,
          .priority = summary.priority};
}

bool is_deleted(const Rows& head) { return head.is_null(topic_column); }

bool is_timed(const MessageFilter& filter) { return filter.created_from || filter.created_until; }

/// All but the state, which costs another question. What is passed over is not copied.
bool may_pass(const MessageFilter& filter, const Rows& head) {
  return !is_deleted(head) && is_wanted(filter, read_message_head(head), head.text(event_id_column)) &&
         (!is_timed(filter) || is_wanted_time(filter, head.time(created_column)));
}

/// What is looked at together.
struct Chunk {
  std::size_t row_count = 0;
  Numbers numbers = {};                     ///< All, downwards.
  std::vector<MessageSummary> wanted = {};  ///< Those of them that may pass the filter.
};

Result<Chunk> chunk_of(Rows& heads, const MessageFilter& filter, Sequence last) {
  Chunk chunk;
  while (MAKEGOOD_TRY(heads.next())) {
    ++chunk.row_count;
    const Sequence sequence = heads.integer(sequence_column);
    if (sequence == last) continue;  // Kept, and drawn again since by a counter that was set back.
    last = sequence;
    chunk.numbers.push_back(sequence);
    if (may_pass(filter, heads)) chunk.wanted.push_back(summary_in(heads));
  }
  return chunk;
}

Result<Digests> read_digests(Database& database, const std::vector<MessageSummary>& messages) {
  Digests digests;
  Numbers numbers;
  std::map<Sequence, std::string_view> events;
  for (const MessageSummary& message : messages) {
    numbers.push_back(message.sequence);
    events[message.sequence] = message.event_id;
  }
  if (numbers.empty()) return digests;
  const RowsPtr rows = MAKEGOOD_TRY(database.query(database.statements().parked_of, numbers));
  while (MAKEGOOD_TRY(rows->next())) {
    const Parked parked = MAKEGOOD_TRY(read_parked(*rows));
    if (parked.event_id != events[parked.sequence]) continue;  // Of another message that had the number before.
    digests[parked.sequence].add(parked, rows->time(parked_columns));
  }
  return digests;
}

/// The numbers of those for which something is unknown.
template <class Unknown>
Numbers numbers_of(std::span<const MessageSummary> messages, Unknown unknown) {
  Numbers numbers;
  for (const MessageSummary& message : messages) {
    if (unknown(message)) numbers.push_back(message.sequence);
  }
  return numbers;
}

bool is_publication_unknown(const MessageSummary& message) {
  return message.state == MessageState::done && !message.published_at;
}

bool is_creation_unknown(const MessageSummary& message) { return message.created_at == TimePoint(); }

/// The times that their rows did not tell.
Result<> add_times(Database& database, std::span<MessageSummary> messages) {
  const Numbers published = numbers_of(messages, is_publication_unknown);
  const Numbers created = numbers_of(messages, is_creation_unknown);
  std::vector<Step> steps;
  if (!published.empty()) steps.emplace_back(database.statements().published_at, published, main_lane);
  if (!created.empty()) steps.emplace_back(database.statements().times_of, created);
  if (steps.empty()) return {};
  const auto answers = MAKEGOOD_TRY(database.run(steps));
  Rows& turns = *answers.front();
  Rows& times = *answers.back();
  for (MessageSummary& message : messages) {
    const bool is_new = is_creation_unknown(message);
    if (is_publication_unknown(message) && MAKEGOOD_TRY(turns.next())) message.published_at = turns.time_or_null(0);
    if (is_new && MAKEGOOD_TRY(times.next())) set_times(message, times, 0);
  }
  return {};
}

}  // namespace

Result<std::optional<MessageSummary>> read_summary(Database& database, const Standing& standing, Sequence sequence) {
  const RowsPtr head = MAKEGOOD_TRY(database.one(database.statements().heads_of, Numbers{sequence}));
  if (is_deleted(*head)) return std::optional<MessageSummary>();
  std::vector summaries = {summary_in(*head)};
  Digests digests = MAKEGOOD_TRY(read_digests(database, summaries));
  const ParkedDigest& parked = digests[sequence];
  describe(summaries[0], standing.state_of(head_in(summaries[0]), parked), parked);
  MAKEGOOD_TRY(add_times(database, summaries));
  return std::optional(std::move(summaries[0]));
}

MessageSearch::MessageSearch(Database& database, const Standing& standing, const MessageFilter& filter,
                             std::size_t rows_max)
    : database_(database),
      sql_(database.statements()),
      standing_(standing),
      filter_(filter),
      rows_max_(rows_max),
      chunk_(std::min(rows_max + 1, chunk_max)) {}

Result<MessagePage> MessageSearch::run(Sequence before) {
  last_ = before;
  if (!filter_.event_id.empty()) {
    MAKEGOOD_TRY(look_up_event(before));
  } else if (!filter_.state) {
    MAKEGOOD_TRY(pass_log(0, before));
  } else {
    MAKEGOOD_TRY(look_for_state(*filter_.state, before));
  }
  MAKEGOOD_TRY(add_times(database_, page_.messages));
  return std::move(page_);
}

/// What has not ended lies beyond what is settled, or is parked; what has ended badly is parked.
Result<> MessageSearch::look_for_state(MessageState state, Sequence before) {
  const Sequence settled = standing_.settled();
  const Sequence before_settled = std::min(before, settled + 1);
  switch (state) {
    case MessageState::pending:
      MAKEGOOD_TRY(pass_log(settled, before));
      return pass_numbers(before_settled, sql_.waiting_numbers);
    case MessageState::leased:
      MAKEGOOD_TRY(pass_log(settled, before));
      return pass_numbers(before_settled, sql_.under_way_numbers);
    case MessageState::done:
      return pass_log(0, std::min(before, standing_.reached() + 1));
    case MessageState::dead:
    case MessageState::quarantined:
      return pass_numbers(before, sql_.dead_numbers, to_string(state));
  }
  std::unreachable();
}

Result<> MessageSearch::look_up_event(Sequence before) {
  Numbers numbers;
  for (const EventNumber& number : MAKEGOOD_TRY(read_event_numbers(database_, filter_.tenant_id, filter_.event_id))) {
    if (number.sequence < before) numbers.push_back(number.sequence);
  }
  return look_at(numbers);
}

template <class... Values>
Result<> MessageSearch::pass_numbers(Sequence before, std::string_view sql, const Values&... values) {
  for (bool is_last = false; !is_cut_ && !is_last;) {
    const std::size_t chunk = next_chunk();
    const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql, before, chunk, values...));
    Numbers numbers;
    while (MAKEGOOD_TRY(rows->next())) numbers.push_back(rows->integer(0));
    is_last = numbers.size() < chunk;
    if (!numbers.empty()) before = numbers.back();
    MAKEGOOD_TRY(look_at(numbers));
  }
  return {};
}

Result<> MessageSearch::pass_log(Sequence floor, Sequence before) {
  for (bool is_last = false; !is_cut_ && !is_last; before = last_) {
    const std::size_t chunk = next_chunk();
    const RowsPtr heads = MAKEGOOD_TRY(database_.query(sql_.scan_messages, floor, before, chunk, is_timed(filter_)));
    is_last = MAKEGOOD_TRY(look_at(*heads)) < chunk;
  }
  return {};
}

std::size_t MessageSearch::next_chunk() {
  const std::size_t chunk = chunk_;
  chunk_ = std::min(chunk_ * 4, chunk_max);
  return chunk;
}

bool MessageSearch::may_look_at(Sequence sequence) {
  is_cut_ = page_.messages.size() >= rows_max_ || looked_ >= looked_max;
  if (is_cut_) {
    page_.next = last_;
    return false;
  }
  ++looked_;
  last_ = sequence;
  return true;
}

Result<> MessageSearch::look_at(const Numbers& numbers) {
  if (numbers.empty()) return {};
  const RowsPtr heads = MAKEGOOD_TRY(database_.query(sql_.heads_of, numbers));
  MAKEGOOD_TRY(look_at(*heads));
  return {};
}

Result<std::size_t> MessageSearch::look_at(Rows& heads) {
  Chunk chunk = MAKEGOOD_TRY(chunk_of(heads, filter_, last_));
  Digests digests = MAKEGOOD_TRY(read_digests(database_, chunk.wanted));
  auto next = chunk.wanted.begin();
  for (const Sequence sequence : chunk.numbers) {
    if (!may_look_at(sequence)) break;
    if (next == chunk.wanted.end() || next->sequence != sequence) continue;
    MessageSummary& summary = *next++;
    const ParkedDigest& parked = digests[sequence];
    const MessageState state = standing_.state_of(head_in(summary), parked);
    if (filter_.state && state != *filter_.state) continue;
    describe(summary, state, parked);
    page_.messages.push_back(std::move(summary));
  }
  return chunk.row_count;
}

Result<MessagePage> View::list(const MessageFilter& filter, std::optional<Sequence> before, std::size_t rows_max) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const Standing standing = MAKEGOOD_TRY(read_standing(database_, false));
  return MessageSearch(database_, standing, filter, rows_max)
      .run(before.value_or(std::numeric_limits<Sequence>::max()));
}

}  // namespace makegood::relational
