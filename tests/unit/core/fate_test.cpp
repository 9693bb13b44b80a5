// What becomes of a delivery after one attempt.
#include "core/fate.hpp"

#include <gtest/gtest.h>

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint noon{12h};
const RetryPolicy three_attempts{.attempts_max = 3, .base = 1s, .jitter = 0};

TEST(Verdict, IsDeliveredAfterASuccessEvenWithTheLastAttempt) {
  EXPECT_TRUE(std::holds_alternative<Delivered>(verdict_on(Outcome::ok(), {1, 1}, three_attempts, noon, 0)));
  EXPECT_TRUE(std::holds_alternative<Delivered>(verdict_on(Outcome::ok(), {3, 3}, three_attempts, noon, 0)));
}

TEST(Verdict, WaitsForItsBackoffWhileAttemptsAreLeft) {
  const auto first = verdict_on(Outcome::retry("TX.TIMEOUT"), {1, 1}, three_attempts, noon, 0);
  const auto second = verdict_on(Outcome::retry("TX.TIMEOUT"), {2, 2}, three_attempts, noon, 0);
  EXPECT_EQ(std::get<Waits>(first).due_at, noon + 1s);
  EXPECT_EQ(std::get<Waits>(second).due_at, noon + 2s);
}

TEST(Verdict, UsesTheChanceItIsGiven) {
  const RetryPolicy policy{.base = 1s, .factor = 10, .jitter = 0.5};
  EXPECT_EQ(std::get<Waits>(verdict_on(Outcome::retry("X"), {2, 2}, policy, noon, 0)).due_at, noon + 5s);
  EXPECT_EQ(std::get<Waits>(verdict_on(Outcome::retry("X"), {2, 2}, policy, noon, 0.5)).due_at, noon + 10s);
}

TEST(Verdict, DiesWithTheLastAttempt) {
  EXPECT_TRUE(std::holds_alternative<Dies>(verdict_on(Outcome::retry("X"), {3, 3}, three_attempts, noon, 0)));
  EXPECT_TRUE(std::holds_alternative<Dies>(verdict_on(Outcome::retry("X"), {4, 4}, three_attempts, noon, 0)));
}

TEST(Verdict, NeverDiesOfAnAttemptThatWasNotAnswered) {
  const Tries tries{.sends = 50, .answered = 3, .is_counted = false};
  EXPECT_TRUE(std::holds_alternative<Waits>(verdict_on(Outcome::unreachable("X"), tries, three_attempts, noon, 0)));
}

TEST(Verdict, LetsDelaysGrowWithAllSends) {
  const auto waits =
      std::get<Waits>(verdict_on(Outcome::retry("X"), {.sends = 4, .answered = 1}, three_attempts, noon, 0));
  EXPECT_EQ(waits.due_at, noon + 8s);
}

TEST(Verdict, DiesAtOnceOfAPermanentFailure) {
  EXPECT_TRUE(std::holds_alternative<Dies>(verdict_on(Outcome::fail("X"), {1, 1}, three_attempts, noon, 0)));
}

TEST(Verdict, CountsTheAttemptsOfASchedule) {
  const RetryPolicy policy{.attempts_max = 99, .schedule = {5s}};
  EXPECT_EQ(std::get<Waits>(verdict_on(Outcome::retry("X"), {1, 1}, policy, noon, 0)).due_at, noon + 5s);
  EXPECT_TRUE(std::holds_alternative<Dies>(verdict_on(Outcome::retry("X"), {2, 2}, policy, noon, 0)));
}

}  // namespace
}  // namespace makegood::core
