// One bounded step of the cleaner.
#pragma once

#include "stores/memory/state.hpp"

namespace makegood::memory {

/// Removes what the turns older than the retention had settled, from the low end, and answers how many rows left. The
/// turn that it is part of has been appended already. Versions of the routes below `oldest_routing` go as well.
std::size_t clean(State& state, const Clean& step, std::int64_t oldest_routing, TimePoint now);

}  // namespace makegood::memory
