// W18: many delivered messages that are kept in the log, and a tenth as many that wait for their time. They cost the
// others nothing.
#include <fmt/format.h>

#include <algorithm>

#include "bench/asked.hpp"
#include "bench/figure.hpp"
#include "bench/pair.hpp"
#include "bench/postgres_session.hpp"

namespace makegood::bench {
namespace {

constexpr int per_second = 1000;
constexpr double ratio_max = 1.20;
constexpr std::size_t rows_per_transaction = 500'000;  ///< A few seconds, so that one sees it go on.
constexpr std::size_t delayed_share = 10;              ///< One of so many, beyond the delivered ones.

/// As a producer would, but for the speed.
constexpr const char* append_rows =
    "INSERT INTO makegood_outbox (event_id, tenant_id, topic, payload, created_at, available_at)"
    " SELECT 'kept-' || lpad(i::text, 9, '0'), 't0', 'bench.evt',"
    " ('{{\"order\":' || i || ',\"fill\":\"' || repeat(md5(i::text), 3) || '\"}}')::json,"
    " clock_timestamp() - interval '1 day', {} FROM generate_series({}, {}) AS i";

/// As the relay would: what is delayed is parked, all else up to the last number is done.
constexpr const char* park_delayed =
    "INSERT INTO makegood_outbox_parked (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts,"
    " deaths, due_at, error_code, last_error, story, parked_at, changed_at, event_id)"
    " SELECT sequence, '{}', tenant_id, '', 0, 'waiting', false, 0, 0, available_at, '', '', '[]', now(), now(),"
    " event_id FROM makegood_outbox WHERE available_at IS NOT NULL";
constexpr const char* append_turn =
    "INSERT INTO makegood_outbox_turn (lane, turn, owner, at, lease_until, reached, settled, position)"
    " SELECT 0, 1, 'filled', now(), now(), max(sequence), max(sequence),"
    " json_build_object('reached', max(sequence), 'open', '[]'::json, 'under_way', '{}'::json) FROM makegood_outbox";

void append(PostgresSession& session, std::size_t first, std::size_t last, std::string_view available_at) {
  for (std::size_t low = first; low <= last; low += rows_per_transaction) {
    const std::size_t high = std::min(low + rows_per_transaction - 1, last);
    session.run(fmt::format(fmt::runtime(append_rows), available_at, low, high));
    fmt::print(stderr, "history: {} rows are there\n", high);
  }
}

void fill(const Scratch& scratch, std::size_t rows) {
  preload(scratch, 0);  // Makes the tables.
  PostgresSession session(scratch.url());
  session.run("SET synchronous_commit = off");
  append(session, 1, rows, "NULL");
  append(session, rows + 1, rows + rows / delayed_share, "clock_timestamp() + interval '1 day'");
  session.run(fmt::format(fmt::runtime(park_delayed), Station::destination));
  session.run(append_turn);
  // What autovacuum would do in the middle of the measurement.
  session.run("VACUUM ANALYZE makegood_outbox");
  session.run("VACUUM ANALYZE makegood_outbox_parked");
  session.run("CHECKPOINT");
}

}  // namespace

std::vector<Figure> history() {
  if (Scratch::measured() != Scratch::Kind::postgres) return {};
  Pair pair;
  fill(pair.other(), asked().rows);
  preload(pair.plain(), 0);
  pair.start_relays();
  const std::string name = fmt::format("{} kept, {} delayed", asked().rows, asked().rows / delayed_share);
  auto figures = pair.drive({.name = name,
                             .per_second = per_second,
                             .minutes = asked().minutes,
                             .ratio_max = ratio_max,
                             .is_cpu_judged = true});
  pair.stop_relays();
  return figures;
}

}  // namespace makegood::bench
