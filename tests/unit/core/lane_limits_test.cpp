// Bounded memory (I10), and no more in flight than a destination allows.
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneLimitsStory : public LaneStory {};

TEST_F(LaneLimitsStory, ABatchHasItsRowsAndBytes) {
  options.limits = {.batch_rows_max = 3, .batch_bytes_max = 1000};
  take();
  EXPECT_EQ(asks().rows_max, 3U);
  EXPECT_EQ(asks().bytes_max, 1000U);
}

TEST_F(LaneLimitsStory, TheWindowLeavesRoomForTheRestOnly) {
  options.limits = {.batch_rows_max = 3, .window_rows_max = 4};
  send_first({row(1), row(2), row(3)});
  EXPECT_EQ(asks().rows_max, 1U);
}

TEST_F(LaneLimitsStory, NothingIsReadWhenTheWindowIsFull) {
  options.limits.window_rows_max = 2;
  send_first({row(1), row(2)});
  EXPECT_EQ(asks().rows_max, 0U);
  EXPECT_TRUE(asks().numbers.empty());
  succeeds(1);
  EXPECT_EQ(asks().rows_max, 1U);
}

TEST_F(LaneLimitsStory, NothingIsReadWhenTheWindowIsFullOfBytes) {
  const MessagePtr big = row(1).with_content(std::string(5000, 'x'));
  options.limits.window_bytes_max = 5000;
  send_first({big});
  EXPECT_EQ(asks().rows_max, 0U);
  succeeds(1);
  EXPECT_EQ(asks().bytes_max, 5000U);
}

TEST_F(LaneLimitsStory, TheWindowLeavesRoomForTheRestOfItsBytesOnly) {
  const MessagePtr big = row(1).with_content(std::string(5000, 'x'));
  options.limits.window_bytes_max = 9000;
  send_first({big});
  EXPECT_EQ(asks().bytes_max, 9000 - bytes_of(*big));
}

TEST_F(LaneLimitsStory, AFullWindowForgetsNoOpenNumbersAndNoHoles) {  // I1
  options.limits.window_rows_max = 1;
  take({.reached = 9, .open = {3}, .under_way = {{"fn:a", {4, 5}}}});
  exchange({.rows = {row(4)}, .open = {3}, .unread = {5}, .is_more = true});
  ASSERT_EQ(asks().rows_max, 0U);
  EXPECT_FALSE(look()) << "the position is as it was";
  EXPECT_TRUE(lane().take_alarms().empty());
}

TEST_F(LaneLimitsStory, TooManyOpenNumbersStopTheReadingWithAnAlarmWhileItLasts) {  // I10
  options.limits.open_ranges_max = 2;
  take({.reached = 9, .open = {3}});
  EXPECT_TRUE(asks().is_reading_on);
  exchange({.rows = {row(12)}, .open = {3, 10, 11}});
  EXPECT_FALSE(asks().is_reading_on);
  exchange({.open = {3, 10, 11}, .looked_to = 12});
  exchange({.rows = {row(3)}, .open = {10, 11}, .looked_to = 12});
  EXPECT_TRUE(asks().is_reading_on) << "10 and 11 are one run";
  EXPECT_EQ(lane().take_alarms().size(), 2U) << "so that the status can tell it as long as it is so";
}

TEST_F(LaneLimitsStory, HeldDeliveriesDoNotFillTheWindow) {
  send_first({row(1).with_key("k"), row(2).with_key("k"), row(3).with_key("k")});
  EXPECT_EQ(lane().figures().window_count, 3U);
  fail_and_park(1);
  EXPECT_EQ(lane().figures().window_count, 0U);
}

TEST_F(LaneLimitsStory, ThereIsMoreToReadAtOnce) {
  take();
  exchange({.rows = {row(1)}, .is_more = true});
  EXPECT_EQ(lane().next_exchange(now()), now());
}

TEST_F(LaneLimitsStory, MoreIsReadOnlyWhenItIsWorthTheTrip) {
  options.limits.window_rows_max = 4;
  take();
  exchange({.rows = {row(1), row(2), row(3), row(4)}, .is_more = true});
  sent();
  EXPECT_GT(lane().next_exchange(now()), now()) << "no room";
  succeeds(1);
  EXPECT_EQ(lane().next_exchange(now()), now()) << "a quarter of the window is free";
}

