#include "daemon/descriptor_limit.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace makegood::daemon {
namespace {

TEST(DescriptorLimit, IsRaisedAsFarAsItGoes) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_descriptor_limit(128), 128U);
  EXPECT_EQ(raise_descriptor_limit(100), 128U) << "never lowered";
  EXPECT_EQ(raise_descriptor_limit(before.rlim_max + 1), before.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(DescriptorLimit, LeavesSomeForEverythingElse) {
  EXPECT_EQ(connections_within(8704, 512), 8192U);
  EXPECT_EQ(connections_within(512, 512), 128U);
}

}  // namespace
}  // namespace makegood::daemon
