// One look: what there is to do, from one state.
#pragma once

#include "stores/memory/state.hpp"

namespace makegood::memory {

/// Errc::counter_behind when the log's counter is below what the lane has reached and no operator asked for a rewind.
Result<Found> look(const State& state, const LookFor& wanted, TimePoint now);

}  // namespace makegood::memory
