// When the window is full: who leaves for a lane of its own.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

void open_crowded(OwnedLane& lane, MonotonicTime now);

}  // namespace makegood::core
