// A look is one round trip: it begins the transaction that the turn will end, so that a server which restarts in
// between voids both. The log is read in one statement, which is one snapshot.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/log_mark.hpp"
#include "base/log_row.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/store.hpp"
#include "stores/postgres/waiting_reader.hpp"

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
std::vector<LogReader> Store::readers_of(const LookFor& wanted) const {
  const bool has_late = !open_.late().numbers().empty();
  const std::size_t late_max = has_late ? wanted.rows_max - wanted.rows_max / 4 : wanted.rows_max;
  const bool asks_keys = !wanted.open.empty();
  std::vector<LogReader> readers;
  readers.emplace_back(
      LaneReads{.holes = wanted.numbers,
                .late = united(open_.late().first((wanted.rows_max + 1) / 2), open_.awake_of(wanted.open)),
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
  news_.expect();
  auto found = try_look(wanted);
  if (!found) end_exchange();
  if (found && !found->rows.empty()) news_.saw_rows(world_.clock->monotonic());
  return found;
}

Result<Found> Store::try_look(const LookFor& wanted) {
  const bool asks_requests = !news_.take_no_request();
  if (auto is_same = exchange_.check_session(connection_); !is_same) {
    open_.clear();
    return is_same.error();
  }
  open_.late().begin(wanted.open);
  std::vector<LogReader> readers = readers_of(wanted);
  const MonotonicTime now = world_.clock->monotonic();
  const bool asks_holders = !readers.front().is_idle() && open_.numbers().wants_holders(now);

  Pipeline pipeline(connection_);
  if (connection_.is_in_transaction()) pipeline.add(verb::rollback);
  pipeline.add(verb::begin_write);
  exchange_.add_settings(pipeline, connection_);
  const std::size_t before = pipeline.count();
  if (asks_holders) pipeline.add(sql::lock_holders, connection_.outbox().qualified("_number"));
  for (const LogReader& reader : readers) {
    if (!reader.is_idle()) pipeline.add(reader.statement());
  }
  // After the rows: whoever has ended by then may be the one whose rows were not looked for.
  pipeline.add(sql::look_heads, clock_now(), array_of(open_.numbers().waited_for()), lane_);
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
    open_.numbers().saw_holders(std::move(holders), now);
  }
  return read(wanted, readers, std::move(answers), asks_requests);
}

Result<Found> Store::read(const LookFor& wanted, std::vector<LogReader>& readers, Answers answers, bool has_requests) {
  Contents contents(connection_);
  WaitingReader waiting(connection_, contents);
  for (LogReader& reader : readers) {
    if (!reader.is_idle()) reader.take(answers.next(), contents);
  }
  Heads heads = MAKEGOOD_TRY(read_heads(wanted, answers.next()));
  if (wanted.is_thorough) heads.seen.has_row_in_cleaned = is_true(answers.next());
  Found found{.now = heads.now, .counter = heads.counter, .trouble = compare(heads.mark, heads.seen)};
  if (has_requests) {
    MAKEGOOD_TRY(waiting.read_requests(answers.next(), found));
    news_.saw_requests(found.requests);
    MAKEGOOD_TRY(waiting.read_subjects(found.requests));
  }
  if (!is_readable(heads.mark, found.trouble)) return stopped(wanted, heads.highest, std::move(found));
  if (heads.counter < wanted.reached) return fenced(wanted, "the counter is below what was read");
  MAKEGOOD_TRY(read_log(wanted, readers, heads, contents));
  finish_main(wanted, readers.front(), heads.highest, found);
  for (LogReader& side : std::span(readers).subspan(1)) {
    found.is_more = found.is_more || side.is_cut;
    found.sides.push_back(
        {.looked_to = side.looked_to, .rows = std::move(side.rows), .unread = std::move(side.unread)});
  }
  for (const LookFor::Due& due : wanted.due) MAKEGOOD_TRY(waiting.read_due(due, answers.next(), found));
  adapt_scan(readers);
  return found;
}

/// First the numbers of all lanes; what lies beyond them, when the keys of all late rows are known.
Result<> Store::read_log(const LookFor& wanted, std::vector<LogReader>& readers, const Heads& heads,
                         Contents& contents) {
  LogReader& main = readers.front();
  MAKEGOOD_TRY(open_.examine(connection_, open_.unknown_to(wanted, main.is_idle(), heads.ended)));
  if (!main.is_idle()) main.add_late(open_.late().first(wanted.rows_max / 2), contents);
  MAKEGOOD_TRY(contents.read());
  for (LogReader& reader : readers) MAKEGOOD_TRY(reader.finish_numbers(contents, open_.late()));
  MAKEGOOD_TRY(open_.examine(connection_, main.not_looked_at()));
  for (LogReader& reader : readers) MAKEGOOD_TRY(reader.finish_beyond(contents, open_.late()));
  return {};
}

/// Nothing is read but what operators ask for. What was seen of open numbers may be of other messages.
Result<Found> Store::stopped(const LookFor& wanted, Sequence highest, Found found) {
  open_.clear();
  news_.saw_to(highest);
  news_.saw_open({});
  if (wants_first_row(found.requests)) found.first_row = MAKEGOOD_TRY(connection_.number(sql::first_row));
  return requests_alone(wanted, std::move(found));
}

Result<Store::Heads> Store::read_heads(const LookFor& wanted, Rows rows) {
  rows.next();
  if (auto is_same = exchange_.check_server(rows.time(3)); !is_same) {
    open_.clear();
    return is_same.error();
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

void Store::finish_main(const LookFor& wanted, LogReader& main, Sequence highest, Found& found) {
  found.looked_to = main.looked_to;
  // Without a filter the statement ends at the limit, and does not tell whether there is more.
  const bool is_full = !main.is_idle() && main.rows.size() == wanted.rows_max;
  found.is_more = main.is_cut || (is_full && highest > main.looked_to);
  if (!main.is_idle()) find_open(wanted, main, found);
  found.rows = std::move(main.rows);
  found.unread = std::move(main.unread);
  // What comes later is new; what was cut off is known to be there.
  news_.saw_to(found.is_more || main.is_idle() || !wanted.is_reading_on ? highest : found.looked_to);
}

void Store::find_open(const LookFor& wanted, const LogReader& main, Found& found) {
  if (!main.unread.empty()) {
    found.open = wanted.open;
    return;
  }
  NumberSet open = open_.still_open(wanted, main, found.counter, world_.clock->monotonic());
  found.open = united(open, open_.late().numbers());
  news_.saw_open(std::move(open));
}

void Store::adapt_scan(std::span<const LogReader> readers) {
  const bool is_short = std::ranges::any_of(readers, &LogReader::is_scan_short);
  scan_rows_ = is_short ? std::min(scan_rows_ * 4, scan_rows_max) : std::max(scan_rows_ / 2, scan_rows_min);
}

}  // namespace makegood::postgres
