// Destinations and routes, by version.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

/// Nobody has said yet where anything goes: messages that are there before the first route wait for it. From then on
/// one without a route is dead. A registry that has lost its last route still has a version with routes; in stores of
/// earlier releases that version may be retired, and there the position shows that messages were read by it.
bool is_without_routes(const OwnedLane& lane);
void adopt_routing(OwnedLane& lane);
/// Whoever is no longer there is neither up nor down.
void register_newest(OwnedLane& lane);
/// The oldest version that any lane may still go by; and the newest with routes stays, so that a registry without
/// routes is not taken for one that never had any.
std::int64_t oldest_routing(const OwnedLane& lane);
std::optional<std::string> change_registry(OwnedLane& lane, const Request& request);
/// By an operator. Where programs register their destinations, one that this program does not know is waited for.
bool is_removed(const OwnedLane& lane, DestinationIndex index);
void wind_up_removed(OwnedLane& lane);

}  // namespace makegood::core
