#include "daemon/readiness.hpp"

#include <gtest/gtest.h>

#include "daemon/observers.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood::daemon {
namespace {

using namespace std::chrono_literals;
using testing_support::FakeClock;
using Reasons = std::vector<std::string>;

const Error locked{Errc::store_unavailable, "The database is locked."};

class ReadinessTest : public testing::Test {
 protected:
  FakeClock clock;
  Readiness readiness{{"shop"}, clock};
};

TEST_F(ReadinessTest, ComesWithTheOpenStore) {
  EXPECT_EQ(readiness.reasons().size(), 1U);
  readiness.opened("shop");
  EXPECT_EQ(readiness.reasons(), Reasons());
}

TEST_F(ReadinessTest, TellsWhyAStoreCannotBeOpened) {
  readiness.away("shop", locked);
  EXPECT_EQ(readiness.reasons(), Reasons{"shop: The database is locked. [STORAGE.UNAVAILABLE]"});
}

TEST_F(ReadinessTest, GoesWithTheStoreAndComesBackWithIt) {
  readiness.opened("shop");
  readiness.alarm("shop", locked);
  readiness.figures("shop", {});
  EXPECT_EQ(readiness.reasons().size(), 1U);
  clock.advance(1s);
  readiness.alarm("shop", locked);
  clock.advance(1s);
  readiness.figures("shop", {});
  EXPECT_EQ(readiness.reasons().size(), 1U) << "the lane has not tried again since";
  clock.advance(1s);
  readiness.figures("shop", {});
  EXPECT_EQ(readiness.reasons(), Reasons());
}

TEST_F(ReadinessTest, IsNotAboutDestinations) {
  readiness.opened("shop");
  readiness.alarm("shop", {Errc::no_route, "No destination."});
  EXPECT_EQ(readiness.reasons(), Reasons());
}

TEST_F(ReadinessTest, TellsEveryCauseAndSinceWhenItLasts) {
  readiness.opened("shop");
  const TimePoint began = clock.now();
  readiness.alarm("shop", {Errc::store_full, "The disk is full."});
  readiness.alarm("shop", {Errc::fenced, "Another owner."});
  clock.advance(1s);
  readiness.alarm("shop", {Errc::store_full, "The disk is full."});
  readiness.figures("shop", {});
  const auto alarms = readiness.alarms();
  ASSERT_EQ(alarms.size(), 1U) << "one that was said once is an event, and no state";
  EXPECT_EQ(alarms[0].error.code, Errc::store_full);
  EXPECT_EQ(alarms[0].since, began);
  EXPECT_TRUE(alarms[0].stops_lane);
  clock.advance(2s);
  readiness.figures("shop", {});
  EXPECT_TRUE(readiness.alarms().empty());
}

TEST_F(ReadinessTest, TellsWhatDoesNotStopALaneAndLasts) {
  readiness.opened("shop");
  for (int i = 0; i < 2; ++i) readiness.alarm("shop", {Errc::unavailable, "Too many open transactions."});
  ASSERT_EQ(readiness.alarms().size(), 1U);
  EXPECT_FALSE(readiness.alarms()[0].stops_lane);
  EXPECT_EQ(readiness.reasons(), Reasons());
}

TEST_F(ReadinessTest, WaitsForWhatMustBeDoneFirst) {
  readiness.opened("shop");
  readiness.awaits("The files are not applied yet.");
  EXPECT_EQ(readiness.reasons(), Reasons{"The files are not applied yet."});
  readiness.awaits({});
  EXPECT_EQ(readiness.reasons(), Reasons());
}

TEST_F(ReadinessTest, ALaneThatRestsIsReadyAndMayBeSilent) {
  readiness.opened("shop");
  readiness.figures("shop", {});
  readiness.rests("shop");
  clock.advance(7s);
  EXPECT_EQ(readiness.reasons(), Reasons());
  EXPECT_EQ(readiness.silence(), Duration{});
}

TEST_F(ReadinessTest, KnowsHowLongALaneHasBeenSilent) {
  EXPECT_EQ(readiness.silence(), Duration{});
  readiness.figures("shop", {});
  clock.advance(7s);
  EXPECT_EQ(readiness.silence(), 7s);
}

TEST(ObserversTest, AreAllTold) {
  FakeClock clock;
  Readiness first({"shop"}, clock);
  Readiness second({"shop"}, clock);
  Observers both({&first, &second});
  both.alarm("shop", locked);
  EXPECT_EQ(first.reasons(), second.reasons());
  EXPECT_NE(first.reasons().front().find("locked"), std::string::npos);
}

}  // namespace
}  // namespace makegood::daemon
