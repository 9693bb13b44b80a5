// Many worlds of sagas, one after the other; and the shortening of a schedule that fails.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sim/mutants.hpp"
#include "sim/saga_world.hpp"

namespace makegood::sim {

struct SagaTotals {
  std::uint64_t runs = 0;
  SagaSummary sum = {};
};
void add(SagaTotals& totals, const SagaSummary& run);

/// A world in which the mistake can show.
SagaSummary run_with(const Mutant& mutant, std::uint64_t seed, std::uint64_t steps);
/// As `minimize` of `runner.hpp`.
SagaPlan minimize(SagaPlan plan, const std::function<void(std::size_t)>& tell);
std::string command_for(const SagaPlan& plan, std::string_view mutant = {});

/// From the plan's seed on, until `share` of the runs so far is 1 or more. 0, or 1 and the story on stderr.
int run_sagas(SagaPlan plan, const std::function<double(std::uint64_t)>& share, bool is_minimizing,
              bool is_telling_sites, std::string_view mutant, const Clock& clock);

}  // namespace makegood::sim
