// Whose it is, and for how long.
#include "core/ownership.hpp"

#include <gtest/gtest.h>

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime owned_since = MonotonicTime(1h);

Ownership ours() {
  Ownership ownership{.owner = "one", .turn = 1, .lease = 30s};
  ownership.renewed(owned_since, ownership.lease);
  return ownership;
}

TEST(Ownership, LetsNothingBeginInTheLastSecondOfItsLease) { EXPECT_EQ(ours().send_until(), owned_since + 29s); }

TEST(Ownership, IsRenewedAfterAThirdOfItsLease) { EXPECT_EQ(ours().renewal_at(), owned_since + 10s); }

TEST(Ownership, InDoubtSendsNothingAndIsRenewedAtOnce) {
  Ownership ownership = ours();
  ownership.doubt(owned_since + 5s);
  EXPECT_LT(ownership.send_until(), owned_since + 5s);
  EXPECT_LE(ownership.renewal_at(), owned_since + 5s);
}

TEST(Ownership, InDoubtIsNotMadeLonger) {
  Ownership ownership = ours();
  ownership.doubt(owned_since + 1min);
  EXPECT_EQ(ownership.send_until(), owned_since + 29s);
}

TEST(Ownership, CarriesTheStoresClockOn) {
  Ownership ownership = ours();
  ownership.follow_clock(TimePoint(100s), owned_since);
  EXPECT_EQ(ownership.store_time(owned_since + 3s), TimePoint(103s));
}

}  // namespace
}  // namespace makegood::core
