// Routes as calls write them.
#pragma once

#include <optional>
#include <vector>

#include "api/fields.hpp"
#include "makegood/destination.hpp"

namespace makegood::api {

/// How many destinations, or routes, one call may name.
inline constexpr std::size_t registered_max = 10'000;

/// `routes` of a body, each once; nothing when there is no such member.
std::optional<std::vector<Route>> routes_in(Fields& body);
/// Those that are not among the others.
std::vector<Route> without(const std::vector<Route>& routes, const std::vector<Route>& others);

}  // namespace makegood::api
