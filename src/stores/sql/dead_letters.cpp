// The dead letters that pass a filter. The database does the passing: only what is wanted is read.
#include "base/parked_row.hpp"
#include "base/story.hpp"
#include "makegood/events.hpp"
#include "stores/sql/outbox_view.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::relational {
namespace {

constexpr std::string_view event_prefix = "makegood.";
static_assert(is_event_topic(event_prefix));

/// A statement whose first eight parameters are a filter, in which an empty text and a NULL mean: all. The last two say
/// what a topic must look like, and what it must not begin with. `values` come after them.
template <class... Values>
Result<RowsPtr> query_dead(Database& database, std::string_view sql, const DeadFilter& filter,
                           const Values&... values) {
  const std::string_view state = filter.state ? to_string(*filter.state) : std::string_view();
  const bool is_every_topic = filter.topic.empty() || filter.topic == "*";
  // What Makegood tells of itself is for those who ask for it by name.
  const bool is_without_events = !is_every_topic && !is_event_topic(filter.topic);
  return database.query(sql, filter.tenant_id, filter.destination, filter.error_code, state, filter.changed_from,
                        filter.changed_until, is_every_topic ? "" : database.topic_pattern(filter.topic),
                        is_without_events ? event_prefix : std::string_view(), values...);
}

/// A row of list_dead or read_dead_letter.
Result<DeadLetter> dead_letter_in(const Rows& row) {
  DeadLetter letter{.parked = MAKEGOOD_TRY(read_parked(row)),
                    .topic = std::string(row.text(parked_columns + 2)),
                    .event_id = {},
                    .changed_at = row.time(parked_columns),
                    .story = {}};
  letter.event_id = letter.parked.event_id;
  // A database may have its own way to write JSON down.
  letter.story = encode_story(MAKEGOOD_TRY(decode_story(row.text(parked_columns + 1))));
  return letter;
}

}  // namespace

Result<std::vector<DeadLetter>> View::list_dead(const DeadFilter& filter, const DeadCursor& after,
                                                std::size_t rows_max) {
  std::vector<DeadLetter> letters;
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const RowsPtr rows =
      MAKEGOOD_TRY(query_dead(database_, sql().list_dead, filter, after.sequence, after.destination, rows_max));
  while (MAKEGOOD_TRY(rows->next())) letters.push_back(MAKEGOOD_TRY(dead_letter_in(*rows)));
  return letters;
}

Result<std::size_t> View::count_dead(const DeadFilter& filter) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const RowsPtr count = MAKEGOOD_TRY(query_dead(database_, sql().count_dead_letters, filter));
  MAKEGOOD_TRY(count->next());
  return count->count(0);
}

Result<std::vector<DeadGroup>> View::group_dead(const DeadFilter& filter, std::size_t rows_max) {
  std::vector<DeadGroup> groups;
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const RowsPtr rows = MAKEGOOD_TRY(query_dead(database_, sql().group_dead, filter, rows_max));
  while (MAKEGOOD_TRY(rows->next())) {
    groups.push_back({.topic = std::string(rows->text(0)),
                      .destination = std::string(rows->text(1)),
                      .error_code = std::string(rows->text(2)),
                      .count = rows->count(3),
                      .first_at = rows->time(4),
                      .last_at = rows->time(5),
                      .example = rows->integer(6),
                      .example_error = std::string(rows->text(7))});
  }
  return groups;
}

Result<DeadLetter> View::inspect(std::string_view tenant_id, Sequence sequence, std::string_view destination) {
  const Error not_there{Errc::not_found, "There is no such parked delivery."};
  if (destination.empty()) return not_there;
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const RowsPtr row = MAKEGOOD_TRY(database_.query(sql().read_dead_letter, sequence, destination));
  if (!MAKEGOOD_TRY(row->next())) return not_there;
  DeadLetter letter = MAKEGOOD_TRY(dead_letter_in(*row));
  const bool is_theirs = tenant_id.empty() || tenant_id == letter.parked.tenant_id;
  if (!is_theirs) return not_there;
  return letter;
}

}  // namespace makegood::relational
