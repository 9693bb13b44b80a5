// Whose lane it is: leases, forgetting, and turns that have to be tried again.
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneLease : public LaneStory {
 protected:
  LaneLease() { options.safety_interval = 1h; }
};

TEST_F(LaneLease, NothingIsSentWhenItIsNearlyOver) {
  take();
  exchange({.rows = {row(1).with_key("k"), row(2).with_key("k")}});
  ASSERT_EQ(sent(), Numbers({1}));
  pass(options.lease - 1s);
  succeeds(1);
  EXPECT_EQ(sent(), Numbers());
  EXPECT_EQ(lane().next_release(now()), MonotonicTime::max());
}

TEST_F(LaneLease, SendsRightUpToItsMargin) {
  take();
  exchange({.rows = {row(1)}});
  pass(options.lease - 1s - 1us);
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneLease, AShortOneHasAShortMargin) {
  options.lease = 1s;
  take();
  exchange({.rows = {row(1).with_key("k"), row(2).with_key("k")}});
  sent();
  pass(799ms);
  succeeds(1);
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneLease, CountsFromBeforeTheExchange) {
  take();
  look({.rows = {row(1)}});
  pass(options.lease - 1s);
  commit();
  EXPECT_EQ(sent(), Numbers()) << "the commit came late";
}

TEST_F(LaneLease, IsRenewedByEveryTurn) {
  send_first({row(1)});
  pass(8s);
  exchange({.rows = {row(2)}});
  pass(8s);
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneLease, IsRenewedAtAThirdOfItWhenNothingElseHappens) {
  options.lease = 9s;
  take();
  exchange({.rows = {row(1)}});
  EXPECT_EQ(lane().next_exchange(now()), now() + 3s);
  pass(3s - 1us);
  EXPECT_FALSE(look());
  pass(1us);
  EXPECT_TRUE(look());
  EXPECT_TRUE(turn().parked.empty());
  EXPECT_EQ(turn().lease, 9s);
}

TEST_F(LaneLease, ALaneThatIsIdleIsLookedAtInTheSafetyInterval) {
  options.safety_interval = 1s;
  take();
  exchange();
  EXPECT_EQ(lane().next_exchange(now()), now() + 1s);
}

class LaneForgets : public LaneStory {};

TEST_F(LaneForgets, AnswersToWhatItSentBefore) {
  send_first({row(1)});
  lane().forget();
  succeeds(1);
  EXPECT_FALSE(lane().is_owner());
  EXPECT_TRUE(lane().take_settled().empty());
  EXPECT_EQ(lane().figures().in_flight_count, 0U);
}

TEST_F(LaneForgets, AnswersEvenWhenItHasSentTheSameAgain) {
  send_first({row(1)});
  const Position position{.reached = 1, .under_way = {{"fn:a", {1}}}};
  lane().begin("again", {.turn = 50, .position = position, .now = store_now()}, now());
  lane().look_for(now());
  lane().decide({.now = store_now(), .counter = 1, .looked_to = 1, .rows = {row(1)}}, now());
  ASSERT_EQ(lane().release(now()).size(), 1U);
  answers(1, Outcome::fail("LATE"));
  EXPECT_EQ(lane().figures().in_flight_count, 1U) << "the second is still under way, whatever became of the first";
}

TEST_F(LaneForgets, WhatWasReadyToBeSent) {
  take();
  exchange({.rows = {row(1)}});
  lane().forget();
  EXPECT_EQ(sent(), Numbers());
  EXPECT_EQ(lane().figures().window_count, 0U);
}

TEST_F(LaneForgets, TheTurnThatWasNotCommitted) {
  take();
  look({.rows = {row(1)}});
  lane().forget();
  EXPECT_EQ(sent(), Numbers());
}

// Certainly not written: the loop hands over the same turn again.
class LaneTurnTriedAgain : public LaneStory {};

TEST_F(LaneTurnTriedAgain, IsTheSameTurn) {
  send_first({row(1), row(2)});
  answers(1, Outcome::retry("X"));
  lane().look_for(now());
  const Turn* decided = lane().decide({.now = store_now(), .counter = 2, .looked_to = 2}, now());
  ASSERT_NE(decided, nullptr);
  const Position position = decided->position;
  succeeds(2);
  EXPECT_EQ(decided->position, position);
  EXPECT_EQ(decided->parked.size(), 1U);
}

TEST_F(LaneTurnTriedAgain, AFailureThatArrivesInBetweenIsInTheNextTurn) {  // I1
  send_first({row(1), row(2)});
  succeeds(1);
  ASSERT_TRUE(look());
  answers(2, Outcome::retry("X"));
  EXPECT_EQ(under_way(), Numbers({2}));
  commit();
  ASSERT_TRUE(look());
  EXPECT_EQ(parked(2).state, ParkedState::waiting);
  EXPECT_EQ(under_way(), Numbers());
}

TEST_F(LaneTurnTriedAgain, ASuccessThatArrivesInBetweenIsInTheNextTurn) {
  send_first({row(1), row(2)});
  succeeds(1);
  ASSERT_TRUE(look());
  succeeds(2);
  commit();
  EXPECT_EQ(lane().next_exchange(now()), now() + 10ms);
  ASSERT_TRUE(look());
  EXPECT_EQ(turn().position, Position{.reached = 2});
}

TEST_F(LaneTurnTriedAgain, WhatItCoversIsSentOnceItIsCommitted) {
  send_first({row(1).with_key("k")});
  ASSERT_TRUE(look({.rows = {row(2).with_key("k")}}));
  succeeds(1);
  EXPECT_EQ(sent(), Numbers()) << "I5";
  commit();
  EXPECT_EQ(sent(), Numbers({2}));
}

}  // namespace
}  // namespace makegood::core
