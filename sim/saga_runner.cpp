#include "sim/saga_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <utility>
#include <vector>

#include "base/progress_line.hpp"
#include "makegood/clock.hpp"
#include "sim/runner.hpp"

namespace makegood::sim {
namespace {

bool fails(const SagaPlan& plan) { return !SagaWorld(plan).run().violations.empty(); }

void drop_faults(SagaPlan& plan) {
  for (std::size_t index = 0; index < saga_fault_count; ++index) {
    SagaPlan without = plan;
    without.faults->set(static_cast<SagaFault>(index), false);
    if (fails(without)) plan = std::move(without);
  }
}

bool drop_steps(SagaPlan& plan, std::size_t width) {
  std::vector<std::uint64_t> kept;
  for (std::uint64_t step = 0; step < plan.steps; ++step) {
    if (!plan.skipped.contains(step)) kept.push_back(step);
  }
  bool has_dropped = false;
  for (std::size_t begin = 0; begin < kept.size(); begin += width) {
    SagaPlan without = plan;
    for (std::size_t i = begin; i < std::min(begin + width, kept.size()); ++i) without.skipped.insert(kept[i]);
    if (!fails(without)) continue;
    plan = std::move(without);
    has_dropped = true;
  }
  return has_dropped;
}

void tell_failure(SagaPlan plan, SagaSummary run, bool is_minimizing, std::string_view mutant, const Clock& clock) {
  if (is_minimizing) {
    ProgressLine progress(clock);
    plan = minimize(plan, [&](std::size_t left) { progress.tell(fmt::format("minimizing: {} steps left", left)); });
    progress.clear();
    run = SagaWorld(plan).run();
  }
  for (const auto& violation : run.violations | std::views::take(10)) fmt::print(stderr, "{}\n", violation);
  if (plan.watched.empty()) plan.watched = run.culprit;
  fmt::print(stderr, "The story of {}:\n", plan.watched);
  for (const auto& line : SagaWorld(plan).run().story) fmt::print(stderr, "  {}\n", line);
  fmt::print(stderr, "repeat it with: {}\n", command_for(plan, mutant));
}

/// Situations that never came up, in a run that was long enough for all of them.
int tell_sites(const SagaTotals& totals, bool is_telling, bool is_all) {
  constexpr std::uint64_t enough_runs = 500;
  for (std::size_t index = 0; is_telling && index < saga_site_count; ++index) {
    const auto site = static_cast<SagaSite>(index);
    fmt::print("{:>12}  {}\n", totals.sum.sites.count(site), to_string(site));
  }
  if (totals.runs < enough_runs || !is_all) return 0;
  const auto missed = totals.sum.sites.missed();
  for (const SagaSite site : missed) fmt::print(stderr, "never happened: {}\n", to_string(site));
  return missed.empty() ? 0 : 1;
}

}  // namespace

void add(SagaTotals& totals, const SagaSummary& run) {
  ++totals.runs;
  SagaSummary& sum = totals.sum;
  sum.steps += run.steps;
  sum.execution_count += run.execution_count;
  sum.send_count += run.send_count;
  sum.crash_count += run.crash_count;
  sum.simulated += run.simulated;
  sum.sites.add(run.sites);
}

SagaSummary run_with(const Mutant& mutant, std::uint64_t seed, std::uint64_t steps) {
  SagaPlan plan{.seed = seed, .steps = steps};
  if (!mutant.faults.empty()) plan.faults = saga_faults_from(mutant.faults);
  return SagaWorld(plan).run();
}

SagaPlan minimize(SagaPlan plan, const std::function<void(std::size_t)>& tell) {
  const SagaSummary run = SagaWorld(plan).run();
  plan.faults = run.faults;
  plan.steps = run.steps;
  drop_faults(plan);
  for (std::size_t width = plan.steps / 2; width > 0; width /= 2) {
    drop_steps(plan, width);
    tell(plan.steps - plan.skipped.size());
  }
  while (drop_steps(plan, 1)) tell(plan.steps - plan.skipped.size());
  return plan;
}

std::string command_for(const SagaPlan& plan, std::string_view mutant) {
  std::string command = fmt::format("makegood-sim --world saga --seed {} --steps {}", plan.seed, plan.steps);
  if (plan.faults) command += fmt::format(" --faults {}", plan.faults->names());
  if (!plan.skipped.empty()) command += fmt::format(" --skip {}", skipped_text(plan.skipped));
  if (!mutant.empty()) command += fmt::format(" --mutant {}", mutant);
  return command;
}

int run_sagas(SagaPlan plan, const std::function<double(std::uint64_t)>& share, bool is_minimizing,
              bool is_telling_sites, std::string_view mutant, const Clock& clock) {
  SagaTotals totals;
  ProgressLine progress(clock);
  for (; share(totals.runs) < 1; ++plan.seed) {
    const SagaSummary summary = SagaWorld(plan).run();
    if (!summary.violations.empty()) {
      progress.clear();
      tell_failure(plan, summary, is_minimizing, mutant, clock);
      return 1;
    }
    for (const auto& line : summary.story) fmt::print("{}\n", line);
    add(totals, summary);
    progress.tell(share(totals.runs), fmt::format("{} runs of sagas, {} steps", totals.runs, totals.sum.steps));
  }
  progress.clear();
  fmt::print("{} runs of sagas, {} steps: {} executions, {} requests, {} crashes\n", totals.runs, totals.sum.steps,
             totals.sum.execution_count, totals.sum.send_count, totals.sum.crash_count);
  return tell_sites(totals, is_telling_sites, !plan.faults);
}

}  // namespace makegood::sim
