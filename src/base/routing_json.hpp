// Destinations and routes as JSON: in a version that is kept, and in a change that somebody asks for.
#pragma once

#include "base/json.hpp"
#include "makegood/destination.hpp"

namespace makegood::json {

void write_route(Writer& writer, const Route& route);
void write_destination(Writer& writer, const Destination& destination);
Result<Route> route_from(const Value& value);
Result<Destination> destination_from(const Value& value);

}  // namespace makegood::json
