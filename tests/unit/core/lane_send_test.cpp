// From the log to a success: nothing is sent before its turn, and nothing is written but the position.
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneSends : public LaneStory {};

TEST_F(LaneSends, NothingBeforeTheTurnThatCoversItIsCommitted) {  // I5
  take();
  ASSERT_TRUE(look({.rows = {row(1)}}));
  EXPECT_EQ(sent(), Numbers());
  commit();
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneSends, WhatALostTurnHadReadWhenItIsReadAgain) {  // I1
  take();
  look({.rows = {row(1)}});
  take_over();
  EXPECT_EQ(asks().reached, 0);
  exchange({.rows = {row(1)}});
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneSends, EachDeliveryOnce) {
  send_first({row(1), row(2)});
  EXPECT_EQ(sent(), Numbers());
  exchange();
  EXPECT_EQ(sent(), Numbers());
}

TEST_F(LaneSends, TheFirstAttemptWithTicketAndOutbox) {
  take();
  exchange({.rows = {row(1).with_topic("orders.placed").with_content("\"x\"")}});
  const auto deliveries = release();
  ASSERT_EQ(deliveries.size(), 1U);
  EXPECT_EQ(deliveries[0].attempt, 1U);
  EXPECT_NE(deliveries[0].ticket, 0U);
  EXPECT_EQ(deliveries[0].outbox, "shop_outbox");
  EXPECT_EQ(deliveries[0].destination->name, "fn:a");
  EXPECT_EQ(deliveries[0].message->content, "\"x\"");
}

TEST_F(LaneSends, InLogOrder) {
  take();
  exchange({.rows = {row(1), row(2), row(5)}});
  EXPECT_EQ(sent(), Numbers({1, 2, 5}));
}

TEST_F(LaneSends, TheTurnFollowsTheRememberedOneUnderTheSameOwner) {  // I3
  take();
  const Owner owner = lane().owner();
  exchange({.rows = {row(1)}});
  const TurnNumber first = turn().after;
  exchange({.rows = {row(2)}});
  EXPECT_EQ(turn().owner, owner);
  EXPECT_EQ(turn().after, first + 1);
  EXPECT_EQ(turn().lease, options.lease);
}

TEST_F(LaneSends, WhatIsUnderWayIsAHoleUntilItEnds) {  // I1
  send_first({row(1), row(2), row(3)});
  EXPECT_EQ(turn().position.reached, 3);
  EXPECT_EQ(under_way(), Numbers({1, 2, 3}));
  succeeds(2);
  exchange();
  EXPECT_EQ(under_way(), Numbers({1, 3}));
}

TEST_F(LaneSends, ASuccessIsAHoleLessAndNothingElse) {
  send_first({row(1)});
  succeeds(1);
  ASSERT_TRUE(look());
  EXPECT_EQ(turn().position, Position{.reached = 1});
  EXPECT_TRUE(turn().parked.empty());
}

TEST_F(LaneSends, NoTurnIsWrittenWhenNothingHasHappened) {
  take();
  EXPECT_FALSE(look());
  exchange({.rows = {row(1)}});
  EXPECT_FALSE(look());
}

TEST_F(LaneSends, NumbersThatWillNeverAppearMoveThePositionOn) {
  take();
  exchange({.looked_to = 9});
  EXPECT_EQ(lane().reached(), 9);
  EXPECT_EQ(asks().reached, 9);
}

TEST_F(LaneSends, HowFarTheLaneHasLookedIsWrittenWithTheNextTurn) {
  take();
  EXPECT_FALSE(look({.open = {4}, .looked_to = 9})) << "nobody depends on it";
  ASSERT_TRUE(look({.rows = {row(10)}, .open = {4}}));
  EXPECT_EQ(turn().position, (Position{.reached = 10, .open = {4}, .under_way = {{"fn:a", {10}}}}));
}

TEST_F(LaneSends, HowFarTheLaneHasLookedIsWrittenWhenTheLeaseIsRenewed) {
  take();
  EXPECT_FALSE(look({.open = {4}, .looked_to = 9}));
  pass(options.lease / 3);
  ASSERT_TRUE(look({.open = {4}, .looked_to = 9}));
  EXPECT_EQ(turn().position, (Position{.reached = 9, .open = {4}}));
}

TEST_F(LaneSends, ASuccessAloneWaitsALittleForATurn) {
  send_first({row(1), row(2)});
  succeeds(1);
  const MonotonicTime answered_at = now();
  pass(4ms);
  succeeds(2);
  EXPECT_EQ(lane().next_exchange(now()), answered_at + 10ms) << "the oldest counts";
}

TEST_F(LaneSends, AFailureIsRecordedAtOnce) {
  send_first({row(1)});
  answers(1, Outcome::retry("X"));
  EXPECT_EQ(lane().next_exchange(now()), now());
}

TEST_F(LaneSends, ASecondAnswerToATicketIsDropped) {
  send_first({row(1)});
  answers(1, Outcome::retry("X"));
  succeeds(1);
  exchange();
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
  EXPECT_EQ(lane().figures().in_flight_count, 0U);
}

TEST_F(LaneSends, WhatWasDeliveredIsReported) {
  send_first({row(1)});
  pass(250ms);
  succeeds(1);
  const auto settled = lane().take_settled();
  ASSERT_EQ(settled.size(), 1U);
  EXPECT_EQ(settled[0].fate, Fate::delivered);
  EXPECT_EQ(settled[0].attempt, 1U);
  EXPECT_EQ(settled[0].since_sent, 250ms);
  EXPECT_EQ(settled[0].since_created, 250ms);
  EXPECT_TRUE(lane().take_settled().empty());
}

TEST_F(LaneSends, TheFiguresTellWhatIsInHand) {
  destination().in_flight_max = 1;
  take();
  exchange({.rows = {row(1), row(2)}, .is_more = true, .counter = 7});
  sent();
  const LaneFigures figures = lane().figures();
  EXPECT_TRUE(figures.is_owner);
  EXPECT_EQ(figures.unread_count, 5U);
  EXPECT_EQ(figures.pending_count, 7U) << "two are in hand";
  EXPECT_EQ(figures.in_flight_count, 1U);
  EXPECT_EQ(figures.window_count, 2U);
}

TEST_F(LaneSends, TheNextSendIsNotExpectedBeforeTheTurnThatCoversIt) {
  take();
  look({.rows = {row(1)}});
  EXPECT_EQ(lane().next_release(now()), MonotonicTime::max());
  commit();
  EXPECT_EQ(lane().next_release(now()), now());
}

}  // namespace
}  // namespace makegood::core
