// A graceful stop: what is under way may end, nothing new begins, and the last turn gives the lane up.
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneStops : public LaneStory {};

TEST_F(LaneStops, ReadingAndSending) {
  take();
  exchange({.rows = {row(1), row(2)}});
  lane().stop();
  EXPECT_EQ(sent(), Numbers());
  EXPECT_EQ(lane().next_release(now()), MonotonicTime::max());
  EXPECT_EQ(asks().rows_max, 0U);
  EXPECT_TRUE(asks().numbers.empty());
}

TEST_F(LaneStops, LookingForWhatIsDue) {
  send_first({row(1), row(2)});
  fail_and_park(1);
  pass(1s);
  lane().stop();
  EXPECT_TRUE(asks().due.empty());
}

TEST_F(LaneStops, AndGivesTheLaneUpWhenNothingIsInFlight) {
  send_first({row(1)});
  lane().stop();
  succeeds(1);
  EXPECT_EQ(lane().next_exchange(now()), now());
  ASSERT_TRUE(look());
  EXPECT_EQ(turn().lease, 0s);
  EXPECT_EQ(turn().position, Position{.reached = 1});
  commit();
  EXPECT_FALSE(lane().is_owner());
}

TEST_F(LaneStops, ButNotBeforeWhatIsInFlightHasEnded) {
  send_first({row(1), row(2)});
  lane().stop();
  succeeds(1);
  ASSERT_TRUE(look());
  EXPECT_EQ(turn().lease, options.lease);
  commit();
  EXPECT_TRUE(lane().is_owner());
}

TEST_F(LaneStops, AndRecordsFailuresToo) {  // I1
  send_first({row(1)});
  lane().stop();
  answers(1, Outcome::retry("X"));
  ASSERT_TRUE(look());
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
  EXPECT_EQ(turn().lease, 0s);
}

TEST_F(LaneStops, AndLeavesWhatItHasNotSentToTheNextOwner) {  // I1
  destination().in_flight_max = 1;
  send_first({row(1), row(2)});
  lane().stop();
  succeeds(1);
  ASSERT_TRUE(look());
  EXPECT_EQ(under_way(), Numbers({2}));
}

TEST_F(LaneStops, AndRenewsTheLeaseWhileItWaits) {
  send_first({row(1)});
  lane().stop();
  pass(options.lease / 3);
  EXPECT_EQ(lane().next_exchange(now()), now());
  ASSERT_TRUE(look());
  EXPECT_EQ(turn().lease, options.lease);
}

TEST_F(LaneStops, WaitingWhenItHasToGiveUp) {
  send_first({row(1), row(2)});
  fail_and_park(1);
  try_again(1);
  lane().stop();
  lane().give_up();
  ASSERT_TRUE(look());
  EXPECT_EQ(turn().lease, 0s);
  EXPECT_EQ(under_way(), Numbers({2})) << "the next owner sends it again";
  commit();
  EXPECT_FALSE(lane().is_owner());
  EXPECT_TRUE(stored(1).under_way) << "and this one too";
}

}  // namespace
}  // namespace makegood::core
