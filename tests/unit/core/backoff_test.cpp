// Delays between attempts: grown, spread, then held within [base, cap].
#include <gtest/gtest.h>

#include <limits>

#include "makegood/retry_policy.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;

constexpr double almost_one = 0x1.fffffffffffffp-1;
constexpr double middle = 0.5;

TEST(Backoff, GrowsByItsFactorFromTheBase) {
  const RetryPolicy policy{.base = 500ms, .factor = 2, .jitter = 0};
  EXPECT_EQ(backoff(policy, 1, middle), 500ms);
  EXPECT_EQ(backoff(policy, 2, middle), 1s);
  EXPECT_EQ(backoff(policy, 5, middle), 8s);
}

TEST(Backoff, StopsGrowingAtTheCap) {
  const RetryPolicy policy{.base = 500ms, .factor = 2, .jitter = 0, .cap = 3s};
  EXPECT_EQ(backoff(policy, 3, middle), 2s);
  EXPECT_EQ(backoff(policy, 4, middle), 3s);
  EXPECT_EQ(backoff(policy, 40, middle), 3s);
}

TEST(Backoff, SpreadsADelayEvenlyToBothSides) {
  const RetryPolicy policy{.base = 1s, .factor = 10, .jitter = 0.3, .cap = 1h};
  EXPECT_EQ(backoff(policy, 2, 0), 7s);
  EXPECT_EQ(backoff(policy, 2, middle), 10s);
  EXPECT_EQ(backoff(policy, 2, 0.75), 11500ms);
}

TEST(Backoff, NeverFallsBelowTheBaseWhateverTheJitter) {
  const RetryPolicy policy{.base = 1s, .factor = 2, .jitter = 1, .cap = 1min};
  EXPECT_EQ(backoff(policy, 1, 0), 1s);
  EXPECT_EQ(backoff(policy, 6, 0), 1s);
}

TEST(Backoff, NeverExceedsTheCapWhateverTheJitter) {
  const RetryPolicy policy{.base = 1s, .factor = 2, .jitter = 1, .cap = 1min};
  EXPECT_EQ(backoff(policy, 6, almost_one), 1min);
  EXPECT_EQ(backoff(policy, 60, almost_one), 1min);
}

TEST(Backoff, GivesTheSameDelayForTheSameChance) {
  const RetryPolicy policy;
  EXPECT_EQ(backoff(policy, 4, 0.123), backoff(policy, 4, 0.123));
  EXPECT_NE(backoff(policy, 4, 0.123), backoff(policy, 4, 0.124));
}

TEST(Backoff, HoldsTheCapForAHugeNumberOfAttempts) {
  const RetryPolicy policy{.base = 1ms, .factor = 10, .cap = 5min};
  for (const std::uint32_t attempts : {100U, 1'000U, 100'000U, std::numeric_limits<std::uint32_t>::max()}) {
    EXPECT_EQ(backoff(policy, attempts, almost_one), 5min) << attempts;
  }
}

TEST(Backoff, WithoutABaseStaysAtZeroForAHugeNumberOfAttempts) {
  const RetryPolicy policy{.base = 0ms, .factor = 2, .jitter = 0};
  EXPECT_EQ(backoff(policy, 5, middle), 0ms);
  EXPECT_EQ(backoff(policy, 100'000, middle), 0ms);
}

TEST(Backoff, WithTheLongestCapThereIsStaysPositive) {
  const RetryPolicy policy{.base = 1s, .factor = 2, .jitter = 0, .cap = Duration::max()};
  EXPECT_GT(backoff(policy, 100'000, middle), 24h * 365);
}

TEST(Backoff, TakesTheBaseWhereTheCapIsBelowIt) {
  const RetryPolicy policy{.base = 10s, .factor = 2, .jitter = 0.5, .cap = 1s};
  EXPECT_EQ(backoff(policy, 1, middle), 10s);
  EXPECT_EQ(backoff(policy, 9, almost_one), 10s);
}

TEST(Backoff, FollowsAScheduleAsItIsWritten) {
  const RetryPolicy policy{.base = 1h, .jitter = 1, .schedule = {1s, 1min, 5s}};
  EXPECT_EQ(backoff(policy, 1, almost_one), 1s);
  EXPECT_EQ(backoff(policy, 2, 0), 1min);
  EXPECT_EQ(backoff(policy, 3, middle), 5s);
}

TEST(Backoff, StaysAtTheLastDelayOfASchedule) {
  const RetryPolicy policy{.schedule = {1s, 1min}};
  EXPECT_EQ(backoff(policy, 3, 0), 1min);
  EXPECT_EQ(backoff(policy, std::numeric_limits<std::uint32_t>::max(), 0), 1min);
}

TEST(Backoff, AScheduleGivesOneAttemptMoreThanItHasDelays) {
  EXPECT_EQ(attempts_max({.attempts_max = 12}), 12U);
  EXPECT_EQ(attempts_max({.attempts_max = 12, .schedule = {1s, 2s, 3s}}), 4U);
}

}  // namespace
}  // namespace makegood
