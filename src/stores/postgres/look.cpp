// A look is one round trip: it begins the transaction that the turn will end, so that a server which restarts in
// between voids both. The log is read in one statement, which is one snapshot.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/log_mark.hpp"
#include "base/log_row.hpp"
#include "base/parked_row.hpp"
#include "base/request_row.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/number_ranges.hpp"
#include "stores/postgres/store.hpp"

namespace makegood::postgres {
namespace {

constexpr std::size_t requests_max = 100;
constexpr std::size_t scan_rows_max = 20'000;

Error fenced(const LookFor& wanted, std::string_view why) {
  return {Errc::fenced, "The store has other turns than its owner remembers; the lane has to be taken anew.",
          fmt::format("owner {}, after turn {}: {}", wanted.owner, wanted.after, why)};
}

bool is_true(Rows rows) { return rows.next() && rows.boolean(0); }

Step waiting_of(const LookFor::Due& due, const Owner& owner) {
  Array without(Type::text);
  for (const std::string& tenant : due.without_tenants) without.add(tenant);
  return {sql::read_waiting, Parameters(due.destination, owner, due.rows_max + 1, without)};
}

}  // namespace

/// The main lane first, then the side lanes. What was open until now is the main lane's, which hands it over.
std::vector<LogReader> Store::readers_of(const LookFor& wanted) {
  const bool has_late = !late_rows_.numbers().empty();
  const std::size_t late_max = has_late ? wanted.rows_max - wanted.rows_max / 4 : wanted.rows_max;
  const bool asks_keys = !wanted.open.empty();
  std::vector<LogReader> readers;
  readers.emplace_back(LaneReads{.holes = wanted.numbers,
                                 .late = united(late_rows_.first((wanted.rows_max + 1) / 2), awake_of(wanted.open)),
                                 .after = wanted.reached,
                                 .until = wanted.is_reading_on ? std::numeric_limits<Sequence>::max() : wanted.reached,
                                 .limits = {wanted.rows_max, late_max, wanted.bytes_max, wanted.passed_max, scan_rows_},
                                 .filter = wanted.filter ? &*wanted.filter : nullptr,
                                 .asks_keys = asks_keys});
  for (const LookFor::Side& side : wanted.sides) {
    readers.emplace_back(
        LaneReads{.holes = side.numbers,
                  .after = side.reached,
                  .until = side.until,
                  .limits = {side.rows_max, side.rows_max, side.bytes_max, side.passed_max, scan_rows_},
                  .filter = &side.filter,
                  .left_out = &wanted.open,
                  .asks_keys = asks_keys});
  }
  return readers;
}

/// Which of the open numbers have to be looked for.
NumberSet Store::awake_of(const NumberSet& open) const {
  return without(without(open, late_rows_.numbers()), open_numbers_.asleep());
}

void Store::forget_open() {
  open_numbers_.clear();
  late_rows_.clear();
}

struct Store::Heads {
  Sequence counter = 0;
  Sequence highest = 0;  ///< That is visible.
  TimePoint now;
  std::set<std::int64_t> ended;  ///< Transactions that are waited for.
  LogMark mark;                  ///< Of the last turn.
  LogSight seen;
};

/// The answers to a pipeline's statements, to be taken in the order in which these were added.
class Store::Answers {
 public:
  explicit Answers(std::vector<Rows> rows) : rows_(std::move(rows)) {}
  void skip(std::size_t count) { next_ += count; }
  Rows next() { return std::move(rows_.at(next_++)); }

