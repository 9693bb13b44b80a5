// W10 and W12 with functions as participants: what the machine itself can do, beside the commits it cannot do without.
#include <fmt/format.h>

#include <atomic>
#include <string>

#include "bench/asked.hpp"
#include "bench/figure.hpp"
#include "bench/postgres_traces.hpp"
#include "bench/saga/bare_saga.hpp"
#include "bench/saga/station.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr int rounds = 3;
constexpr double goal_per_second = 10'000;
constexpr std::size_t many_in_flight = 1000;

struct Rounds {
  std::vector<double> rates = {};
  std::vector<double> bare = {};
  std::vector<double> waits = {};
};

std::size_t count_for(std::size_t in_flight, std::size_t steps) {
  return std::max(asked().executions / (steps > 2 ? 5 : 1) / (in_flight < many_in_flight ? 4 : 1), in_flight);
}

/// The same number of commits one after another, with as many rows.
double bare_rate(std::size_t in_flight, std::size_t steps) {
  const Scratch scratch;
  {
    const SagaStation makes_tables(scratch);
  }
  const auto bare = open_bare_saga(scratch);
  return bare_executions_per_second(
      *bare, {.in_flight = in_flight, .steps = steps, .count = count_for(in_flight, steps) / 2 + 1});
}

/// Warm: the first executions only fill caches.
SagaPace one_round(std::size_t in_flight, std::size_t steps, std::vector<Figure>* traces) {
  const Scratch scratch;
  SagaStation station(scratch);
  station.define(chain_of("chain", steps, "fn:nothing"));
  station.start();
  station.keep_in_flight("chain", in_flight, in_flight);
  const PostgresTraces before(scratch);
  const std::size_t count = count_for(in_flight, steps);
  SagaPace pace = station.keep_in_flight("chain", in_flight, count);
  if (traces != nullptr) *traces = before.of_executions(count);
  MAKEGOOD_ASSERT(station.ends().count(SagaNews::Kind::completed) == count + in_flight);
  return pace;
}

void compare(std::vector<Figure>& figures, std::size_t in_flight, std::size_t steps) {
  Rounds all;
  std::vector<Figure> traces;
  for (int round = 0; round < rounds; ++round) {
    SagaPace pace = one_round(in_flight, steps, &traces);
    all.rates.push_back(pace.per_second);
    all.waits.insert(all.waits.end(), pace.waits.begin(), pace.waits.end());
    all.bare.push_back(bare_rate(in_flight, steps));
  }
  const std::string name = fmt::format("{} function steps, {} in flight", steps, in_flight);
  Figure rate{.name = name, .unit = "executions/s", .value = median(all.rates), .limit = median(all.bare)};
  if (steps == 2 && in_flight == many_in_flight) {
    rate.goal = "≥ 10,000/s";
    rate.is_met = rate.value >= goal_per_second;
  }
  figures.push_back(std::move(rate));
  figures.push_back({.name = name + ", p50", .unit = "ms", .value = percentile(all.waits, 0.5)});
  figures.push_back({.name = name + ", p99", .unit = "ms", .value = percentile(all.waits, 0.99)});
  std::ranges::move(traces, std::back_inserter(figures));
}

/// Nine actions that succeed, one that does not, and nine compensations in reverse order.
class Ledger {
 public:
  explicit Ledger(SagaStation& station) {
    station.add("book", [this](const SagaStepInput& input) {
      ++(input.call.direction == "action" ? done_ : undone_);
      return SagaStepResult::ok();
    });
    station.add("refuse", [](const SagaStepInput&) { return SagaStepResult::fail("REFUSED"); });
  }
  std::size_t done() const { return done_; }
  std::size_t undone() const { return undone_; }

 private:
  std::atomic<std::size_t> done_ = 0;
  std::atomic<std::size_t> undone_ = 0;
};

}  // namespace

std::vector<Figure> saga_functions() {
  std::vector<Figure> figures;
  for (const std::size_t steps : {2U, 10U}) {
    for (const std::size_t in_flight : {10U, 20U, 64U, 1000U}) compare(figures, in_flight, steps);
  }
  return figures;
}

std::vector<Figure> saga_compensation() {
  constexpr std::size_t steps = 10;
  constexpr std::size_t in_flight = 64;
  const std::size_t count = std::max<std::size_t>(asked().executions / 20, in_flight);
  const Scratch scratch;
  SagaStation station(scratch);
  const Ledger ledger(station);
  SagaDefinition definition = chain_of("undone", steps, "fn:book");
  definition.steps.back().action.uri = "fn:refuse";
  station.define(definition);
  station.start();
  SagaPace pace = station.keep_in_flight("undone", in_flight, count);
  MAKEGOOD_ASSERT(station.ends().count(SagaNews::Kind::compensated) == count);
  // Ten turns forward, the answer that turns back with the first compensation, and the others.
  const Scratch beside;
  {
    const SagaStation makes_tables(beside);
  }
  const double bare = bare_executions_per_second(
      *open_bare_saga(beside), {.in_flight = in_flight, .steps = 2 * steps - 1, .count = count / 2 + 1});
  const double wrong = static_cast<double>(ledger.done() - (steps - 1) * count + ledger.undone() - (steps - 1) * count);
  return {{.name = "ten steps, the last fails, nine compensations, 64 in flight",
           .unit = "executions/s",
           .value = pace.per_second,
           .limit = bare},
          {.name = "the same, p50", .unit = "ms", .value = percentile(pace.waits, 0.5)},
          {.name = "the same, p99", .unit = "ms", .value = percentile(pace.waits, 0.99)},
          {.name = "effects too many or not undone",
           .unit = "effects",
           .value = wrong,
           .goal = "none",
           .is_met = wrong == 0}};
}

}  // namespace makegood::bench
