// Order per tenant, key and destination (I4).
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneOrder : public LaneStory {};

TEST_F(LaneOrder, OneOfAKeyIsInFlight) {
  take();
  exchange({.rows = {of_key(1), of_key(2), row(3).with_key("other"), row(4)}});
  EXPECT_EQ(sent(), Numbers({1, 3, 4}));
}

TEST_F(LaneOrder, TheNextGoesAtOnceAfterASuccess) {
  send_first({of_key(1), of_key(2), of_key(3)});
  succeeds(1);
  EXPECT_EQ(sent(), Numbers({2})) << "it is a hole of a committed turn already";
  succeeds(2);
  EXPECT_EQ(sent(), Numbers({3}));
}

TEST_F(LaneOrder, TheNextIsParkedBehindAHeadThatWaits) {
  send_first({of_key(1), of_key(2), of_key(3)});
  answers(1, Outcome::retry("X"));
  EXPECT_EQ(sent(), Numbers());
  exchange();
  EXPECT_TRUE(parked(1).blocks);
  EXPECT_EQ(parked(2).state, ParkedState::held);
  EXPECT_EQ(parked(3).state, ParkedState::held);
  EXPECT_TRUE(parked(3).blocks);
  EXPECT_EQ(under_way(), Numbers());
  EXPECT_EQ(sent(), Numbers());
}

TEST_F(LaneOrder, WhatIsReadLaterIsHeldToo) {
  send_first({of_key(1)});
  fail_and_park(1);
  exchange({.rows = {of_key(2), row(3)}});
  EXPECT_EQ(parked(2).state, ParkedState::held);
  EXPECT_EQ(parked(2).attempts, 0U);
  EXPECT_EQ(sent(), Numbers({3}));
}

TEST_F(LaneOrder, AHeldDeliveryIsNotDueByItself) {
  send_first({of_key(1), of_key(2)});
  fail_and_park(1);
  try_again(1);
  EXPECT_TRUE(asks().due.empty());
}

TEST_F(LaneOrder, HeldOnesArePromotedOneByOneInTheTurnThatEndsTheirHead) {
  send_first({of_key(1), of_key(2), of_key(3)});
  fail_and_park(1);
  try_again(1);
  succeeds(1);
  exchange();
  EXPECT_EQ(parked(1).state, ParkedState::done);
  EXPECT_EQ(parked(2).state, ParkedState::waiting);
  EXPECT_EQ(parked(2).due_at, store_now());
  EXPECT_FALSE(is_parked(3));
  try_again(2);
  EXPECT_EQ(stored(2).attempts, 1U);
  succeeds(2);
  exchange();
  EXPECT_EQ(parked(3).state, ParkedState::waiting);
}

TEST_F(LaneOrder, AHeadThatFailsAgainKeepsItsFollowersHeld) {
  send_first({of_key(1), of_key(2)});
  fail_and_park(1);
  try_again(1);
  fail_and_park(1);
  EXPECT_TRUE(parked(1).blocks);
  EXPECT_FALSE(is_parked(2));
}

TEST_F(LaneOrder, FreshOnesGoDirectlyWhenTheKeyIsFreeAgain) {
  send_first({of_key(1)});
  fail_and_park(1);
  try_again(1);
  succeeds(1);
  exchange({.rows = {of_key(2)}});
  EXPECT_EQ(sent(), Numbers({2}));
  EXPECT_FALSE(is_parked(2));
}

