// A next owner begins with what the committed turns say, and repeats what was under way, no more.
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneTakeOver : public LaneStory {};

TEST_F(LaneTakeOver, HolesAreReadAgainByTheirNumbers) {  // I1
  take({.reached = 9, .open = {6}, .under_way = {{"fn:a", {4, 8}}}});
  EXPECT_EQ(asks().numbers, Numbers({4, 8}));
  EXPECT_EQ(asks().open, NumberSet({6}));
  EXPECT_EQ(asks().reached, 9);
}

TEST_F(LaneTakeOver, HolesMayBeSentWithoutAnotherTurn) {  // I5: they are covered already
  take({.reached = 9, .under_way = {{"fn:a", {4}}}});
  EXPECT_FALSE(look({.rows = {row(4)}}));
  EXPECT_EQ(sent(), Numbers({4}));
}

TEST_F(LaneTakeOver, WhatAFormerOwnerMayHaveSentIsNotTheFirst) {
  take({.reached = 5, .under_way = {{"fn:a", {4}}}});
  exchange({.rows = {row(4), row(6)}, .counter = 6});
  const auto found = release();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FALSE(found[0].is_first) << "it was under way";
  EXPECT_FALSE(found[1].is_first) << "it was there, and the database may have forgotten who read it";
  exchange({.rows = {row(7)}, .counter = 7});
  const auto drawn_since = release();
  ASSERT_EQ(drawn_since.size(), 1U);
  EXPECT_TRUE(drawn_since[0].is_first);
}

TEST_F(LaneTakeOver, HolesWaitForATurnAfterALookThatFailed) {  // I3: the number may mean another message now
  take({.reached = 5, .under_way = {{"fn:a", {5}}}});
  lane().look_failed();
  ASSERT_TRUE(look({.rows = {row(5)}}));
  EXPECT_EQ(sent(), Numbers());
  commit();
  EXPECT_EQ(sent(), Numbers({5}));
}

TEST_F(LaneTakeOver, HolesAreReadAgainForTheirDestinationsOnly) {
  add_destination("fn:b");
  take({.reached = 9, .under_way = {{"fn:a", {4}}, {"fn:b", {4, 5}}}});
  exchange({.rows = {row(4), row(5)}});
  EXPECT_EQ(sends(), Sends({{4, "fn:a"}, {4, "fn:b"}, {5, "fn:b"}}));
}

TEST_F(LaneTakeOver, WhatWasDeliveredAndRecordedIsNotRepeated) {
  send_first({row(1), row(2)});
  succeeds(1);
  exchange();
  take_over();
  EXPECT_EQ(asks().numbers, Numbers({2}));
}

TEST_F(LaneTakeOver, ASuccessThatNoTurnRecordedIsRepeated) {
  send_first({row(1)});
  succeeds(1);
  take_over();
  exchange({.rows = {row(1)}});
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneTakeOver, HolesKeepTheOrderOfTheirKey) {  // I4
  send_first({of_key(1), of_key(2)});
  take_over();
  exchange({.rows = {of_key(1), of_key(2), of_key(3)}});
  EXPECT_EQ(sent(), Numbers({1}));
  succeeds(1);
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneTakeOver, BlockedKeysStayBlocked) {  // I4
  send_first({of_key(1), of_key(2)});
  fail_and_park(1);
  take_over();
  exchange({.rows = {of_key(3), row(4)}});
  EXPECT_EQ(parked(3).state, ParkedState::held);
  EXPECT_EQ(sent(), Numbers({4}));
}

TEST_F(LaneTakeOver, ADeadHeadThatBlocksStillDoes) {
  destination().ordering = Ordering::block_on_dead;
  send_first({of_key(1)});
  kill(1);
  take_over();
  exchange({.rows = {of_key(2)}});
  EXPECT_EQ(parked(2).state, ParkedState::held);
}

TEST_F(LaneTakeOver, WaitingDeliveriesAreAskedForWhenTheyAreDue) {
  send_first({row(1)});
  fail_and_park(1);
  take_over();
  EXPECT_TRUE(asks().due.empty());
  pass(1s);
  ASSERT_EQ(asks().due.size(), 1U);
  exchange({.due = {due(1)}});
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneTakeOver, AParkedAttemptUnderWayIsRepeatedWithoutBeingCountedAgain) {  // I6
  send_first({row(1)});
  fail_and_park(1);
  try_again(1);
  take_over();
  EXPECT_EQ(asks().due.size(), 1U);
  exchange({.due = {due(1)}});
  EXPECT_EQ(parked(1).attempts, 2U);
  EXPECT_TRUE(parked(1).under_way);
  const auto deliveries = release();
  ASSERT_EQ(deliveries.size(), 1U);
  EXPECT_EQ(deliveries[0].attempt, 2U);
}

TEST_F(LaneTakeOver, AParkedAttemptUnderWayIsNotCountedAgainWhenItIsHeldFirst) {  // I6
  destination().ordering = Ordering::skip;
  send_first({of_key(1)});
  fail_and_park(1);
  try_again(1);
  exchange({.rows = {of_key(2)}});
  take(turn().position);
  exchange({.rows = {of_key(2)}});
  ASSERT_EQ(sent(), Numbers({2}));
  exchange({.due = {due(1)}});
  EXPECT_EQ(parked(1).state, ParkedState::held);
  EXPECT_FALSE(parked(1).under_way);
  succeeds(2);
  exchange();
  try_again(1);
  EXPECT_EQ(stored(1).attempts, 2U);
}