 private:
  std::vector<Rows> rows_;
  std::size_t next_ = 0;
};

Result<Found> Store::look(const LookFor& wanted) {
  seen_to_.reset();
  auto found = try_look(wanted);
  if (!found) end_exchange();
  if (found && !found->rows.empty()) wake_up_.expect_more(world_.clock->monotonic());
  return found;
}

/// A session that is not the one of the last exchange: what the server showed there it may have forgotten.
Result<> Store::check_session() {
  MAKEGOOD_TRY(connection_.reconnect_if_lost());
  if (known_session_ == connection_.session_number()) return {};
  known_session_ = connection_.session_number();
  forget_open();
  return Error{Errc::store_unavailable, "The connection to the server was lost, and there is a new one; try again."};
}

Result<Found> Store::try_look(const LookFor& wanted) {
  const bool asks_requests = !std::exchange(has_just_no_request_, false);
  MAKEGOOD_TRY(check_session());
  late_rows_.begin(wanted.open);
  std::vector<LogReader> readers = readers_of(wanted);
  const MonotonicTime now = world_.clock->monotonic();
  const bool asks_holders = !readers.front().is_idle() && open_numbers_.wants_holders(now);

  Pipeline pipeline(connection_);
  if (connection_.is_in_transaction()) pipeline.add(verb::rollback);
  pipeline.add(verb::begin_write);
  add_settings(pipeline);
  const std::size_t before = pipeline.count();
  if (asks_holders) pipeline.add(sql::lock_holders, connection_.outbox().qualified("_number"));
  for (const LogReader& reader : readers) {
    if (!reader.is_idle()) pipeline.add(reader.statement());
  }
  // After the rows: whoever has ended by then may be the one whose rows were not looked for.
  pipeline.add(sql::look_heads, clock_now(), array_of(open_numbers_.waited_for()), lane_);
  if (wanted.is_thorough) pipeline.add(sql::row_in_cleaned, lane_);
  if (asks_requests) pipeline.add(sql::read_requests, requests_max);
  for (const LookFor::Due& due : wanted.due) pipeline.add(waiting_of(due, wanted.owner));

  Answers answers(MAKEGOOD_TRY(pipeline.run()));
  answers.skip(before);
  if (asks_holders) {
    OpenNumbers::Holders holders;
    for (Rows rows = answers.next(); rows.next();) {
      holders.emplace(rows.text(0), OpenNumbers::Holder{std::string(rows.text(1)), rows.integer(2)});
    }
    open_numbers_.saw_holders(std::move(holders), now);
  }
  return read(wanted, readers, std::move(answers), asks_requests);
}

Result<Found> Store::read(const LookFor& wanted, std::vector<LogReader>& readers, Answers answers, bool has_requests) {
  Contents contents(connection_);
  for (LogReader& reader : readers) {
    if (!reader.is_idle()) reader.take(answers.next(), contents);
  }
  Heads heads = MAKEGOOD_TRY(read_heads(wanted, answers.next()));
  if (wanted.is_thorough) heads.seen.has_row_in_cleaned = is_true(answers.next());
  Found found{.now = heads.now, .counter = heads.counter, .trouble = compare(heads.mark, heads.seen)};
  if (has_requests) MAKEGOOD_TRY(read_requests(answers.next(), found));
  for (Request& request : found.requests) {
    if (request.asked.kind == RequestKind::cancel_message) MAKEGOOD_TRY(read_all_about(request, contents));
    if (request.asked.kind == RequestKind::rewind) MAKEGOOD_TRY(read_put_away(request));
  }
  if (!is_readable(heads.mark, found.trouble)) return stopped(wanted, heads.highest, std::move(found));
  if (heads.counter < wanted.reached) return fenced(wanted, "the counter is below what was read");
  MAKEGOOD_TRY(examine_late(unknown_to(wanted, readers.front(), heads.ended)));
  if (!readers.front().is_idle()) readers.front().add_late(late_rows_.first(wanted.rows_max / 2), contents);
  MAKEGOOD_TRY(contents.read());
  for (LogReader& reader : readers) MAKEGOOD_TRY(reader.finish_numbers(contents, late_rows_));
  MAKEGOOD_TRY(examine_late(readers.front().not_looked_at()));
  for (LogReader& reader : readers) MAKEGOOD_TRY(reader.finish_beyond(contents, late_rows_));
  finish_main(wanted, readers.front(), heads.highest, found);
  for (LogReader& side : std::span(readers).subspan(1)) {
    found.is_more = found.is_more || side.is_cut;
    found.sides.push_back(
        {.looked_to = side.looked_to, .rows = std::move(side.rows), .unread = std::move(side.unread)});
  }
  for (const LookFor::Due& due : wanted.due) MAKEGOOD_TRY(read_due(due, answers.next(), contents, found));
  adapt_scan(readers);
  return found;
}

/// Nothing is read but what operators ask for. What was seen of open numbers may be of other messages.
Result<Found> Store::stopped(const LookFor& wanted, Sequence highest, Found found) {
  forget_open();
  seen_to_ = highest;
  seen_open_ = {};
  if (wants_first_row(found.requests)) found.first_row = MAKEGOOD_TRY(connection_.number(sql::first_row));
  return requests_alone(wanted, std::move(found));
}

Result<Store::Heads> Store::read_heads(const LookFor& wanted, Rows rows) {
  rows.next();
  const TimePoint start = rows.time(3);
  const bool is_same = !server_start_ || *server_start_ == start;
  server_start_ = start;
  if (!is_same) {
    forget_open();
    return Error{Errc::store_unavailable, "Another server answers than before, or it was restarted; try again."};
  }
  const bool is_last = rows.integer(6) == wanted.after && rows.text(7) == wanted.owner;
  if (wanted.after > 0 && !is_last) return fenced(wanted, "another turn is the last");
  Heads heads{.counter = rows.integer(0),
              .highest = rows.integer(1),
              .now = rows.time(2),
              .ended = {},
              .mark = MAKEGOOD_TRY(read_mark(rows, 9)),
              .seen = {.reached = rows.integer(8), .counts_by_one = rows.boolean(5)}};
  heads.seen.counter = heads.counter;
  heads.seen.highest = heads.highest;
  if (!rows.is_null(14)) heads.seen.anchor_event = rows.text(14);
  for (bool is_one = !rows.is_null(4); is_one; is_one = rows.next()) heads.ended.insert(rows.integer(4));
  return heads;
}

/// What was not looked for, and may be there.
NumberSet Store::unknown_to(const LookFor& wanted, const LogReader& main, const std::set<std::int64_t>& ended) {
  const bool is_main_blind = main.is_idle() && !wanted.sides.empty();
  NumberSet unknown = is_main_blind ? awake_of(wanted.open) : NumberSet();
  return ended.empty() ? unknown : united(unknown, open_numbers_.wake(ended));
}

/// Nothing of its keys may be read before it.
Result<> Store::examine_late(const NumberSet& numbers) {
  const NumberSet unknown = without(numbers, late_rows_.numbers());
  return unknown.empty() ? Result<>() : late_rows_.examine(connection_, unknown);
}

void Store::finish_main(const LookFor& wanted, LogReader& main, Sequence highest, Found& found) {
  found.looked_to = main.looked_to;
  // Without a filter the statement ends at the limit, and does not tell whether there is more.
  const bool is_full = !main.is_idle() && main.rows.size() == wanted.rows_max;
  found.is_more = main.is_cut || (is_full && highest > main.looked_to);
  if (!main.is_idle()) find_open(wanted, main, found);
  found.rows = std::move(main.rows);
  found.unread = std::move(main.unread);
  // What comes later is new; what was cut off is known to be there.
  seen_to_ = found.is_more || main.is_idle() || !wanted.is_reading_on ? highest : found.looked_to;
}

/// What may still appear of the numbers that were open, and of those that were passed on the way.
void Store::find_open(const LookFor& wanted, const LogReader& main, Found& found) {
  if (!main.unread.empty()) {
    found.open = wanted.open;
    return;
  }
  NumberSet missing = wanted.open;
  if (found.looked_to > wanted.reached) missing.append({wanted.reached + 1, found.looked_to});
  missing = without(without(missing, main.visible), late_rows_.numbers());
  if (late_rows_.is_blind()) open_numbers_.saw_only_some();
  seen_open_ = open_numbers_.still_open(missing, found.counter, world_.clock->monotonic());
  found.open = united(seen_open_, late_rows_.numbers());
}

void Store::adapt_scan(std::span<const LogReader> readers) {
  const bool is_short = std::ranges::any_of(readers, &LogReader::is_scan_short);
  scan_rows_ = is_short ? std::min(scan_rows_ * 4, scan_rows_max) : std::max(scan_rows_ / 2, scan_rows_min);
}

Result<> Store::read_due(const LookFor::Due& wanted, Rows rows, Contents& contents, Found& found) {
  // By their time: the first one that is not returned is the next.
  for (std::size_t count = 0; rows.next(); ++count) {
    Parked parked = MAKEGOOD_TRY(read_parked(rows));
    const bool is_due = parked.due_at <= found.now;
    if (!is_due || count == wanted.rows_max) {
      found.next_due.push_back({.destination = wanted.destination, .due_at = parked.due_at});
      found.is_more = found.is_more || is_due;
      break;
    }
    MessagePtr message = MAKEGOOD_TRY(read_one(parked, contents));
    found.due.push_back({.parked = std::move(parked), .message = std::move(message)});
  }
  return {};
}

/// From the log or from what was kept of it; null when it is in neither, even if another has its number now.
Result<MessagePtr> Store::read_one(const Parked& parked, Contents& contents) {
  MessagePtr message = MAKEGOOD_TRY(contents.message(parked.sequence));
  if (message && message->event_id == parked.event_id) return message;
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::read_kept, parked.sequence, parked.event_id));
  return rows.next() ? read_message(rows) : MessagePtr();
}

