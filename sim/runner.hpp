// Many seeds, one after the other; and what is done about one that fails.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/mutants.hpp"
#include "sim/world.hpp"

namespace makegood::sim {

struct Totals {
  std::uint64_t runs = 0;
  Summary sum = {};
};

/// Adds one run's figures.
void add(Totals& totals, const Summary& run);

/// A world in which the mistake can show.
Plan plan_for(const Mutant& mutant, std::uint64_t seed, std::uint64_t steps);

/// The same schedule with as few faults and steps as still break a promise. `tell` hears how many steps are left.
Plan minimize(Plan plan, const std::function<void(std::size_t)>& tell);

/// The one line that repeats a run.
std::string command_for(const Plan& plan, std::string_view mutant = {});
/// `3-17,20` and back; nothing if it cannot be read.
std::string skipped_text(const std::set<std::uint64_t>& skipped);
std::optional<std::set<std::uint64_t>> skipped_from(std::string_view text);

}  // namespace makegood::sim
