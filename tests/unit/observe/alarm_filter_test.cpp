#include "observe/alarm_filter.hpp"

#include <gtest/gtest.h>

#include <string>

namespace makegood::observe {
namespace {

constexpr MonotonicTime start_time{std::chrono::hours(1)};

TEST(AlarmFilter, LetsTheFirstThroughAndCountsTheRest) {
  AlarmFilter filter;
  EXPECT_EQ(filter.pass("full", start_time), 0U);
  EXPECT_EQ(filter.pass("full", start_time + std::chrono::seconds(1)), std::nullopt);
  EXPECT_EQ(filter.pass("full", start_time + std::chrono::seconds(9)), std::nullopt);
  EXPECT_EQ(filter.pass("full", start_time + AlarmFilter::quiet_time), 2U);
  EXPECT_EQ(filter.pass("full", start_time + 2 * AlarmFilter::quiet_time), 0U);
}

TEST(AlarmFilter, KeepsDifferentAlarmsApart) {
  AlarmFilter filter;
  EXPECT_EQ(filter.pass("full", start_time), 0U);
  EXPECT_EQ(filter.pass("corrupt", start_time), 0U);
}

TEST(AlarmFilter, LetsNewAlarmsThroughWhenItCannotRememberMore) {
  AlarmFilter filter;
  for (std::size_t i = 0; i < AlarmFilter::alarms_max; ++i) filter.pass(std::to_string(i), start_time);
  EXPECT_EQ(filter.pass("new", start_time), 0U);
  EXPECT_EQ(filter.pass("new", start_time), 0U);
  const MonotonicTime later = start_time + AlarmFilter::quiet_time;
  EXPECT_EQ(filter.pass("newer", later), 0U);
  EXPECT_EQ(filter.pass("newer", later), std::nullopt) << "old alarms were not forgotten";
}

}  // namespace
}  // namespace makegood::observe
