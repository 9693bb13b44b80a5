// Sends per second, and when the next one may go.
#include "core/rate.hpp"

#include <gtest/gtest.h>

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime start{1h};

int taken_at(Rate& rate, MonotonicTime now) {
  int count = 0;
  while (count < 1000 && rate.take(now)) ++count;
  return count;
}

TEST(Rate, LetsEverythingPassWithoutALimit) {
  Rate rate;
  EXPECT_EQ(taken_at(rate, start), 1000);
  EXPECT_EQ(rate.next(start), start);
}

TEST(Rate, AllowsATenthOfASecondsWorthAtOnce) {
  Rate rate;
  rate.limit_to(50);
  EXPECT_EQ(taken_at(rate, start), 5);
}

TEST(Rate, AllowsOneAtOnceHoweverSlowItIs) {
  Rate rate;
  rate.limit_to(0.5);
  EXPECT_EQ(taken_at(rate, start), 1);
  EXPECT_EQ(rate.next(start), start + 2s);
}

TEST(Rate, GivesTheNextTokenAtTheMomentItNamed) {
  Rate rate;
  rate.limit_to(3);
  taken_at(rate, start);
  const MonotonicTime next = rate.next(start);
  EXPECT_FALSE(rate.take(next - 10us));
  EXPECT_TRUE(rate.take(next));
}

TEST(Rate, SendsAsManyPerSecondAsItSays) {
  Rate rate;
  rate.limit_to(200);
  taken_at(rate, start);
  int count = 0;
  for (auto now = start + 1ms; now <= start + 1s; now += 1ms) count += taken_at(rate, now);
  EXPECT_NEAR(count, 200, 1);
}

TEST(Rate, SavesNothingUpBeyondItsBucket) {
  Rate rate;
  rate.limit_to(50);
  taken_at(rate, start);
  EXPECT_EQ(taken_at(rate, start + 24h), 5);
}

TEST(Rate, KeepsToItsLimitWhenItIsLowered) {
  Rate rate;
  rate.limit_to(1000);
  rate.next(start);
  rate.limit_to(10);
  EXPECT_EQ(taken_at(rate, start), 1);
}

TEST(Rate, IsNotMovedByAnEarlierMoment) {
  Rate rate;
  rate.limit_to(10);
  EXPECT_EQ(taken_at(rate, start), 1);
  EXPECT_FALSE(rate.take(start - 1h));
  EXPECT_FALSE(rate.take(start + 99ms));
  EXPECT_TRUE(rate.take(start + 100ms));
}

TEST(Rate, IsFreeAgainWhenTheLimitIsTakenAway) {
  Rate rate;
  rate.limit_to(1);
  taken_at(rate, start);
  rate.limit_to(0);
  EXPECT_TRUE(rate.take(start));
}

}  // namespace
}  // namespace makegood::core
