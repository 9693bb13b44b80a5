// The stores that keep the promises. One line each.
#include "tests/conformance/store_suite.hpp"
#include "tests/conformance/stores_under_test.hpp"

namespace makegood::conformance {

INSTANTIATE_TEST_SUITE_P(Memory, StoreSuite, ::testing::Values(memory_store()), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Sqlite, StoreSuite, ::testing::Values(sqlite_store()), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Postgres, StoreSuite, ::testing::ValuesIn(postgres_stores()),
                         ::testing::PrintToStringParamName());

}  // namespace makegood::conformance
