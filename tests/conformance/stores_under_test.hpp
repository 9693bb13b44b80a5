// The backends, each ready to be put to the test.
#pragma once

#include "tests/conformance/store_under_test.hpp"

namespace makegood::conformance {

StoreKind memory_store();
StoreKind sqlite_store();

}  // namespace makegood::conformance
