// makegood-sim: the lane under millions of simulated failures.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdio>
#include <ranges>
#include <string>

#include "base/progress_line.hpp"
#include "base/seed.hpp"
#include "makegood/clock.hpp"
#include "sim/endpoint_world.hpp"
#include "sim/idempotency_mutants.hpp"
#include "sim/idempotency_world.hpp"
#include "sim/mutants.hpp"
#include "sim/runner.hpp"
#include "sim/saga_runner.hpp"

namespace makegood::sim {
namespace {

using Seconds = std::chrono::duration<double>;

struct Arguments {
  Plan plan = {};
  std::uint64_t runs = 1;
  double minutes = 0;
  std::string faults = {};
  std::string skipped = {};
  std::string mutant = {};
  std::string world = "outbox";
  bool is_minimizing = false;
  bool is_telling_sites = false;
};

void tell_failure(Plan plan, Summary run, const Arguments& arguments) {
  if (arguments.is_minimizing) {
    ProgressLine progress(system_clock());
    plan = minimize(plan, [&](std::size_t left) { progress.tell(fmt::format("minimizing: {} steps left", left)); });
    progress.clear();
    run = World(plan).run();
  }
  for (const auto& violation : run.violations | std::views::take(10)) fmt::print(stderr, "{}\n", violation);
  if (plan.watched.empty()) plan.watched = run.culprit;
  if (!plan.watched.empty()) {
    fmt::print(stderr, "The story of {}:\n", plan.watched);
    for (const auto& line : World(plan).run().story) fmt::print(stderr, "  {}\n", line);
    plan.watched.clear();
  }
  fmt::print(stderr, "repeat it with: {}\n", command_for(plan, arguments.mutant));
}

void tell(const Totals& totals, double seconds) {
  const Summary& sum = totals.sum;
  const double simulated = std::chrono::duration_cast<Seconds>(sum.simulated).count();
  fmt::print("{} runs, {} steps in {:.1f} s ({:.0f} steps/s), {:.0f} s simulated ({:.0f} times as fast as time)\n",
             totals.runs, sum.steps, seconds, static_cast<double>(sum.steps) / seconds, simulated, simulated / seconds);
  fmt::print("{} messages committed, {} arrivals, {} of them duplicates, {} dead or held at the end, {} crashes\n",
             sum.committed_count, sum.arrival_count, sum.duplicate_count, sum.dead_count, sum.crash_count);
}

/// Situations that never came up, in a run that was long enough for all of them.
int tell_sites(const Totals& totals, const Arguments& arguments) {
  constexpr std::uint64_t enough_runs = 500;
  if (arguments.is_telling_sites) {
    for (std::size_t index = 0; index < site_count; ++index) {
      const auto site = static_cast<Site>(index);
      fmt::print("{:>12}  {}\n", totals.sum.sites.count(site), to_string(site));
    }
  }
  const auto missed = totals.sum.sites.missed();
  if (missed.empty() || totals.runs < enough_runs || !arguments.faults.empty()) return 0;
  for (const Site site : missed) fmt::print(stderr, "never happened: {}\n", to_string(site));
  return 1;
}

int run(const Arguments& arguments) {
  const auto began = system_clock().monotonic();
  const auto seconds = [&] { return Seconds(system_clock().monotonic() - began).count(); };
  const auto share = [&](std::uint64_t done) {
    return arguments.minutes > 0 ? seconds() / (arguments.minutes * 60)
                                 : static_cast<double>(done) / static_cast<double>(arguments.runs);
  };
  Totals totals;
  ProgressLine progress(system_clock());
  for (Plan plan = arguments.plan; share(totals.runs) < 1; ++plan.seed) {
    const Summary summary = World(plan).run();
    if (!summary.violations.empty()) {
      progress.clear();
      tell_failure(plan, summary, arguments);
      return 1;
    }
    for (const auto& line : summary.story) fmt::print("{}\n", line);
    add(totals, summary);
    progress.tell(share(totals.runs),
                  fmt::format("{} runs, {} steps, {:.0f} s", totals.runs, totals.sum.steps, seconds()));
  }
  progress.clear();
  tell(totals, seconds());
  return tell_sites(totals, arguments);
}

/// For as many runs, or as long, as the worlds of the outbox.
int run_sagas(const Arguments& arguments) {
  const auto began = system_clock().monotonic();
  const auto share = [&](std::uint64_t done) {
    const double seconds = Seconds(system_clock().monotonic() - began).count();
    return arguments.minutes > 0 ? seconds / (arguments.minutes * 60)
                                 : static_cast<double>(done) / static_cast<double>(arguments.runs);
  };
  SagaPlan plan{.seed = arguments.plan.seed, .steps = arguments.plan.steps, .skipped = arguments.plan.skipped};
  plan.watched = arguments.plan.watched;
  if (!arguments.faults.empty()) plan.faults = saga_faults_from(arguments.faults);
  return run_sagas(plan, share, arguments.is_minimizing, arguments.is_telling_sites, arguments.mutant, system_clock());
}

int run_worlds(Arguments arguments) {
  if (arguments.world == "saga") return run_sagas(arguments);
  if (arguments.world == "outbox" || !arguments.faults.empty()) return run(arguments);
  arguments.minutes /= 2;
  const int outcome = run(arguments);
  return outcome != 0 ? outcome : run_sagas(arguments);
}

/// What a mutant's process leaves behind, even when an assertion of the core ends it.
struct Trial {
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;
  bool is_killed = false;
  std::array<char, 160> violation = {};
};

/// Growing seeds, until a promise is broken.
void try_out(const Mutant& mutant, const Arguments& arguments, Trial& trial) {
  const bool is_saga = mutant.name.starts_with("saga_");
  choose_mutant(mutant.name);
  const std::uint64_t runs = arguments.runs * (mutant.is_rare ? 3 : 1);
  for (std::uint64_t run = 0; run < runs && !trial.is_killed; ++run) {
    Plan plan = arguments.plan;
    plan.seed += run;
    trial.seed = plan.seed;
    const std::vector<std::string> violations = is_saga
                                                    ? run_with(mutant, plan.seed, plan.steps).violations
                                                    : World(plan_for(mutant, plan.seed, plan.steps)).run().violations;
    trial.steps += plan.steps;
    if (violations.empty()) continue;
    trial.is_killed = true;
    violations.front().substr(0, violations.front().find('\n')).copy(trial.violation.data(), 159);
  }
}

/// In a process of its own: an assertion that it breaks is as good a notice as any.
Trial try_apart(const Mutant& mutant, const Arguments& arguments) {
  void* shared = mmap(nullptr, sizeof(Trial), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* trial = new (shared) Trial;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    try_out(mutant, arguments, *trial);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Trial result = *trial;
  munmap(shared, sizeof(Trial));
  if (WIFSIGNALED(status)) {
    result.is_killed = true;
    std::string_view("an assertion of the core was broken").copy(result.violation.data(), 159);
  }
  return result;
}

int run_mutants(const Arguments& arguments) {
  std::size_t survived = 0;
  std::size_t count = 0;
  for (const Mutant& mutant : mutants()) {
    if (!arguments.mutant.empty() && arguments.mutant != mutant.name) continue;
    ++count;
    const Trial trial = try_apart(mutant, arguments);
    survived += trial.is_killed ? 0U : 1U;
    fmt::print("{:<8} {:<28} {:>9} steps  {}\n", trial.is_killed ? "killed" : "SURVIVED", mutant.name, trial.steps,
               trial.is_killed ? fmt::format("seed {}: {}", trial.seed, trial.violation.data()) : "");
    std::fflush(stdout);
  }
  fmt::print("{} mutants, {} killed, {} survived\n", count, count - survived, survived);
  return survived == 0 && count > 0 ? 0 : 1;
}

/// The world of idempotency keys.
int run_keys(const Arguments& arguments) {
  std::array<std::uint64_t, key_site_count> sites = {};
  std::uint64_t effects = 0;
  for (std::uint64_t run = 0; run < arguments.runs; ++run) {
    const std::uint64_t seed = arguments.plan.seed + run;
    const KeySummary summary = KeyWorld(seed, arguments.plan.steps).run();
    for (std::size_t site = 0; site < key_site_count; ++site) sites[site] += summary.sites[site];
    effects += summary.effects;
    if (summary.violations.empty()) continue;
    for (const auto& line : summary.story) fmt::print(stderr, "  {}\n", line);
    fmt::print(stderr, "repeat it with: makegood-sim idempotency --seed {} --steps {}\n", seed, arguments.plan.steps);
    return 1;
  }
  fmt::print("{} runs, {} effects, none of them a second one\n", arguments.runs, effects);
  for (std::size_t site = 0; site < key_site_count && arguments.is_telling_sites; ++site) {
    fmt::print("{:>12}  {}\n", sites[site], to_string(static_cast<KeySite>(site)));
  }
  return 0;
}

/// 1 if the mistake was not noticed.
std::size_t tell_trial(const Mutant& mutant, std::string_view violation, std::uint64_t seed) {
  fmt::print("{:<8} {:<28} seed {:>4}: {}\n", violation.empty() ? "SURVIVED" : "killed", mutant.name, seed, violation);
  return violation.empty() ? 1 : 0;
}

int tell_survivors(std::size_t count, std::size_t survived) {
  fmt::print("{} mutants, {} killed, {} survived\n", count, count - survived, survived);
  return survived == 0 ? 0 : 1;
}

int run_key_mutants(const Arguments& arguments) {
  std::size_t survived = 0;
  for (const Mutant& mutant : key_mutants()) {
    choose_mutant(mutant.name);
    std::string violation;
    std::uint64_t seed = arguments.plan.seed;
    for (; seed < arguments.plan.seed + arguments.runs && violation.empty(); ++seed) {
      const KeySummary summary = KeyWorld(seed, arguments.plan.steps).run();
      if (!summary.violations.empty()) violation = summary.violations.front();
    }
    survived += tell_trial(mutant, violation, seed - 1);
  }
  return tell_survivors(key_mutants().size(), survived);
}

/// The world of a destination that several call.
int run_endpoints(const Arguments& arguments) {
  EndpointSummary sum;
  for (std::uint64_t run = 0; run < arguments.runs; ++run) {
    const std::uint64_t seed = arguments.plan.seed + run;
    const EndpointSummary summary = EndpointWorld(seed, arguments.plan.steps).run();
    sum.sent += summary.sent;
    sum.fenced += summary.fenced;
    sum.outages += summary.outages;
    sum.woken += summary.woken;
    if (summary.violations.empty()) continue;
    for (const auto& line : summary.violations) fmt::print(stderr, "{}\n", line);
    fmt::print(stderr, "repeat it with: makegood-sim endpoints --seed {} --steps {}\n", seed, arguments.plan.steps);
    return 1;
  }
  fmt::print("{} runs, {} sends, {} owners fenced at work, {} outages heard of from others, {} woken by a place\n",
             arguments.runs, sum.sent, sum.fenced, sum.outages, sum.woken);
  return 0;
}

int run_endpoint_mutants(const Arguments& arguments) {
  std::size_t survived = 0;
  for (const Mutant& mutant : endpoint_mutants()) {
    choose_mutant(mutant.name);
    std::string violation;
    std::uint64_t seed = arguments.plan.seed;
    for (; seed < arguments.plan.seed + arguments.runs && violation.empty(); ++seed) {
      const EndpointSummary summary = EndpointWorld(seed, arguments.plan.steps).run();
      if (!summary.violations.empty()) violation = summary.violations.front();
    }
    survived += tell_trial(mutant, violation, seed - 1);
  }
  return tell_survivors(endpoint_mutants().size(), survived);
}

/// One that nobody has run, short enough to be written down.
std::uint64_t fresh_seed() {
  constexpr std::uint64_t seeds_max = 1'000'000'000'000;
  const std::uint64_t seed = seed_of_the_system() % seeds_max;
  fmt::print("seeds from {} on\n", seed);
  std::fflush(stdout);
  return seed;
}

int tell_usage(const std::string& sentence) {
  fmt::print(stderr, "{}\n", sentence);
  return 2;
}

int start(int argc, char** argv) {
  CLI::App app{
      "Runs the lane over a store in memory, in one thread and without a real clock, with faults chosen by the seed. "
      "Then "
      "nothing fails any more and everything must come to rest. Exit code 1, the story of the message concerned and "
      "one "
      "line to repeat it when a promise was broken."};
  Arguments arguments;
  auto* seed =
      app.add_option("--seed", arguments.plan.seed, "The first seed (default: 1; with --minutes, a fresh one)");
  app.add_option("--steps", arguments.plan.steps, "Steps with faults in each run")->capture_default_str();
  auto* runs = app.add_option("--runs", arguments.runs, "How many seeds, one after the other")->capture_default_str();
  app.add_option("--minutes", arguments.minutes, "Runs for so long instead, with a progress bar")->excludes(runs);
  app.add_option("--faults", arguments.faults,
                 "Only these: names with commas, all or none (default: drawn by each seed)");
  app.add_option("--world", arguments.world, "outbox, saga or all, each for as many runs or half of the minutes")
      ->capture_default_str();
  app.add_option("--skip", arguments.skipped, "Steps that are left out, as in 3-17,20");
  app.add_option("--mutant", arguments.mutant, "Makes this mistake (see: makegood-sim mutants)");
  app.add_option("--story", arguments.plan.watched, "Tells what happened to the message with this event id");
  app.add_flag("--minimize", arguments.is_minimizing, "Shortens a schedule that fails");
  app.add_flag("--sites", arguments.is_telling_sites, "Tells how often each situation came up");
  auto* all =
      app.add_subcommand("mutants", "Makes every mistake of the bank, one after the other; each must be noticed");
  all->fallthrough();
  auto* keys =
      app.add_subcommand("idempotency", "Runs clients over idempotency keys instead: at most one effect per key");
  keys->fallthrough();
  auto* key_mistakes = keys->add_subcommand("mutants", "Makes every mistake of the bank of keys");
  key_mistakes->fallthrough();
  auto* endpoints = app.add_subcommand("endpoints", "Runs lanes that call one destination of a process instead");
  endpoints->fallthrough();
  auto* endpoint_mistakes = endpoints->add_subcommand("mutants", "Makes every mistake of the bank of endpoints");
  endpoint_mistakes->fallthrough();
  CLI11_PARSE(app, argc, argv);

  const bool is_saga = arguments.world == "saga";
  if (!arguments.faults.empty()) {
    arguments.plan.faults = faults_from(arguments.faults);
    const bool is_known = is_saga ? saga_faults_from(arguments.faults).has_value() : arguments.plan.faults.has_value();
    if (!is_known) return tell_usage("There is no such fault; sim/faults.hpp lists them.");
  }
  const auto skipped = skipped_from(arguments.skipped);
  if (!skipped) return tell_usage("--skip wants ranges of steps, as in 3-17,20.");
  arguments.plan.skipped = *skipped;
  if (key_mistakes->parsed()) {
    if (runs->empty()) arguments.runs = 1000;
    return run_key_mutants(arguments);
  }
  if (endpoint_mistakes->parsed()) {
    if (runs->empty()) arguments.runs = 1000;
    return run_endpoint_mutants(arguments);
  }
  if (endpoints->parsed()) {
    choose_mutant(arguments.mutant);
    return run_endpoints(arguments);
  }
  if (keys->parsed()) {
    choose_mutant(arguments.mutant);
    return run_keys(arguments);
  }
  if (all->parsed()) {
    if (runs->empty()) arguments.runs = 3000;
    return run_mutants(arguments);
  }
  choose_mutant(arguments.mutant);
  if (arguments.minutes > 0 && seed->empty()) arguments.plan.seed = fresh_seed();
  return run_worlds(arguments);
}

}  // namespace
}  // namespace makegood::sim

int main(int argc, char** argv) { return makegood::sim::start(argc, argv); }
