// Seeds that nobody has run: they come from the content of the core and of the simulator, so that each change of either
// tries new ones, and a failure repeats itself until it is mended. In their order, for as long as a minute of one core.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "sim/runner.hpp"
#include "sim/saga_runner.hpp"

namespace makegood::sim {
namespace {

namespace fs = std::filesystem;

constexpr double seconds_max = 50;
constexpr double seconds_of_sagas_max = 20;
constexpr std::uint64_t steps = 2000;
constexpr std::uint64_t seeds_max = 1'000'000'000'000;

std::vector<fs::path> sources() {
  std::vector<fs::path> paths;
  for (const char* folder : {"src/core", "src/core/saga", "sim"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(MAKEGOOD_SOURCE_DIR) / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension == ".cpp" || extension == ".hpp") paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

std::uint64_t seed_of_the_sources() {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a.
  for (const fs::path& path : sources()) {
    std::ifstream file(path, std::ios::binary);
    for (auto byte = std::istreambuf_iterator<char>(file); byte != std::istreambuf_iterator<char>(); ++byte) {
      hash = (hash ^ static_cast<unsigned char>(*byte)) * 1099511628211U;
    }
  }
  return hash % seeds_max;
}

double seconds_of_one_core() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(FreshSeeds, KeepEveryPromise) {
  ASSERT_GT(sources().size(), 50U) << "the sources are not where they were built";
  const std::uint64_t first = seed_of_the_sources();
  Totals totals;
  for (std::uint64_t seed = first; seconds_of_one_core() < seconds_max; ++seed) {
    const Summary summary = World({.seed = seed, .steps = steps}).run();
    ASSERT_EQ(summary.violations, std::vector<std::string>())
        << "repeat it with: " << command_for(Plan{.seed = seed, .steps = steps});
    add(totals, summary);
  }
  std::cout << "seeds " << first << " to " << first + totals.runs - 1 << ": " << totals.runs << " runs, "
            << totals.sum.steps << " steps\n";
}

TEST(FreshSeeds, KeepEveryPromiseOfSagas) {
  const std::uint64_t first = seed_of_the_sources();
  const double until = seconds_of_one_core() + seconds_of_sagas_max;
  SagaTotals totals;
  for (std::uint64_t seed = first; seconds_of_one_core() < until; ++seed) {
    const SagaSummary summary = SagaWorld({.seed = seed, .steps = steps}).run();
    ASSERT_EQ(summary.violations, std::vector<std::string>())
        << "repeat it with: " << command_for(SagaPlan{.seed = seed, .steps = steps});
    add(totals, summary);
  }
  std::cout << "sagas, seeds " << first << " to " << first + totals.runs - 1 << ": " << totals.runs << " runs, "
            << totals.sum.execution_count << " executions\n";
}

}  // namespace
}  // namespace makegood::sim
