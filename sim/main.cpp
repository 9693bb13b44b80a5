// makegood-sim: the lane under thousands of simulated failures.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

#include "makegood/clock.hpp"
#include "sim/world.hpp"

namespace {

using makegood::sim::Summary;

struct Arguments {
  std::uint64_t seed = 1;
  std::uint64_t steps = 2000;
  std::uint64_t runs = 1;
};

constexpr std::string_view usage =
    "makegood-sim [--seed N] [--steps N] [--runs N]\n\n"
    "Runs the lane over a store in memory, in one thread and without a real clock, with faults chosen by the seed:\n"
    "crashes, pauses, lost replies, store errors, late commits, rollbacks, refusals, replays, clock jumps. Then "
    "nothing\n"
    "fails any more and everything must come to rest. Exit code 1 and one line to repeat it when a promise was "
    "broken.\n\n"
    "  --seed N   the first seed (default 1)\n"
    "  --steps N  steps with faults in each run (default 2000)\n"
    "  --runs N   how many seeds, one after the other (default 1)\n";

bool read(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool read(std::span<char*> words, Arguments& arguments) {
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string_view name = words[i];
    std::uint64_t* value = name == "--seed"    ? &arguments.seed
                           : name == "--steps" ? &arguments.steps
                           : name == "--runs"  ? &arguments.runs
                                               : nullptr;
    if (value == nullptr || !read(words[i + 1], *value)) return false;
  }
  return words.size() % 2 == 0;
}

void tell_failure(const Summary& summary, const Arguments& arguments) {
  for (const auto& violation : summary.violations) fmt::print(stderr, "{}\n", violation);
  fmt::print(stderr, "repeat it with: makegood-sim --seed {} --steps {}\n", summary.seed, arguments.steps);
}

void add(Summary& total, const Summary& one) {
  total.steps += one.steps;
  total.committed_count += one.committed_count;
  total.arrival_count += one.arrival_count;
  total.duplicate_count += one.duplicate_count;
  total.fenced_count += one.fenced_count;
  total.crash_count += one.crash_count;
  total.dead_count += one.dead_count;
  total.replay_count += one.replay_count;
  total.simulated += one.simulated;
}

void tell(const Summary& total, const Arguments& arguments, double seconds) {
  fmt::print("{} runs, {} steps in {:.1f} s ({:.0f} steps/s), {} s simulated\n", arguments.runs, total.steps, seconds,
             static_cast<double>(total.steps) / seconds,
             std::chrono::duration_cast<std::chrono::seconds>(total.simulated).count());
  fmt::print("{} messages committed, {} arrivals, {} of them duplicates, {} dead or held at the end\n",
             total.committed_count, total.arrival_count, total.duplicate_count, total.dead_count);
  fmt::print("{} crashes, {} fenced turns, {} requests of operators\n", total.crash_count, total.fenced_count,
             total.replay_count);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!read(std::span(argv, static_cast<std::size_t>(argc)).subspan(1), arguments)) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  const auto began = makegood::system_clock().monotonic();
  Summary total;
  for (std::uint64_t run = 0; run < arguments.runs; ++run) {
    const Summary summary = makegood::sim::World(arguments.seed + run).run(arguments.steps);
    if (!summary.violations.empty()) {
      tell_failure(summary, arguments);
      return 1;
    }
    add(total, summary);
  }
  const std::chrono::duration<double> took = makegood::system_clock().monotonic() - began;
  tell(total, arguments, took.count());
  return 0;
}
