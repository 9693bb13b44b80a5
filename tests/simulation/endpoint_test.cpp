// A short run of lanes that share an endpoint with every change, and each mistake of their bank. Longer: makegood-sim
// endpoints.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sim/endpoint_world.hpp"

namespace makegood::sim {
namespace {

constexpr std::uint64_t steps = 400;

TEST(EndpointSimulation, KeepsItsPromiseAndSeesEverySituation) {
  EndpointSummary sum;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const EndpointSummary run = EndpointWorld(seed, steps).run();
    ASSERT_EQ(run.violations, std::vector<std::string>()) << "makegood-sim endpoints --seed " << seed;
    sum.fenced += run.fenced;
    sum.outages += run.outages;
    sum.woken += run.woken;
    sum.refused += run.refused;
  }
  EXPECT_GT(sum.fenced, 0U) << "no owner was fenced with something under way";
  EXPECT_GT(sum.outages, 0U) << "no lane heard of an outage from another";
  EXPECT_GT(sum.woken, 0U) << "nobody waited for a place of another";
  EXPECT_GT(sum.refused, 0U) << "the shard always found a place";
}

bool is_noticed(const Mutant& mutant) {
  choose_mutant(mutant.name);
  bool is_noticed = false;
  for (std::uint64_t seed = 1; seed <= 100 && !is_noticed; ++seed) {
    is_noticed = !EndpointWorld(seed, steps).run().violations.empty();
  }
  choose_mutant({});
  return is_noticed;
}

TEST(EndpointSimulation, NoticesEveryMistakeOfItsBankAndDocumentsIt) {
  std::ifstream file(MAKEGOOD_SOURCE_DIR "/docs/simulator.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const Mutant& mutant : endpoint_mutants()) {
    EXPECT_TRUE(is_noticed(mutant)) << mutant.name << ": " << mutant.mistake;
    EXPECT_NE(text.str().find("`" + std::string(mutant.name) + "`"), std::string::npos) << mutant.name;
  }
}

TEST(EndpointSimulation, RepeatsARunExactly) {
  EXPECT_EQ(EndpointWorld(7, steps).run().story, EndpointWorld(7, steps).run().story);
  EXPECT_NE(EndpointWorld(7, steps).run().story, EndpointWorld(8, steps).run().story);
}

}  // namespace
}  // namespace makegood::sim
