// A short run of the simulator with every change. The long ones: makegood-sim --runs N.
#include "sim/world.hpp"

namespace makegood::sim {
namespace {

constexpr std::uint64_t seeds = 150;
constexpr std::uint64_t steps = 1500;

TEST(Simulation, KeepsEveryPromiseUnderFaults) {
  Summary total;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Summary run = World(seed).run(steps);
    ASSERT_EQ(run.violations, std::vector<std::string>())
        << "repeat it with: makegood-sim --seed " << seed << " --steps " << steps;
    total.fenced_count += run.fenced_count;
    total.crash_count += run.crash_count;
    total.duplicate_count += run.duplicate_count;
    total.dead_count += run.dead_count;
    total.replay_count += run.replay_count;
  }
  // A run in which nothing went wrong shows nothing.
  EXPECT_GT(total.fenced_count, 0U);
  EXPECT_GT(total.crash_count, 0U);
  EXPECT_GT(total.duplicate_count, 0U);
  EXPECT_GT(total.dead_count, 0U);
  EXPECT_GT(total.replay_count, 0U);
}

/// Seeds that once showed a defect; each stays.
TEST(Simulation, KeepsEveryPromiseForTheSeedsThatOnceFailed) {
  for (const std::uint64_t seed : {2U, 3U, 35U, 100U, 108U, 202U, 404U, 1030U}) {
    EXPECT_EQ(World(seed).run(2000).violations, std::vector<std::string>()) << "seed " << seed;
  }
}

TEST(Simulation, RepeatsARunExactly) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(World(seed).run(1000).trace, World(seed).run(1000).trace) << "seed " << seed;
  }
  EXPECT_NE(World(1).run(1000).trace, World(2).run(1000).trace);
}

}  // namespace
}  // namespace makegood::sim
