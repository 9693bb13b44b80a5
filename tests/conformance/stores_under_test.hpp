// The backends, each ready to be put to the test.
#pragma once

#include <vector>

#include "tests/conformance/store_under_test.hpp"

namespace makegood::conformance {

StoreKind memory_store();
StoreKind sqlite_store();
/// None without a server, and a test says so.
std::vector<StoreKind> postgres_stores();

}  // namespace makegood::conformance
