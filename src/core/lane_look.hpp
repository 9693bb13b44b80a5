// What to look for, and how much.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

std::size_t room(const OwnedLane& lane);
/// Each turn tells them all.
bool has_room_for_open(const OwnedLane& lane);
/// What was under way and is not in hand comes first, or a delayed or held message could pass it.
std::size_t due_places(const OwnedLane& lane, DestinationIndex index, MonotonicTime now);
bool has_unread(const OwnedLane& lane, DestinationIndex index);

}  // namespace makegood::core
