// What the lane does with its suspects.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

void end_being_alone(OwnedLane& lane, MonotonicTime now);
void send_one_alone(OwnedLane& lane, MonotonicTime now);

}  // namespace makegood::core
