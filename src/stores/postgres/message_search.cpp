#include "stores/postgres/message_search.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/log_row.hpp"
#include "base/parked_row.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/outbox_view.hpp"

namespace makegood::postgres {
namespace {

constexpr std::size_t chunk_max = 5'000;
/// In a row of scan_messages or heads_of; the time from which it may be sent comes after it.
constexpr int created_column = event_id_column + 1;

using Digests = std::map<Sequence, ParkedDigest>;

/// A row of scan_messages or heads_of.
MessageSummary summary_in(const Rows& row) {
  MessageSummary summary{.sequence = row.integer(sequence_column),
                         .event_id = std::string(row.text(event_id_column)),
                         .tenant_id = std::string(row.text(tenant_id_column)),
                         .topic = std::string(row.text(topic_column)),
                         .dispatch_key = std::string(row.text(dispatch_key_column)),
                         .priority = static_cast<int>(row.integer(priority_column)),
                         .created_at = row.time(created_column)};
  const auto available_at = row.time_or_null(created_column + 1);
  if (available_at != summary.created_at) summary.available_at = available_at;
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

/// All but the state, which costs another question. What is passed over is not copied.
bool may_pass(const MessageFilter& filter, const Rows& head) {
  return !is_deleted(head) && is_wanted(filter, read_message_head(head), head.text(event_id_column)) &&
         is_wanted_time(filter, head.time(created_column));
}

/// What is looked at together.
struct Chunk {
  std::vector<Sequence> numbers = {};       ///< All, downwards.
  std::vector<MessageSummary> wanted = {};  ///< Those of them that may pass the filter.
};

Chunk chunk_of(Rows heads, const MessageFilter& filter, Sequence last) {
  Chunk chunk;
  while (heads.next()) {
    const Sequence sequence = heads.integer(sequence_column);
    if (sequence == last) continue;  // Kept, and drawn again since by a counter that was set back.
    last = sequence;
    chunk.numbers.push_back(sequence);
    if (!may_pass(filter, heads)) continue;
    chunk.wanted.push_back(summary_in(heads));
  }
  return chunk;
}

Result<Digests> read_digests(Connection& connection, const std::vector<MessageSummary>& messages) {
  Digests digests;
  Array numbers(Type::bigint);
  for (const MessageSummary& message : messages) numbers.add(message.sequence);
  if (numbers.is_empty()) return digests;
  Rows rows = MAKEGOOD_TRY(connection.query(sql::parked_of, numbers));
  while (rows.next()) {
    const Parked parked = MAKEGOOD_TRY(read_parked(rows));
    digests[parked.sequence].add(parked, rows.time(parked_columns));
  }
  return digests;
}

bool is_published_unknown(const MessageSummary& message) {
  return message.state == MessageState::done && !message.published_at;
}

Result<> add_publications(Connection& connection, std::span<MessageSummary> messages) {
  Array numbers(Type::bigint);
  for (const MessageSummary& message : messages) {
    if (is_published_unknown(message)) numbers.add(message.sequence);
  }
  if (numbers.is_empty()) return {};
  Rows turns = MAKEGOOD_TRY(connection.query(sql::published_at, numbers));
  for (MessageSummary& message : messages) {
    if (is_published_unknown(message) && turns.next()) message.published_at = turns.time_or_null(0);
  }
  return {};
}

}  // namespace

Result<std::optional<MessageSummary>> read_summary(Connection& connection, const Standing& standing,
                                                   Sequence sequence) {
  Array number(Type::bigint);
  number.add(sequence);
  Rows head = MAKEGOOD_TRY(connection.query(sql::heads_of, number));
  head.next();
  if (is_deleted(head)) return std::optional<MessageSummary>();
  std::vector summaries = {summary_in(head)};
  Digests digests = MAKEGOOD_TRY(read_digests(connection, summaries));
  const ParkedDigest& parked = digests[sequence];
  describe(summaries[0], standing.state_of(head_in(summaries[0]), parked), parked);
  MAKEGOOD_TRY(add_publications(connection, summaries));
  return std::optional(std::move(summaries[0]));
}

MessageSearch::MessageSearch(Connection& connection, const Standing& standing, const MessageFilter& filter,
                             std::size_t rows_max)
    : connection_(connection),
      standing_(standing),
      filter_(filter),
      rows_max_(rows_max),
      chunk_(std::min(rows_max + 1, chunk_max)),
      last_(0) {}

Result<MessagePage> MessageSearch::run(Sequence before) {
  last_ = before;
  if (!filter_.event_id.empty()) {
    MAKEGOOD_TRY(look_up_event(before));
  } else if (!filter_.state) {
    MAKEGOOD_TRY(pass_log(0, before));
  } else {
    MAKEGOOD_TRY(look_for_state(*filter_.state, before));
  }
  MAKEGOOD_TRY(add_publications(connection_, page_.messages));
  return std::move(page_);
}

/// What has not ended lies beyond what is settled, or is parked; what has ended badly is parked.
Result<> MessageSearch::look_for_state(MessageState state, Sequence before) {
  const Sequence settled = standing_.settled();
  const Sequence before_settled = std::min(before, settled + 1);
  switch (state) {
    case MessageState::pending:
      MAKEGOOD_TRY(pass_log(settled, before));
      return pass_numbers(before_settled, sql::waiting_numbers);
    case MessageState::leased:
      MAKEGOOD_TRY(pass_log(settled, before));
      return pass_numbers(before_settled, sql::under_way_numbers);
    case MessageState::done:
      return pass_log(0, std::min(before, standing_.reached() + 1));
    case MessageState::dead:
    case MessageState::quarantined:
      return pass_numbers(before, sql::dead_numbers, to_string(state));
  }
  std::unreachable();
}

Result<> MessageSearch::look_up_event(Sequence before) {
  Array numbers(Type::bigint);
  for (const EventNumber& number : MAKEGOOD_TRY(read_event_numbers(connection_, filter_.tenant_id, filter_.event_id))) {
    if (number.sequence < before) numbers.add(number.sequence);
  }
  return look_at(numbers);
}

template <class... Values>
Result<> MessageSearch::pass_numbers(Sequence before, std::string_view sql, const Values&... values) {
  for (bool is_last = false; !is_cut_ && !is_last;) {
    const std::size_t chunk = next_chunk();
    Rows rows = MAKEGOOD_TRY(connection_.query(sql, before, chunk, values...));
    is_last = rows.count() < chunk;
    Array numbers(Type::bigint);
    while (rows.next()) {
      before = rows.integer(0);
      numbers.add(before);
    }
    MAKEGOOD_TRY(look_at(numbers));
  }
  return {};
}

Result<> MessageSearch::pass_log(Sequence floor, Sequence before) {
  for (bool is_last = false; !is_cut_ && !is_last; before = last_) {
    const std::size_t chunk = next_chunk();
    Rows heads = MAKEGOOD_TRY(connection_.query(sql::scan_messages, floor, before, chunk));
    is_last = heads.count() < chunk;
    MAKEGOOD_TRY(look_at(std::move(heads)));
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

Result<> MessageSearch::look_at(const Array& numbers) {
  if (numbers.is_empty()) return {};
  return look_at(MAKEGOOD_TRY(connection_.query(sql::heads_of, numbers)));
}

Result<> MessageSearch::look_at(Rows heads) {
  Chunk chunk = chunk_of(std::move(heads), filter_, last_);
  Digests digests = MAKEGOOD_TRY(read_digests(connection_, chunk.wanted));
  auto next = chunk.wanted.begin();
  for (const Sequence sequence : chunk.numbers) {
    if (!may_look_at(sequence)) return {};
    if (next == chunk.wanted.end() || next->sequence != sequence) continue;
    MessageSummary& summary = *next++;
    const ParkedDigest& parked = digests[sequence];
    const MessageState state = standing_.state_of(head_in(summary), parked);
    if (filter_.state && state != *filter_.state) continue;
    describe(summary, state, parked);
    page_.messages.push_back(std::move(summary));
  }
  return {};
}

Result<MessagePage> View::list(const MessageFilter& filter, std::optional<Sequence> before, std::size_t rows_max) {
  auto snapshot = MAKEGOOD_TRY(begin_view(connection_));
  const Standing standing = MAKEGOOD_TRY(read_standing(connection_, false));
  return MessageSearch(connection_, standing, filter, rows_max)
      .run(before.value_or(std::numeric_limits<Sequence>::max()));
}

}  // namespace makegood::postgres