TEST_F(LaneOrder, AFreshOneWaitsForARetryUnderWay) {
  send_first({of_key(1)});
  fail_and_park(1);
  try_again(1);
  exchange({.rows = {of_key(2)}});
  EXPECT_EQ(sent(), Numbers());
  EXPECT_EQ(under_way(), Numbers({2})) << "in hand, because nothing parked is before it";
  succeeds(1);
  EXPECT_EQ(sent(), Numbers()) << "not before the turn that ends the head";
  exchange();
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneOrder, ADeadHeadFreesItsKeyWithTheTurnThatSaysSo) {
  send_first({of_key(1), of_key(2)});
  answers(1, Outcome::fail("X"));
  EXPECT_EQ(sent(), Numbers());
  ASSERT_TRUE(look());
  EXPECT_FALSE(parked(1).blocks);
  EXPECT_EQ(sent(), Numbers());
  commit();
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneOrder, SkipLetsTheNextPassAHeadThatWaits) {
  destination().ordering = Ordering::skip;
  send_first({of_key(1), of_key(2)});
  answers(1, Outcome::retry("X"));
  ASSERT_TRUE(look());
  EXPECT_FALSE(parked(1).blocks);
  EXPECT_FALSE(is_parked(2));
  EXPECT_EQ(sent(), Numbers());
  commit();
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneOrder, SkipStillSendsOneOfAKeyAtATime) {
  destination().ordering = Ordering::skip;
  send_first({of_key(1), of_key(2)});
  fail_and_park(1);
  ASSERT_EQ(sent(), Numbers({2}));
  try_again(1);
  EXPECT_EQ(stored(1).state, ParkedState::held);
  EXPECT_EQ(stored(1).attempts, 1U) << "held, not tried";
  succeeds(2);
  exchange();
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
  exchange({.due = {due(1)}});
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneOrder, BlockOnDeadKeepsTheKeyBlocked) {
  destination().ordering = Ordering::block_on_dead;
  send_first({of_key(1), of_key(2)});
  kill(1);
  EXPECT_EQ(parked(1).state, ParkedState::dead);
  EXPECT_TRUE(parked(1).blocks);
  EXPECT_EQ(parked(2).state, ParkedState::held);
  exchange({.rows = {of_key(3)}});
  EXPECT_EQ(parked(3).state, ParkedState::held);
  EXPECT_EQ(sent(), Numbers());
}

TEST_F(LaneOrder, BlockOnDeadIsForKeysOnly) {
  destination().ordering = Ordering::block_on_dead;
  send_first({row(1), row(2)});
  kill(1);
  EXPECT_FALSE(parked(1).blocks);
}

TEST_F(LaneOrder, KeysOfDifferentTenantsAreApart) {
  take();
  exchange({.rows = {of_key(1).of_tenant("acme"), of_key(2).of_tenant("bolt")}});
  EXPECT_EQ(sent(), Numbers({1, 2}));
  fail_and_park(1);
  exchange({.rows = {of_key(3).of_tenant("acme"), of_key(4).of_tenant("bolt")}});
  EXPECT_TRUE(is_parked(3));
  EXPECT_FALSE(is_parked(4));
}

TEST_F(LaneOrder, WithoutAKeyNobodyWaits) {
  send_first({row(1), row(2)});
  fail_and_park(1);
  EXPECT_FALSE(parked(1).blocks);
  exchange({.rows = {row(3)}});
  EXPECT_EQ(sent(), Numbers({3}));
}

TEST_F(LaneOrder, ALateRowGoesBeforeThoseBehindIt) {
  take();
  exchange({.rows = {of_key(1), of_key(3)}, .open = {2}});
  ASSERT_EQ(sent(), Numbers({1}));
  exchange({.rows = {of_key(2)}});
  succeeds(1);
  EXPECT_EQ(sent(), Numbers({2}));
  succeeds(2);
  EXPECT_EQ(sent(), Numbers({3}));
}

TEST_F(LaneOrder, ALateRowBeforeABlockerIsNotHeld) {
  take();
  exchange({.rows = {of_key(2)}, .open = {1}});
  ASSERT_EQ(sent(), Numbers({2}));
  answers(2, Outcome::retry("X"));
  exchange({.open = {1}});
  exchange({.rows = {of_key(1)}});
  EXPECT_EQ(sent(), Numbers({1}));
  try_again(2);
  EXPECT_EQ(stored(2).state, ParkedState::held) << "its key is busy";
}

TEST_F(LaneOrder, AnExpiredHeadWithBlockOnDeadHoldsThoseBehindIt) {
  destination().ordering = Ordering::block_on_dead;
  take();
  exchange({.rows = {of_key(1).expires_at(story_begins), of_key(2)}});
  EXPECT_TRUE(parked(1).blocks);
  EXPECT_EQ(parked(2).state, ParkedState::held);
}

}  // namespace
}  // namespace makegood::core