TEST_F(LaneLimitsStory, NoMoreAreInFlightThanTheDestinationAllows) {
  destination().in_flight_max = 2;
  take();
  exchange({.rows = {row(1), row(2), row(3)}});
  EXPECT_EQ(sent(), Numbers({1, 2}));
  EXPECT_EQ(lane().next_release(now()), MonotonicTime::max());
  succeeds(1);
  EXPECT_EQ(sent(), Numbers({3}));
}

TEST_F(LaneLimitsStory, WhatEndedWhileWeWereAwayIsHandedOutInAdvanceNextTime) {
  destination().in_flight_max = 2;
  running_ahead = {"fn"};
  send_first({row(1), row(2), row(3), row(4), row(5), row(6), row(7)});
  asks();
  succeeds(1);
  succeeds(2);
  EXPECT_EQ(sent(), Numbers({3, 4, 5, 6})) << "two to be sent, and two for the time that we are away";
}

TEST_F(LaneLimitsStory, NothingIsHandedOutInAdvanceToATransportThatDoesNotKeepTheLimit) {
  destination().in_flight_max = 2;
  running_ahead = {"http"};
  send_first({row(1), row(2), row(3), row(4), row(5), row(6), row(7)});
  asks();
  succeeds(1);
  succeeds(2);
  EXPECT_EQ(sent(), Numbers({3, 4}));
}

TEST_F(LaneLimitsStory, NothingIsHandedOutInAdvanceToADestinationThatNoLongerAnswers) {
  destination().in_flight_max = 2;
  running_ahead = {"fn"};
  send_first({row(1), row(2), row(3), row(4), row(5), row(6), row(7), row(8)});
  asks();
  succeeds(1);
  succeeds(2);
  ASSERT_EQ(sent(), Numbers({3, 4, 5, 6}));
  for (int look = 0; look < 3; ++look) {
    asks();
    sent();
  }
  succeeds(3);
  succeeds(4);
  EXPECT_TRUE(sent().empty()) << "two are still under way, and that is all it takes";
}

TEST_F(LaneLimitsStory, ASlowDestinationDoesNotHoldTheOthersUp) {
  destination().in_flight_max = 1;
  add_destination("fn:b");
  take();
  exchange({.rows = {row(1), row(2)}});
  EXPECT_EQ(sends(), Sends({{1, "fn:a"}, {1, "fn:b"}, {2, "fn:b"}}));
}

TEST_F(LaneLimitsStory, NoMoreAreSentPerSecondThanTheDestinationAllows) {
  destination().rate_max = 10;
  pass(1h);
  take();
  exchange({.rows = {row(1), row(2)}});
  EXPECT_EQ(sent(), Numbers({1}));
  EXPECT_EQ(lane().next_release(now()), now() + 100ms);
  pass(100ms);
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneLimitsStory, DueDeliveriesHaveTheirShareWhileABacklogFillsTheDestination) {
  destination().in_flight_max = 4;
  send_first({row(1), row(2), row(3), row(4), row(5), row(6)});
  fail_and_park(1);
  ASSERT_EQ(sent(), Numbers({5}));
  pass(1s);
  const LookFor wanted = asks();
  ASSERT_EQ(wanted.due.size(), 1U) << "all places are taken";
  EXPECT_EQ(wanted.due[0].rows_max, 1U);
  exchange({.due = {due(1)}});
  succeeds(2);
  EXPECT_EQ(sent(), Numbers({1})) << "before the backlog";
}

TEST_F(LaneLimitsStory, NoMoreDueDeliveriesAreTakenInThanTheirShare) {
  destination().in_flight_max = 4;
  send_first({row(1), row(2), row(3), row(4), row(5), row(6)});
  fail_and_park(1);
  sent();
  pass(1s);
  exchange({.due = {due(1)}, .next_due = {{"fn:a", store_now()}}});
  EXPECT_TRUE(asks().due.empty()) << "one is ready already";
  EXPECT_GT(lane().next_exchange(now()), now()) << "and nothing can be done about the others";
}

TEST_F(LaneLimitsStory, NothingDueIsReadWhenTheWindowIsFull) {
  options.limits.window_rows_max = 2;
  send_first({row(1), row(2)});
  fail_and_park(1);
  exchange({.rows = {row(3)}});
  pass(1s);
  EXPECT_TRUE(asks().due.empty());
}

TEST_F(LaneLimitsStory, NewLimitsCountFromTheNextExchangeOn) {
  take();
  exchange();
  options.limits.batch_rows_max = 7;
  lane().configure(options);
  EXPECT_EQ(asks().rows_max, 7U);
}

}  // namespace
}  // namespace makegood::core