Result<> Store::read_requests(Rows rows, Found& found) {
  seen_requests_.clear();
  while (rows.next()) {
    Request request{.id = rows.integer(parked_columns), .asked = MAKEGOOD_TRY(read_asked(rows, parked_columns + 1))};
    const bool has_row = !rows.is_null(0);
    if (has_row) request.row = MAKEGOOD_TRY(read_parked(rows));
    seen_requests_.push_back(request.id);
    found.requests.push_back(std::move(request));
  }
  return {};
}

/// The message that has the number now, or was kept of it, and its parked deliveries to whatever destination.
Result<> Store::read_all_about(Request& request, Contents& contents) {
  Array numbers(Type::bigint);
  numbers.add(request.asked.sequence);
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::parked_of, numbers));
  while (rows.next()) request.rows.push_back(MAKEGOOD_TRY(read_parked(rows)));
  request.message = MAKEGOOD_TRY(contents.message(request.asked.sequence));
  if (request.message == nullptr && !request.rows.empty()) {
    request.message = MAKEGOOD_TRY(read_one(request.rows.front(), contents));
  }
  std::erase_if(request.rows, [&](const Parked& row) {
    return request.message != nullptr && row.event_id != request.message->event_id;
  });
  return {};
}

Result<> Store::read_put_away(Request& request) {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::put_away));
  while (rows.next()) request.rows.push_back(MAKEGOOD_TRY(read_parked(rows)));
  return {};
}

}  // namespace makegood::postgres
