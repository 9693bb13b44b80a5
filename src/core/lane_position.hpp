// Between the store's position and the memory of an owner: how a taking becomes one, and how it is written down.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

/// What a taking has brought.
void load(OwnedLane& lane, Taken taken, MonotonicTime asked_at);
Position position_of(OwnedLane& lane);

}  // namespace makegood::core
