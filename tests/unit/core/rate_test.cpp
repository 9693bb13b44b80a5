// Sends per second, and when the next one may go.
#include "core/rate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime began{1h};

int taken_at(Rate& rate, MonotonicTime now) {
  int count = 0;
  while (count < 1000 && rate.take(now)) ++count;
  return count;
}

TEST(Rate, LetsEverythingPassWithoutALimit) {
  Rate rate;
  EXPECT_EQ(taken_at(rate, began), 1000);
  EXPECT_EQ(rate.next(began), began);
}

TEST(Rate, AllowsATenthOfASecondsWorthAtOnce) {
  Rate rate;
  rate.limit_to(50);
  EXPECT_EQ(taken_at(rate, began), 5);
}

TEST(Rate, AllowsOneAtOnceHoweverSlowItIs) {
  Rate rate;
  rate.limit_to(0.5);
  EXPECT_EQ(taken_at(rate, began), 1);
  EXPECT_EQ(rate.next(began), began + 2s);
}

TEST(Rate, GivesTheNextTokenAtTheMomentItNamed) {
  Rate rate;
  rate.limit_to(3);
  taken_at(rate, began);
  const MonotonicTime next = rate.next(began);
  EXPECT_FALSE(rate.take(next - 10us));
  EXPECT_TRUE(rate.take(next));
}

TEST(Rate, SendsAsManyPerSecondAsItSays) {
  Rate rate;
  rate.limit_to(200);
  taken_at(rate, began);
  int count = 0;
  for (auto now = began + 1ms; now <= began + 1s; now += 1ms) count += taken_at(rate, now);
  EXPECT_NEAR(count, 200, 1);
}

TEST(Rate, AllowsNoMoreInAnySecondAlsoAfterAPause) {
  Rate rate;
  rate.limit_to(200);
  std::vector<MonotonicTime> sends;
  for (auto now = began; now < began + 5s; now += 1ms) {
    const bool is_pausing = now > began + 2300ms && now < began + 3s;
    for (int count = is_pausing ? 0 : taken_at(rate, now); count > 0; --count) sends.push_back(now);
  }
  for (auto first = sends.begin(); first != sends.end(); ++first) {
    const auto end = std::ranges::find_if(first, sends.end(), [&](MonotonicTime at) { return at >= *first + 1s; });
    ASSERT_LE(end - first, 200) << "after " << (*first - began).count() << " us";
  }
  EXPECT_GE(sends.size(), 840U) << "and nothing is given away: 4.3 s";
}

TEST(Rate, KeepsItsPaceSecondAfterSecond) {
  Rate rate;
  rate.limit_to(100'000);
  int count = 0;
  for (auto now = began; now < began + 3s; now += 1ms) count += taken_at(rate, now);
  EXPECT_EQ(count, 300'000);
}

TEST(Rate, SavesNothingUpBeyondItsBucket) {
  Rate rate;
  rate.limit_to(50);
  taken_at(rate, began);
  EXPECT_EQ(taken_at(rate, began + 24h), 5);
}

TEST(Rate, KeepsToItsLimitWhenItIsLowered) {
  Rate rate;
  rate.limit_to(1000);
  rate.next(began);
  rate.limit_to(10);
  EXPECT_EQ(taken_at(rate, began), 1);
}

TEST(Rate, IsNotMovedByAnEarlierMoment) {
  Rate rate;
  rate.limit_to(10);
  EXPECT_EQ(taken_at(rate, began), 1);
  EXPECT_FALSE(rate.take(began - 1h));
  EXPECT_FALSE(rate.take(began + 99ms));
  EXPECT_TRUE(rate.take(began + 100ms));
}

TEST(Rate, IsFreeAgainWhenTheLimitIsTakenAway) {
  Rate rate;
  rate.limit_to(1);
  taken_at(rate, began);
  rate.limit_to(0);
  EXPECT_TRUE(rate.take(began));
}

}  // namespace
}  // namespace makegood::core
