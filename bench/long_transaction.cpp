// W9: transactions that somebody forgot, one with an old snapshot and one that has drawn a number of the log. They cost
// nobody else anything.
#include <fmt/format.h>

#include "bench/asked.hpp"
#include "bench/bystander.hpp"
#include "bench/draining.hpp"
#include "bench/figure.hpp"
#include "bench/pair.hpp"
#include "bench/postgres_session.hpp"

namespace makegood::bench {
namespace {

constexpr int per_second = 500;
constexpr int drains = 16;
/// Several times as long as numbers are looked for before their transactions are waited for instead.
constexpr std::size_t drained = 250'000;
constexpr double ratio_max = 1.10;

/// Both stay idle in their transactions.
class Forgotten {
 public:
  explicit Forgotten(const Scratch& scratch) : reader_(scratch.url()), writer_(scratch.url()) {
    reader_.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    reader_.run("SELECT count(*) FROM makegood_outbox");
    writer_.run("BEGIN");
    writer_.run("INSERT INTO makegood_outbox (topic, payload) VALUES ('bench.forgotten', '{}')");
  }

 private:
  PostgresSession reader_;
  PostgresSession writer_;
};

double drain_anew(const Scratch& scratch) {
  preload(scratch, drained);
  return drain_to_handler(scratch, drained).rate;
}

/// By now they have been open for as long as the traffic took. Each of the two goes first in turn, and often:
/// autovacuum comes when it likes, to either, and one drain is up to a fifth faster or slower than the next.
Figure drain_both(const Pair& pair) {
  std::vector<double> plain;
  std::vector<double> held;
  for (int round = 0; round < drains; ++round) {
    if (round % 2 == 0) plain.push_back(drain_anew(pair.plain()));
    held.push_back(drain_anew(pair.other()));
    if (round % 2 == 1) plain.push_back(drain_anew(pair.plain()));
  }
  const double share = median_share(held, plain);
  return {.name = fmt::format("forgotten transactions: drain of {}", drained),
          .unit = "messages/s",
          .value = median(held),
          .limit = median(held) / share,
          .goal = "≤ 10 % slower than without",
          .is_met = share >= 1 / ratio_max};
}

/// Without a goal: what the server has to do for an old snapshot is not ours.
Figure wait_of(Bystander& held, Bystander& plain) {
  auto ours = held.waits();
  auto limit = plain.waits();
  return {.name = "forgotten transactions: an UPDATE of somebody else, p99",
          .unit = "ms",
          .value = percentile(ours, 0.99),
          .limit = percentile(limit, 0.99)};
}

double dead_rows(const Scratch& scratch) {
  return PostgresSession(scratch.url())
      .number("SELECT sum(n_dead_tup) FROM pg_stat_user_tables WHERE relname LIKE 'makegood_outbox%'");
}

}  // namespace

std::vector<Figure> long_transaction() {
  if (Scratch::measured() != Scratch::Kind::postgres) return {};  // There a reader holds nobody up, and a writer all.
  Pair pair;
  preload(pair.plain(), 1000);
  preload(pair.other(), 1000);
  const Forgotten forgotten(pair.other());
  Bystander beside_plain(pair.plain());
  Bystander beside_held(pair.other());
  pair.start_relays();
  std::vector<Figure> figures = pair.drive(
      {.name = "forgotten transactions", .per_second = per_second, .minutes = asked().minutes, .ratio_max = ratio_max});
  figures.push_back(wait_of(beside_held, beside_plain));
  pair.stop_relays();
  figures.push_back(drain_both(pair));
  const double dead = dead_rows(pair.other());
  figures.push_back({.name = "dead rows after it", .unit = "rows", .value = dead, .goal = "none", .is_met = dead == 0});
  return figures;
}

}  // namespace makegood::bench
