// One look: what there is to do, from one state.
#pragma once

#include "stores/memory/state.hpp"

namespace makegood::memory {

/// Errc::fenced when the last turn is not the remembered one, or the log has forgotten what was read after it.
Result<Found> look(const State& state, const LookFor& wanted, TimePoint now);

}  // namespace makegood::memory
