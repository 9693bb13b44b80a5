// W3: preloaded messages without keys to a handler that does nothing, beside reading them and appending a turn per
// batch.
#include <fmt/format.h>

#include "bench/asked.hpp"
#include "bench/bare.hpp"
#include "bench/draining.hpp"
#include "bench/figure.hpp"
#include "bench/postgres_traces.hpp"
#include "bench/process.hpp"
#include "bench/scratch.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr int rounds = 3;
constexpr double goal_share = 0.60;
constexpr double goal_rate = 100'000;
constexpr double goal_rate_of_postgres = 120'000;
constexpr double goal_megabytes = 100;

double read_bare(const Scratch& scratch, std::size_t count) {
  const auto bare = open_bare(scratch);
  const auto began = system_clock().monotonic();
  std::size_t read = 0;
  while (const std::size_t rows = bare->read_and_append(DispatcherOptions{}.limits.batch_rows_max)) read += rows;
  MAKEGOOD_ASSERT(read == count);
  return static_cast<double>(count) / seconds_since(began);
}

std::vector<Figure> drain_many(std::size_t count) {
  std::vector<double> ours;
  std::vector<double> bare;
  std::vector<Figure> traces;
  std::size_t lost = 0;
  std::size_t repeated = 0;
  double bare_megabytes = 0;
  for (int round = 0; round < rounds; ++round) {
    const Scratch scratch;
    preload(scratch, count);
    bare.push_back(read_bare(scratch, count));
    if (round == 0) bare_megabytes = peak_megabytes();
    const PostgresTraces before(scratch);
    const Drained drained = drain_to_handler(scratch, count);
    ours.push_back(drained.rate);
    lost += drained.lost;
    repeated += drained.repeated;
    traces = before.since(count);
  }
  const double rate = median(ours);
  const double share = median_share(ours, bare);
  const double goal = Scratch::measured() == Scratch::Kind::postgres ? goal_rate_of_postgres : goal_rate;
  std::vector<Figure> figures = {
      {.name = fmt::format("drain of {} to a handler", count),
       .unit = "messages/s",
       .value = rate,
       .limit = rate / share,
       .goal = fmt::format("≥ 60 % of bare read and turn, ≥ {:.0f}/s", goal),
       .is_met = share >= goal_share && rate >= goal},
      {.name = fmt::format("memory of that drain of {}", count),
       .unit = "MB at most",
       .value = peak_megabytes(),
       .limit = bare_megabytes,
       .goal = "≤ 100 MB",
       .is_met = peak_megabytes() <= goal_megabytes},
      {.name = "lost by it",
       .unit = "messages",
       .value = static_cast<double>(lost),
       .goal = "none",
       .is_met = lost == 0},
      {.name = "repeated by it", .unit = "messages", .value = static_cast<double>(repeated)}};
  figures.insert(figures.end(), traces.begin(), traces.end());
  return figures;
}

}  // namespace

std::vector<Figure> drain() { return drain_many(asked().messages); }
std::vector<Figure> drain_1m() { return drain_many(1'000'000); }

}  // namespace makegood::bench
