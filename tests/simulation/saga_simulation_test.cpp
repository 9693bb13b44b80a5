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

/// Seeds that have found something, and what it was.
TEST(SagaSimulation, HasMendedWhatItsSeedsHaveFound) {
  for (const std::uint64_t seed : {
           294104781402U,  // An event that was committed late: the checker did not wait until it was read.
           649452407642U,  // Turned back with the code of somebody who was not reached.
           388481288489U,  // Took a request that came twice, was refused and then carried out, for done twice.
           162760523394U,  // The same with a 429, at a barrier.
           621713698713U,  // Did not undo what came after an operator had said that it was undone.
           451468118364U,  // Used a new key when a late error had put a look-up in doubt.
           819374519532U,  // Repeated at `plain` what a late error had made possible, after a 429.
           35249662812U,   // Sent another body under its key, after an answer that had come before it left.
           95778694030U,   // Compared an end with a taking that lay ahead: the clock had been set back since.
           35341013394U,   // The same.
           63UL,           // Waited for a clock that was set back to between an attempt and its answer.
           8500000533U,    // Frozen after its look, was given by the store what it was about to begin itself.
           8500002356U,    // Did not undo what a late 202 had taken on, whose callback never came.
       }) {
    EXPECT_EQ(SagaWorld({.seed = seed, .steps = 2000}).run().violations, std::vector<std::string>()) << seed;
  }
}

TEST(SagaSimulation, EndsEverythingWellWhenNothingFails) {
  const SagaSummary summary = SagaWorld({.seed = 3, .steps = saga_steps, .faults = SagaFaults()}).run();
  EXPECT_EQ(summary.violations, std::vector<std::string>());
  EXPECT_GT(summary.sites.count(SagaSite::completed), 0U);
}

/// Nodes are stepped in any order, so a lease runs out now and then when there are several; one alone keeps its shard.
TEST(SagaSimulation, IsTakenOverOnlyByOthersAndThatCostsNothingWhenNothingFails) {
  SagaTotals alone;
  SagaTotals together;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SagaPlan plan{.seed = seed, .steps = saga_steps, .faults = SagaFaults()};
    SagaPlan one = plan;
    one.nodes = 1;
    SagaPlan three = plan;
    three.nodes = 3;
    add(alone, SagaWorld(one).run());
    const SagaSummary summary = SagaWorld(three).run();
    EXPECT_EQ(summary.violations, std::vector<std::string>()) << seed;
    add(together, summary);
  }
  EXPECT_EQ(alone.sum.sites.count(SagaSite::take_over), 0U);
  EXPECT_GT(together.sum.sites.count(SagaSite::take_over), 0U);
  EXPECT_EQ(together.sum.sites.count(SagaSite::poison), 0U);
  // These worlds give up a compensation after ten seconds, which some spend waiting for a place.
  EXPECT_LE(together.sum.sites.count(SagaSite::failed), together.sum.sites.count(SagaSite::given_up));
}

TEST(SagaSimulation, TellsTheStoryOfAnExecution) {
  const SagaSummary summary =
      SagaWorld({.seed = 3, .steps = saga_steps, .faults = SagaFaults(), .watched = "x1"}).run();
  const auto is_begun = [](const std::string& line) { return line.find("begun") != std::string::npos; };
  EXPECT_TRUE(std::ranges::any_of(summary.story, is_begun));
}

}  // namespace
}  // namespace makegood::sim
