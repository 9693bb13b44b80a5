#include "cli/serve_readiness.hpp"

#include <gtest/gtest.h>

#include "cli/serve_observers.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood::cli {
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
}  // namespace makegood::cli
