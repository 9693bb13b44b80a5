#include "daemon/refusal_lines.hpp"

#include <gtest/gtest.h>

namespace makegood::daemon {
namespace {

using namespace std::chrono_literals;

TEST(RefusalLines, TellOfEachWhileThereAreFew) {
  RefusalLines lines;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(lines.take(MonotonicTime(i * 1s)), 0U);
}

TEST(RefusalLines, TellHowManyWentWithoutALine) {
  RefusalLines lines;
  int written = 0;
  for (int i = 0; i < 1000; ++i) written += lines.take(MonotonicTime(10s)).has_value() ? 1 : 0;
  EXPECT_EQ(written, 5);
  EXPECT_EQ(lines.take(MonotonicTime(11s)), 995U);
  EXPECT_EQ(lines.take(MonotonicTime(11s)), 0U);
}

}  // namespace
}  // namespace makegood::daemon
