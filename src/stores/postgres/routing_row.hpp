// The versions of the routes that are kept.
#pragma once

#include <vector>

#include "makegood/routing.hpp"
#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

/// By version: those that lanes go by, or also those that are kept for what was delivered long ago.
enum class RoutingsOf { lanes, history };
Result<std::vector<Routing>> read_routings(Connection& connection, RoutingsOf which);

}  // namespace makegood::postgres
