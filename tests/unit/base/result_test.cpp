#include "makegood/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "makegood/spi/assert.hpp"

namespace makegood {
namespace {

Error no_luck() { return {Errc::unavailable, "The destination could not be reached.", "connection refused"}; }

Result<int> number(bool is_there) {
  if (is_there) return 7;
  return no_luck();
}

Result<std::unique_ptr<int>> owned(bool is_there) {
  if (is_there) return std::make_unique<int>(7);
  return no_luck();
}

Result<> done(bool is_done) {
  if (is_done) return {};
  return no_luck();
}

TEST(Result, HoldsAValue) {
  const Result<int> result = number(true);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(*result, 7);
}

TEST(Result, HoldsAnErrorWithItsSentenceAndItsDiagnostics) {
  const Result<int> result = number(false);
  ASSERT_FALSE(result);
  EXPECT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Errc::unavailable);
  EXPECT_EQ(result.error().message, "The destination could not be reached.");
  EXPECT_EQ(result.error().diagnostics, "connection refused");
}

TEST(Result, WithoutAValueIsGoodUntilItHoldsAnError) {
  const Result<> nothing;
  EXPECT_TRUE(nothing);
  EXPECT_TRUE(done(true));
  EXPECT_EQ(done(false).error().code, Errc::unavailable);
}

TEST(Result, GivesAWayToTheMembersOfItsValue) {
  Result<std::string> result = std::string("text");
  result->push_back('!');
  EXPECT_EQ(result->size(), 5U);
  EXPECT_EQ(*result, "text!");
}

TEST(Result, MovesWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result = owned(true);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Try, YieldsTheValue) {
  const auto doubled = [](bool is_there) -> Result<int> { return 2 * MAKEGOOD_TRY(number(is_there)); };
  EXPECT_EQ(*doubled(true), 14);
}

TEST(Try, ReturnsTheErrorUnchangedAndRunsNothingMore) {
  bool went_on = false;
  const auto attempt = [&]() -> Result<std::string> {
    MAKEGOOD_TRY(done(false));
    went_on = true;
    return std::string("never");
  };
  const Result<std::string> result = attempt();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().diagnostics, "connection refused");
  EXPECT_FALSE(went_on);
}

TEST(Try, EvaluatesItsExpressionOnce) {
  int calls = 0;
  const auto counted = [&]() -> Result<int> { return ++calls; };
  const auto attempt = [&]() -> Result<int> { return MAKEGOOD_TRY(counted()); };
  EXPECT_EQ(*attempt(), 1);
  EXPECT_EQ(calls, 1);
}

TEST(Try, TakesOverAValueThatCanOnlyBeMoved) {
  const auto unwrapped = [](bool is_there) -> Result<int> {
    const std::unique_ptr<int> pointer = MAKEGOOD_TRY(owned(is_there));
    return *pointer;
  };
  EXPECT_EQ(*unwrapped(true), 7);
  EXPECT_FALSE(unwrapped(false));
}

TEST(Try, CanStandTwiceInOneExpression) {
  const auto sum = [](bool is_there) -> Result<int> {
    return MAKEGOOD_TRY(number(true)) + MAKEGOOD_TRY(number(is_there));
  };
  EXPECT_EQ(*sum(true), 14);
  EXPECT_FALSE(sum(false));
}

TEST(Result, GivesItsValueOrAnother) {
  EXPECT_EQ(number(true).value(), 7);
  EXPECT_EQ(*owned(true).value(), 7);
  EXPECT_EQ(number(true).value_or(8), 7);
  EXPECT_EQ(number(false).value_or(8), 8);
  EXPECT_EQ(owned(false).value_or(nullptr), nullptr);
  done(true).value();
}

TEST(ResultDeathTest, StopsTheProcessWithItsErrorWhenTheValueIsWanted) {
  EXPECT_DEATH(number(false).value(), "makegood: PROVIDER.UNAVAILABLE: The destination could not be reached. conn");
  EXPECT_DEATH(done(false).value(), "The destination could not be reached.");
}

TEST(Assert, LetsATrueConditionPass) { MAKEGOOD_ASSERT(1 + 1 == 2); }

TEST(AssertDeathTest, StopsTheProcessAndNamesTheBrokenInvariant) {
  EXPECT_DEATH(MAKEGOOD_ASSERT(1 + 1 == 3), "broken invariant at .*result_test.cpp:[0-9]+: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace makegood
