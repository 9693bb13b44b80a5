#include "tests/crash/stores.hpp"

namespace makegood::crash {
namespace {

TEST(CrashOnPostgres, HasAServer) {
  if (testing_support::postgres_url().empty()) GTEST_SKIP() << testing_support::no_postgres;
  EXPECT_EQ(stores().size(), 2U);
}

}  // namespace
}  // namespace makegood::crash