TEST_F(LaneTakeOver, HolesForWhichThereIsNoRoomAreKept) {  // I1
  take({.reached = 9, .under_way = {{"fn:a", {4, 5, 6}}}});
  exchange({.rows = {row(4)}, .unread = {5, 6}, .is_more = true});
  ASSERT_EQ(sent(), Numbers({4}));
  succeeds(4);
  ASSERT_TRUE(look({.unread = {5, 6}}));
  EXPECT_EQ(under_way(), Numbers({5, 6}));
  commit();
  EXPECT_EQ(asks().numbers, Numbers({5, 6}));
}

TEST_F(LaneTakeOver, UnreadHolesStayBesideThoseInHand) {
  take({.reached = 9, .under_way = {{"fn:a", {4, 5, 8}}}});
  look({.rows = {row(5)}, .unread = {4, 8}});
  EXPECT_EQ(turn().position, Position{}) << "no turn: the position is as it was";
  exchange({.rows = {row(4), row(10)}, .unread = {8}});
  EXPECT_EQ(under_way(), Numbers({4, 5, 8, 10}));
}

TEST_F(LaneTakeOver, OpenNumbersAreKeptWhileTheyMayAppear) {
  take({.reached = 9, .open = {6, 7}});
  exchange({.rows = {row(10)}, .open = {6, 7}});
  EXPECT_EQ(turn().position.open, NumberSet({6, 7}));
  EXPECT_EQ(turn().position.reached, 10);
}

TEST_F(LaneTakeOver, OpenNumbersForWhichThereIsNoRoomStayOpen) {
  take({.reached = 9, .open = {6, 7}, .under_way = {{"fn:a", {5}}}});
  look({.rows = {row(5), row(6)}, .open = {7}});
  EXPECT_EQ(asks().open, NumberSet({7}));
  EXPECT_EQ(asks().numbers, Numbers());
}

TEST_F(LaneTakeOver, AnOpenNumberIsClosedWhenItCannotAppearAnyMore) {
  take({.reached = 9, .open = {6, 7}});
  EXPECT_FALSE(look({.open = {7}})) << "that can wait for the next turn";
  EXPECT_EQ(asks().open, NumberSet({7}));
  ASSERT_TRUE(look({.rows = {row(10)}, .open = {7}}));
  EXPECT_EQ(turn().position.open, NumberSet({7}));
}

TEST_F(LaneTakeOver, ALateRowIsDelivered) {  // I1
  take({.reached = 9, .open = {6}});
  ASSERT_TRUE(look({.rows = {row(6)}}));
  EXPECT_EQ(turn().position, (Position{.reached = 9, .under_way = {{"fn:a", {6}}}}));
  EXPECT_EQ(sent(), Numbers()) << "I5: its number was open, so no turn covers it yet";
  commit();
  EXPECT_EQ(sent(), Numbers({6}));
}

TEST_F(LaneTakeOver, AHoleThatIsNoLongerInTheLogIsAnAlarm) {
  take({.reached = 9, .under_way = {{"fn:a", {4}}}});
  look();
  const auto alarms = lane().take_alarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].code, Errc::store_corrupt);
  EXPECT_NE(alarms[0].message.find("Message 4 "), std::string::npos);
  EXPECT_EQ(turn().position, Position{.reached = 9});
}

TEST_F(LaneTakeOver, ReadsAtOnce) {
  pass(1h);
  take();
  EXPECT_EQ(lane().next_exchange(now()), now());
}

// A delayed message came due while a later one of its key was under way, and then the owner died.
class LaneTakeOverOfAHeldHead : public LaneStory {
 protected:
  LaneTakeOverOfAHeldHead() {
    send_first({of_key(2).available_at(story_begins + 10s), of_key(5).expires_at(story_begins + 60s)});
    pass(10s);
    exchange({.due = {due(2)}});
  }
};

TEST_F(LaneTakeOverOfAHeldHead, GoesFirstWhenTheOtherIsReadAgain) {  // I1
  ASSERT_EQ(stored(2).state, ParkedState::held);
  take_over();
  exchange({.rows = {of_key(5)}});
  exchange();
  EXPECT_EQ(stored(2).state, ParkedState::waiting) << "nothing is before it";
}

TEST_F(LaneTakeOverOfAHeldHead, GoesWhenTheOtherHasExpired) {  // I1
  pass(60s);
  take_over();
  exchange({.rows = {of_key(5).expires_at(story_begins + 60s)}});
  exchange();
  EXPECT_EQ(stored(5).state, ParkedState::dead);
  EXPECT_EQ(stored(2).state, ParkedState::waiting) << "nothing is before it";
}

TEST_F(LaneTakeOver, ADelayedMessageDoesNotPassTheHolesOfItsKey) {  // I4
  send_first({of_key(1), of_key(2), of_key(3).available_at(story_begins + 10s)});
  pass(10s);
  take_over();
  EXPECT_TRUE(asks().due.empty()) << "the holes come first";
  exchange({.rows = {of_key(1), of_key(2)}});
  EXPECT_EQ(asks().due.size(), 1U);
  exchange({.due = {due(3)}});
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneTakeOver, NothingDueIsAskedForWhileHolesAreNotReadYet) {  // I4
  send_first({of_key(1), of_key(2).available_at(story_begins + 10s)});
  pass(10s);
  take_over();
  exchange({.unread = {1}, .is_more = true});
  EXPECT_TRUE(asks().due.empty());
}

}  // namespace
}  // namespace makegood::core
