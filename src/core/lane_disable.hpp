// Destinations that are gone, and what is told of it.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

void watch_health(OwnedLane& lane, DestinationIndex index, const Outcome& outcome, MonotonicTime now);
void disable_hopeless(OwnedLane& lane);
bool is_disabled_anew(const OwnedLane& lane, const Side& side);
void tell_of_death(OwnedLane& lane, const Message& message, const Parked& row);

}  // namespace makegood::core
