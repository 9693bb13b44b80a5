// The versions of the routes that are kept.
#pragma once

#include <vector>

#include "makegood/routing.hpp"
#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

/// All of them, by version.
Result<std::vector<Routing>> read_routings(Connection& connection);

}  // namespace makegood::sqlite
