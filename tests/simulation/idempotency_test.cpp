// A short run of the simulated keys with every change, and each mistake of their bank. Longer: makegood-sim
// idempotency.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/idempotency_mutants.hpp"
#include "sim/idempotency_world.hpp"

namespace makegood::sim {
namespace {

constexpr std::uint64_t steps = 600;

TEST(KeySimulation, KeepsEveryPromiseAndSeesEverySituation) {
  std::array<std::uint64_t, key_site_count> sites = {};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const KeySummary run = KeyWorld(seed, steps).run();
    ASSERT_EQ(run.violations, std::vector<std::string>()) << "makegood-sim idempotency --seed " << seed;
    std::ranges::transform(run.sites, sites, sites.begin(), std::plus());
  }
  for (std::size_t site = 0; site < key_site_count; ++site) {
    EXPECT_GT(sites[site], 0U) << "never happened: " << to_string(static_cast<KeySite>(site));
  }
}

bool is_noticed(const Mutant& mutant) {
  choose_mutant(mutant.name);
  bool is_noticed = false;
  for (std::uint64_t seed = 1; seed <= 200 && !is_noticed; ++seed) {
    is_noticed = !KeyWorld(seed, steps).run().violations.empty();
  }
  choose_mutant({});
  return is_noticed;
}

TEST(KeySimulation, NoticesEveryMistakeOfItsBank) {
  for (const Mutant& mutant : key_mutants()) EXPECT_TRUE(is_noticed(mutant)) << mutant.name << ": " << mutant.mistake;
}

TEST(KeySimulation, HasAtLeastTwelveMistakesEachOfAKindAndInTheDocuments) {
  std::ifstream file(MAKEGOOD_SOURCE_DIR "/docs/simulator.md");
  std::stringstream text;
  text << file.rdbuf();
  std::set<std::string_view> names;
  for (const Mutant& mutant : key_mutants()) {
    EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
    EXPECT_NE(text.str().find("`" + std::string(mutant.name) + "`"), std::string::npos) << mutant.name;
  }
  EXPECT_GE(names.size(), 12U);
}

TEST(KeySimulation, RepeatsARunExactly) {
  EXPECT_EQ(KeyWorld(7, steps).run().story, KeyWorld(7, steps).run().story);
  EXPECT_NE(KeyWorld(7, steps).run().story, KeyWorld(8, steps).run().story);
}

}  // namespace
}  // namespace makegood::sim
