// The bank of mistakes: what others did wrong, and what the attack on our own design found. The simulator must notice
// each of them.
#pragma once

#include <span>
#include <string_view>

namespace makegood::sim {

struct Mutant {
  std::string_view name;
  std::string_view mistake;      ///< What is done wrong.
  std::string_view source;       ///< Where it was seen.
  bool is_rare = false;          ///< Needs more than a hundred runs or so to show.
  std::string_view faults = {};  ///< Those that bring it about; empty: whatever a seed draws.
};

std::span<const Mutant> mutants();

/// From now on the core and the model store of this process make this mistake; empty: none.
void choose_mutant(std::string_view name);
std::string_view chosen_mutant();

}  // namespace makegood::sim
