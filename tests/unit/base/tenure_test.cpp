#include "base/tenure.hpp"

#include <gtest/gtest.h>

namespace makegood {
namespace {

using namespace std::chrono_literals;

const TimePoint now = TimePoint(1h);
const Claimant claimant{.owner = "new", .lease = 10s, .former = "mine"};

Tenure held_until(TimePoint until) { return {.owner = "theirs", .at = now - 1s, .until = until}; }

}  // namespace

TEST(MayTake, WhatNobodyHasEverOwned) { EXPECT_TRUE(may_take(Tenure(), claimant, now)); }

TEST(MayTake, NothingThatIsLeased) {
  EXPECT_FALSE(may_take(held_until(now + 1us), claimant, now));
  EXPECT_FALSE(may_take(held_until(now + 10s), claimant, now));
}

TEST(MayTake, WhatWasLeasedUntilNow) { EXPECT_TRUE(may_take(held_until(now), claimant, now)); }

TEST(MayTake, WhatIsLeasedForLongerThanAnyoneWouldNow) { EXPECT_TRUE(may_take(held_until(now + 11s), claimant, now)); }

TEST(MayTake, WhatItOwnedItself) {
  EXPECT_TRUE(may_take({.owner = "mine", .at = now, .until = now + 5s}, claimant, now));
  EXPECT_FALSE(may_take({.owner = "theirs", .at = now, .until = now + 5s}, {.owner = "new", .lease = 10s}, now));
}

TEST(MayTake, WhatWasGivenUpWhateverTheClocksSay) {
  EXPECT_TRUE(may_take({.owner = "theirs", .at = now + 5s, .until = now + 5s}, claimant, now));
}

TEST(IsAfterDeath, OnlyWhenAnotherNeitherGaveUpNorIsTheClaimant) {
  EXPECT_TRUE(is_after_death(held_until(now - 1ms), claimant));
  EXPECT_FALSE(is_after_death(Tenure(), claimant));
  EXPECT_FALSE(is_after_death({.owner = "theirs", .at = now, .until = now}, claimant));
  EXPECT_FALSE(is_after_death({.owner = "mine", .at = now, .until = now + 5s}, claimant));
}

TEST(StoreTime, DoesNotRunBackwards) {
  EXPECT_EQ(store_time(now, now + 60s), now + 60s);
  EXPECT_EQ(store_time(now, now - 1s), now);
}

TEST(StoreTime, DoesNotFollowAClockThatMustHaveBeenWrong) { EXPECT_EQ(store_time(now, now + 61s), now); }

}  // namespace makegood
