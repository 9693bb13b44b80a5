// A short run of the world of sagas with every change. The long ones: makegood-sim --world saga --minutes N.
#include <algorithm>

#include "sim/saga_runner.hpp"

namespace makegood::sim {
namespace {

constexpr std::uint64_t saga_seeds = 120;
constexpr std::uint64_t saga_steps = 1500;

SagaSummary run(std::uint64_t seed) { return SagaWorld({.seed = seed, .steps = saga_steps}).run(); }

TEST(SagaSimulation, KeepsEveryPromiseUnderFaultsAndSeesEverySituation) {
  SagaTotals totals;
  for (std::uint64_t seed = 1; seed <= saga_seeds; ++seed) {
    const SagaSummary summary = run(seed);
    ASSERT_EQ(summary.violations, std::vector<std::string>())
        << "repeat it with: " << command_for(SagaPlan{.seed = seed, .steps = saga_steps});
    add(totals, summary);
  }
  // A run in which something never happened shows nothing about it.
  for (const SagaSite site : totals.sum.sites.missed()) ADD_FAILURE() << "never happened: " << to_string(site);
}

TEST(SagaSimulation, RepeatsARunExactly) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) EXPECT_EQ(run(seed).trace, run(seed).trace) << seed;
  EXPECT_NE(run(1).trace, run(2).trace);
}

TEST(SagaSimulation, EndsEverythingWellWhenNothingFails) {
  const SagaSummary summary = SagaWorld({.seed = 3, .steps = saga_steps, .faults = SagaFaults()}).run();
  EXPECT_EQ(summary.violations, std::vector<std::string>());
  EXPECT_GT(summary.sites.count(SagaSite::completed), 0U);
}

TEST(SagaSimulation, TellsTheStoryOfAnExecution) {
  const SagaSummary summary =
      SagaWorld({.seed = 3, .steps = saga_steps, .faults = SagaFaults(), .watched = "x1"}).run();
  const auto is_begun = [](const std::string& line) { return line.find("begun") != std::string::npos; };
  EXPECT_TRUE(std::ranges::any_of(summary.story, is_begun));
}

}  // namespace
}  // namespace makegood::sim
