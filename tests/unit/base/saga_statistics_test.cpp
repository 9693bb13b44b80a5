#include "base/saga_statistics.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace makegood {
namespace {

using namespace std::chrono_literals;

double in_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

TEST(SagaStatistics, AClassIsTrueToATenth) {
  for (double wanted = 0.001; wanted < 3e6; wanted *= 1.07) {
    const auto took = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wanted));
    EXPECT_NEAR(in_seconds(middle_of_class(took_class(took))) / wanted, 1, 0.1) << wanted;
  }
}

TEST(SagaStatistics, WhatTookNoTimeIsTheLowestClass) {
  EXPECT_EQ(took_class(0us), 0);
  EXPECT_EQ(took_class(-1s), 0);
  EXPECT_EQ(took_class(999us), 0);
  EXPECT_EQ(took_class(1ms), 1);
}

TEST(SagaStatistics, QuantilesAreOfWhatHasCompleted) {
  SagaTotals totals;
  const SagaClass completed{.tenant_id = "t", .definition = "d", .version = 1};
  for (const auto& [took, count] : {std::pair<Duration, int>{10ms, 98}, {1s, 1}, {100s, 1}}) {
    SagaClass one = completed;
    one.took = took_class(took);
    totals.add(one, count);
  }
  SagaClass undone = completed;
  undone.state = SagaState::compensated;
  undone.took = took_class(10h);
  totals.add(undone, 1000);
  SagaStatisticsPage page;
  totals.put(page, 10);
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items[0].completed, 100U);
  EXPECT_EQ(page.items[0].compensated, 1000U);
  EXPECT_NEAR(in_seconds(*page.items[0].median), 0.01, 0.001);
  EXPECT_NEAR(in_seconds(*page.items[0].p99), 1, 0.1);
}

TEST(SagaStatistics, AreOfOneRowForTenantDefinitionAndVersionTheMostFirst) {
  SagaTotals totals;
  totals.add({.tenant_id = "t", .definition = "d", .version = 1}, 1);
  totals.add({.tenant_id = "t", .definition = "d", .version = 2}, 3);
  totals.add_running("u", "d", 1, 2);
  totals.add({.tenant_id = "gone", .definition = "d"}, 1);
  totals.add({.tenant_id = "gone", .definition = "d"}, -1);
  SagaStatisticsPage page;
  totals.put(page, 2);
  ASSERT_EQ(page.items.size(), 2U);
  EXPECT_FALSE(page.is_complete);
  EXPECT_EQ(page.items[0].version, 2);
  EXPECT_EQ(page.items[1].running, 2U);
}

TEST(SagaStatistics, HoursAreNotDivided) {
  const TimePoint noon(12h);
  const SagaClass one{.hour = noon};
  EXPECT_TRUE(is_counted({.from = noon + 30min}, one));
  EXPECT_TRUE(is_counted({.until = noon + 1min}, one));
  EXPECT_FALSE(is_counted({.until = noon}, one));
  EXPECT_FALSE(is_counted({.from = noon + 1h}, one));
}

}  // namespace
}  // namespace makegood
