// Scopes within scopes: the innermost carries, and starts from the lane around it.
#include <algorithm>

#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LaneNested : public LaneOnStore {
 protected:
  /// 1 of acme, 2 of another.
  void enqueue_both() {
    enqueue(message("k", "acme"));
    enqueue(message("k", "other"));
  }
};

TEST_F(LaneNested, TheInnermostScopeCarries) {
  take();
  pause();
  pause("fn:a", "acme");
  enqueue_both();
  run();
  resume();
  run();
  EXPECT_EQ(received(), Numbers({2})) << "of acme only the destination has been resumed";
  resume("fn:a", "acme");
  run();
  EXPECT_EQ(received(), Numbers({2, 1}));
  EXPECT_TRUE(position().sides.empty());
}

TEST_F(LaneNested, APauseAroundHoldsForTheInnerOne) {
  take();
  pause("fn:a", "acme");
  pause();
  enqueue_both();
  run();
  resume("fn:a", "acme");
  run_for(10s);
  EXPECT_EQ(received(), Numbers());
  resume();
  run();
  Numbers all = received();
  std::ranges::sort(all);
  EXPECT_EQ(all, Numbers({1, 2}));
}

TEST_F(LaneNested, TheInnerOneStartsFromTheLaneAroundIt) {
  enqueue_both();
  take();
  exchange();
  pause();
  ASSERT_EQ(side(all_of_a)->reached, 2);
  enqueue_both();
  enqueue_both();
  exchange();
  ASSERT_EQ(lane().reached(), 6);
  pause("fn:a", "acme");
  EXPECT_EQ(side(acme_at_a)->reached, 2) << "not from the main lane";
}

TEST_F(LaneNested, NumbersOfTheOuterOneAreHandedOverWhenTheyAreRead) {  // I1
  enqueue_both();
  enqueue_both();
  take();
  exchange();
  pause();
  enqueue_both();
  exchange();
  pause("fn:a", "acme");
  resume();
  run();
  EXPECT_EQ(received(), Numbers({2, 4, 6}));
  resume("fn:a", "acme");
  run();
  EXPECT_EQ(received(), Numbers({2, 4, 6, 1, 3, 5}));
}

TEST_F(LaneNested, WhatTheOuterOneHasInHandMovesIntoTheInnerOne) {
  options.limits.window_rows_max = 8;  // With two in hand it does not merge.
  take();
  pause();
  enqueue_both();
  exchange();
  resume();
  exchange();
  ASSERT_EQ(sent(), Numbers({1, 2}));
  pause("fn:a", "acme");
  EXPECT_EQ(side(acme_at_a)->under_way, Numbers({1}));
  EXPECT_EQ(side(all_of_a)->under_way, Numbers({2}));
}

TEST_F(LaneNested, TheInnerOneMergesIntoTheLaneAroundIt) {
  take();
  pause();
  pause("fn:a", "acme");
  enqueue_both();
  exchange();
  resume("fn:a", "acme");
  exchange();
  EXPECT_FALSE(side(acme_at_a));
  ASSERT_TRUE(side(all_of_a));
  EXPECT_EQ(received(), Numbers());
  resume();
  run();
  EXPECT_EQ(received(), Numbers({1, 2}));
}

TEST_F(LaneNested, AnOutageHoldsForEveryLaneOfItsDestination) {
  take();
  pause("fn:a", "acme");
  enqueue(3, message("", "acme"));
  exchange();
  down = {"fn:a"};
  enqueue(3, message("", "other"));
  run();
  ASSERT_TRUE(lane().is_broken("fn:a"));
  resume("fn:a", "acme");
  forget_received();
  run_for(5s);
  EXPECT_EQ(received(), Numbers()) << "no probe is due yet";
  down.clear();
  run_for(1min);
  Numbers all = received();
  std::ranges::sort(all);
  EXPECT_EQ(all, Numbers({1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(position().sides.empty());
}

}  // namespace
}  // namespace makegood::core
