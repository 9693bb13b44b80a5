#include "sim/runner.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

namespace makegood::sim {
namespace {

bool fails(const Plan& plan) { return !World(plan).run().violations.empty(); }

/// Faults that are not needed are switched off.
void drop_faults(Plan& plan) {
  for (std::size_t index = 0; index < fault_count; ++index) {
    const auto fault = static_cast<Fault>(index);
    if (!plan.faults->has(fault)) continue;
    Plan without = plan;
    without.faults->set(fault, false);
    if (fails(without)) plan = std::move(without);
  }
}

std::vector<std::uint64_t> kept_steps(const Plan& plan) {
  std::vector<std::uint64_t> kept;
  for (std::uint64_t step = 0; step < plan.steps; ++step) {
    if (!plan.skipped.contains(step)) kept.push_back(step);
  }
  return kept;
}

/// One pass over the schedule that tries to leave out `width` steps at a time. True if any was left out.
bool drop_steps(Plan& plan, std::size_t width) {
  bool has_dropped = false;
  const auto kept = kept_steps(plan);
  for (std::size_t begin = 0; begin < kept.size(); begin += width) {
    Plan without = plan;
    for (std::size_t i = begin; i < std::min(begin + width, kept.size()); ++i) without.skipped.insert(kept[i]);
    if (!fails(without)) continue;
    plan = std::move(without);
    has_dropped = true;
  }
  return has_dropped;
}

bool read(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

void add(Totals& totals, const Summary& run) {
  ++totals.runs;
  Summary& sum = totals.sum;
  sum.steps += run.steps;
  sum.committed_count += run.committed_count;
  sum.arrival_count += run.arrival_count;
  sum.duplicate_count += run.duplicate_count;
  sum.crash_count += run.crash_count;
  sum.dead_count += run.dead_count;
  sum.simulated += run.simulated;
  sum.sites.add(run.sites);
}

Plan plan_for(const Mutant& mutant, std::uint64_t seed, std::uint64_t steps) {
  Plan plan{.seed = seed, .steps = steps};
  if (!mutant.faults.empty()) plan.faults = faults_from(mutant.faults);
  return plan;
}

Plan minimize(Plan plan, const std::function<void(std::size_t)>& tell) {
  const Summary run = World(plan).run();
  plan.faults = run.faults;
  plan.steps = run.steps;
  drop_faults(plan);
  for (std::size_t width = plan.steps / 2; width > 0; width /= 2) {
    drop_steps(plan, width);
    tell(kept_steps(plan).size());
  }
  while (drop_steps(plan, 1)) tell(kept_steps(plan).size());
  return plan;
}

std::string command_for(const Plan& plan, std::string_view mutant) {
  std::string command = fmt::format("makegood-sim --seed {} --steps {}", plan.seed, plan.steps);
  if (plan.faults) command += " --faults " + plan.faults->names();
  if (!plan.skipped.empty()) command += " --skip " + skipped_text(plan.skipped);
  if (!mutant.empty()) command += fmt::format(" --mutant {}", mutant);
  return command;
}

std::string skipped_text(const std::set<std::uint64_t>& skipped) {
  std::string text;
  for (auto step = skipped.begin(); step != skipped.end();) {
    const std::uint64_t first = *step;
    std::uint64_t last = first;
    for (++step; step != skipped.end() && *step == last + 1; ++step) last = *step;
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ",", first);
    if (last > first) fmt::format_to(std::back_inserter(text), "-{}", last);
  }
  return text;
}

std::optional<std::set<std::uint64_t>> skipped_from(std::string_view text) {
  std::set<std::uint64_t> skipped;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    const std::size_t dash = range.find('-');
    std::uint64_t first = 0;
    if (!read(range.substr(0, dash), first)) return std::nullopt;
    std::uint64_t last = first;
    if (dash != std::string_view::npos && !read(range.substr(dash + 1), last)) return std::nullopt;
    for (std::uint64_t step = first; step <= last; ++step) skipped.insert(step);
    text.remove_prefix(std::min(text.size(), range.size() + 1));
  }
  return skipped;
}

}  // namespace makegood::sim
