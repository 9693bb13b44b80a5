// The destinations and routes that are registered now, and a change of them.
#pragma once

#include <string>

#include "api/asking.hpp"
#include "makegood/spi/routing.hpp"

namespace makegood::api {

/// The newest version; without one: version 0, with nothing in it.
Routing newest_routing(const LaneView& lane);
/// Null when it is not registered.
const Destination* find_destination(const Routing& routing, std::string_view name);
/// Errc::not_found with the nearest name.
Result<const Destination*> registered(const Routing& routing, const std::string& name);

/// Nothing when nothing would change. Errc::invalid when it cannot be.
Result<std::optional<NewRequest>> change_request(const Routing& routing, const RoutingChange& change,
                                                 std::string reason);

}  // namespace makegood::api
