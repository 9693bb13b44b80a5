// What a lane counts: each message once, when a committed turn has read it; and what is not delivered yet, at most.
#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LaneFiguresTold : public LaneOnStore {
 protected:
  Numbers counted() {
    Numbers numbers;
    for (const MessagePtr& message : lane().take_enqueued()) numbers.push_back(message->sequence);
    return numbers;
  }
  std::size_t pending() { return lane().figures().pending_count; }
};

TEST_F(LaneFiguresTold, AMessageCountsWithTheTurnThatReadIt) {
  take();
  enqueue(2);
  relay().look();
  EXPECT_EQ(counted(), Numbers()) << "that turn may be lost";
  relay().commit();
  EXPECT_EQ(counted(), Numbers({1, 2}));
  run();
  EXPECT_EQ(counted(), Numbers());
}

TEST_F(LaneFiguresTold, AMessageCountsOnceHoweverManyDestinationsItHas) {
  add_destination("fn:b");
  take();
  enqueue(1);
  run();
  EXPECT_EQ(counted(), Numbers({1}));
}

TEST_F(LaneFiguresTold, AMessageWithoutARouteCountsToo) {
  options.routes.clear();
  take();
  enqueue(1);
  run();
  EXPECT_EQ(counted(), Numbers({1}));
}

TEST_F(LaneFiguresTold, AMessageDoesNotCountAgainForTheNextOwner) {
  take();
  enqueue(1);
  exchange();
  EXPECT_EQ(counted(), Numbers({1}));
  die_and_take_over();
  run();
  EXPECT_EQ(received(), Numbers({1}));
  EXPECT_EQ(counted(), Numbers());
}

TEST_F(LaneFiguresTold, WhatSideLanesCarryCountsWhenTheyReadIt) {
  add_destination("fn:b");
  take();
  pause("fn:a");
  enqueue(3);
  run();
  EXPECT_EQ(counted(), Numbers()) << "for the first of their destinations nobody has read them";
  pause("fn:b");
  resume("fn:a");
  run();
  EXPECT_EQ(counted(), Numbers({1, 2, 3}));
  resume("fn:b");
  run();
  EXPECT_EQ(counted(), Numbers());
}

TEST_F(LaneFiguresTold, NothingIsPendingWhenEverythingIsDelivered) {
  take();
  enqueue(5);
  EXPECT_EQ(pending(), 0U) << "nobody has looked";
  run();
  EXPECT_EQ(pending(), 0U);
}

TEST_F(LaneFiguresTold, WhatAPausedDestinationIsToGetIsPending) {
  take();
  pause();
  enqueue(5);
  run();
  EXPECT_EQ(lane().figures().unread_count, 0U) << "the main lane has read on";
  EXPECT_EQ(pending(), 5U);
  resume();
  run();
  EXPECT_EQ(pending(), 0U);
}

TEST_F(LaneFiguresTold, WhatWaitsForItsRetryIsPending) {
  take();
  enqueue(2, message("k"));
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  EXPECT_GE(pending(), 2U) << "one is under way, the other waits behind it";
  fails(1);
  exchange();
  EXPECT_GE(pending(), 2U) << "one waits for its retry, the other is held";
  run_for(1min);
  EXPECT_EQ(pending(), 0U);
}

}  // namespace
}  // namespace makegood::core
