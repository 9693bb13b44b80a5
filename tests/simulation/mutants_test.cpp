// The simulator must be able to notice: every mistake of the bank, within a few runs. Rare ones: makegood-sim mutants.
#include "sim/mutants.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

#include "sim/runner.hpp"
#include "sim/saga_runner.hpp"

namespace makegood::sim {
namespace {

constexpr std::uint64_t runs_max = 100;
constexpr int survived = 42;  ///< An exit code that nothing else has.

bool is_noticed(const Mutant& mutant) {
  choose_mutant(mutant.name);
  const bool is_saga = mutant.name.starts_with("saga_");
  for (std::uint64_t seed = 1; seed <= runs_max; ++seed) {
    if (is_saga && !run_with(mutant, seed, 1500).violations.empty()) return true;
    if (!is_saga && !World(plan_for(mutant, seed, 2000)).run().violations.empty()) return true;
  }
  return false;
}

/// In a process of its own, because a mistake may break an assertion of the core: that is noticed, too.
bool is_noticed_apart(const Mutant& mutant) {
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    _exit(is_noticed(mutant) ? 0 : survived);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != survived;
}

TEST(Mutants, AreNoticedWithinAFewRuns) {
  for (const Mutant& mutant : mutants()) {
    if (mutant.is_rare) continue;
    EXPECT_TRUE(is_noticed_apart(mutant)) << mutant.name << ": " << mutant.mistake;
  }
}

TEST(Mutants, NameFaultsThatThereAre) {
  for (const Mutant& mutant : mutants()) {
    const bool is_saga = mutant.name.starts_with("saga_");
    EXPECT_TRUE(is_saga ? saga_faults_from(mutant.faults).has_value() : faults_from(mutant.faults).has_value())
        << mutant.name;
  }
}

TEST(Mutants, AreAtLeastThirtyAndEachIsOneOfAKind) {
  std::set<std::string_view> names;
  for (const Mutant& mutant : mutants()) EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
  EXPECT_GE(names.size(), 30U);
}

TEST(Mutants, AreAllListedInTheDocuments) {
  std::ifstream file(MAKEGOOD_SOURCE_DIR "/docs/simulator.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const Mutant& mutant : mutants()) {
    EXPECT_NE(text.str().find("`" + std::string(mutant.name) + "`"), std::string::npos) << mutant.name;
  }
}

/// Shrinking must keep the failure and must shrink.
TEST(Mutants, HaveSchedulesThatCanBeShortened) {
  choose_mutant("cursor_passes_open_numbers");
  Plan plan{.seed = 1, .steps = 300};
  while (World(plan).run().violations.empty()) ++plan.seed;
  const Plan shortened = minimize(plan, [](std::size_t) {});
  EXPECT_FALSE(World(shortened).run().violations.empty());
  EXPECT_GT(shortened.skipped.size(), shortened.steps / 2);
  const auto read_back = skipped_from(skipped_text(shortened.skipped));
  choose_mutant({});
  ASSERT_TRUE(read_back.has_value());
  EXPECT_EQ(*read_back, shortened.skipped);
}

}  // namespace
}  // namespace makegood::sim
