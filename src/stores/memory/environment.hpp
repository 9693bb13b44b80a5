// Whether a process may own what is in a database in memory.
#pragma once

#include <string>

#include "stores/memory/state.hpp"

namespace makegood::memory {

/// The environment is all that a copy in memory could differ in.
Result<> check_environment(const State& state, const std::string& environment);

}  // namespace makegood::memory
