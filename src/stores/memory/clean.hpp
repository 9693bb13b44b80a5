// One bounded step of the cleaner.
#pragma once

#include "stores/memory/state.hpp"

namespace makegood::memory {

/// Removes what the turns older than the retention had settled, from the low end, and answers how many rows left. The
/// turn that it is part of has been appended already.
std::size_t clean(State& state, const Clean& step, TimePoint now);

}  // namespace makegood::memory
