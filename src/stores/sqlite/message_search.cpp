#include "stores/sqlite/message_search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/log_row.hpp"
#include "base/parked_row.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/outbox_view.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {
namespace {

MessageSummary summary_in(const Rows& row) {
  return {.sequence = row.integer(sequence_column),
          .event_id = std::string(row.text(event_id_column)),
          .tenant_id = std::string(row.text(tenant_id_column)),
          .topic = std::string(row.text(topic_column)),
          .dispatch_key = std::string(row.text(dispatch_key_column)),
          .priority = static_cast<int>(row.integer(priority_column))};
}

Result<> add_times(Connection& connection, MessageSummary& summary) {
  Rows times = MAKEGOOD_TRY(connection.query(sql::read_times, summary.sequence));
  if (!MAKEGOOD_TRY(times.next())) return {};
  summary.created_at = times.time(0);
  const auto available_at = times.integer_or_null(1);
  if (available_at && *available_at != times.integer(0)) summary.available_at = from_milliseconds(*available_at);
  return {};
}

Result<> add_publication(Connection& connection, MessageSummary& summary) {
  if (summary.state != MessageState::done || summary.published_at) return {};
  Rows turn = MAKEGOOD_TRY(connection.query(sql::published_at, summary.sequence));
  if (MAKEGOOD_TRY(turn.next()) && !turn.is_null(0)) summary.published_at = turn.time(0);
  return {};
}

Result<ParkedDigest> read_digest(Connection& connection, Sequence sequence) {
  ParkedDigest digest;
  Rows rows = MAKEGOOD_TRY(connection.query(sql::read_parked, sequence, std::string_view()));
  while (MAKEGOOD_TRY(rows.next())) {
    digest.add(MAKEGOOD_TRY(read_parked(rows)), rows.time(parked_columns));
  }
  return digest;
}

/// Nothing: the filter leaves it out. What costs most is asked last.
Result<std::optional<MessageSummary>> summarize(Connection& connection, const Standing& standing,
                                                const MessageFilter& filter, const Rows& row) {
  const MessageHead head = read_message_head(row);
  if (!is_wanted(filter, head, row.text(event_id_column))) return std::optional<MessageSummary>();
  MessageSummary summary = summary_in(row);
  const ParkedDigest parked = MAKEGOOD_TRY(read_digest(connection, head.sequence));
  const MessageState state = standing.state_of(head, parked);
  if (filter.state && state != *filter.state) return std::optional<MessageSummary>();
  MAKEGOOD_TRY(add_times(connection, summary));
  if (!is_wanted_time(filter, summary.created_at)) return std::optional<MessageSummary>();
  describe(summary, state, parked);
  MAKEGOOD_TRY(add_publication(connection, summary));
  return std::optional(std::move(summary));
}

}  // namespace

Result<std::optional<MessageSummary>> read_summary(Connection& connection, const Standing& standing,
                                                   Sequence sequence) {
  Rows head = MAKEGOOD_TRY(connection.query(sql::read_head, sequence));
  if (!MAKEGOOD_TRY(head.next())) return std::optional<MessageSummary>();
  return summarize(connection, standing, MessageFilter(), head);
}

MessageSearch::MessageSearch(Connection& connection, const Standing& standing, const MessageFilter& filter,
                             std::size_t rows_max)
    : connection_(connection), standing_(standing), filter_(filter), rows_max_(rows_max), last_(0) {}

Result<MessagePage> MessageSearch::run(Sequence before) {
  last_ = before;
  if (!filter_.event_id.empty()) {
    MAKEGOOD_TRY(look_up_event(before));
  } else if (!filter_.state) {
    MAKEGOOD_TRY(pass_log(0, before));
  } else {
    MAKEGOOD_TRY(look_for_state(*filter_.state, before));
  }
  return std::move(page_);
}

/// What has not ended lies beyond what is settled, or is parked; what has ended badly is parked.
Result<> MessageSearch::look_for_state(MessageState state, Sequence before) {
  const Sequence settled = standing_.settled();
  const Sequence before_settled = std::min(before, settled + 1);
  switch (state) {
    case MessageState::pending:
      MAKEGOOD_TRY(pass_log(settled, before));
      return pass_numbers(MAKEGOOD_TRY(connection_.query(sql::waiting_numbers, before_settled)));
    case MessageState::leased:
      MAKEGOOD_TRY(pass_log(settled, before));
      return pass_numbers(MAKEGOOD_TRY(connection_.query(sql::under_way_numbers, before_settled)));
    case MessageState::done:
      return pass_log(0, std::min(before, standing_.reached() + 1));
    case MessageState::dead:
    case MessageState::quarantined:
      return pass_numbers(MAKEGOOD_TRY(connection_.query(sql::dead_numbers, before, to_string(state))));
  }
  std::unreachable();
}

Result<> MessageSearch::look_up_event(Sequence before) {
  auto numbers = MAKEGOOD_TRY(read_event_numbers(connection_, filter_.tenant_id, filter_.event_id));
  std::ranges::sort(numbers, std::ranges::greater(), &EventNumber::sequence);
  for (const EventNumber& number : numbers) {
    if (number.sequence >= before) continue;
    if (!may_look_at(number.sequence)) return {};
    MAKEGOOD_TRY(look_at(number.sequence));
  }
  return {};
}

Result<> MessageSearch::pass_numbers(Rows numbers) {
  while (!is_cut_ && MAKEGOOD_TRY(numbers.next())) {
    if (may_look_at(numbers.integer(0))) MAKEGOOD_TRY(look_at(numbers.integer(0)));
  }
  return {};
}

Result<> MessageSearch::pass_log(Sequence floor, Sequence before) {
  constexpr int moment_column = event_id_column + 1;
  const bool is_timed = filter_.created_from || filter_.created_until;
  Rows head = MAKEGOOD_TRY(connection_.query(sql::scan_messages, floor, before, is_timed));
  while (!is_cut_ && MAKEGOOD_TRY(head.next())) {
    const Sequence sequence = head.integer(sequence_column);
    if (sequence == last_) continue;  // Kept, and drawn again since by a counter that was set back.
    if (!may_look_at(sequence)) break;
    const bool is_in_time = !is_timed || is_wanted_time(filter_, head.time(moment_column));
    if (is_in_time) MAKEGOOD_TRY(look_at(head));
  }
  return {};
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

Result<> MessageSearch::look_at(Sequence sequence) {
  Rows head = MAKEGOOD_TRY(connection_.query(sql::read_head, sequence));
  if (!MAKEGOOD_TRY(head.next())) return {};
  return look_at(head);
}

Result<> MessageSearch::look_at(const Rows& head) {
  auto summary = MAKEGOOD_TRY(summarize(connection_, standing_, filter_, head));
  if (summary) page_.messages.push_back(*std::move(summary));
  return {};
}

Result<MessagePage> View::list(const MessageFilter& filter, std::optional<Sequence> before, std::size_t rows_max) {
  auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
  const Standing standing = MAKEGOOD_TRY(read_standing(connection_, false));
  return MessageSearch(connection_, standing, filter, rows_max)
      .run(before.value_or(std::numeric_limits<Sequence>::max()));
}

}  // namespace makegood::sqlite
