// The bank of mistakes with idempotency keys.
#pragma once

#include "sim/mutants.hpp"

namespace makegood::sim {

std::span<const Mutant> key_mutants();

}  // namespace makegood::sim
