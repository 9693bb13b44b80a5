// A log that is not the one that the last turn has left: the lane stops, and how it goes on.
#include "makegood/events.hpp"
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

class LaneLog : public LaneStory {
 protected:
  Seen stopped(LogTrouble trouble, Sequence counter = 100) {
    return {.looked_to = 100, .counter = counter, .trouble = trouble};
  }
  Seen asked_to(RequestKind kind, LogTrouble trouble, Sequence first_row, Sequence to = 0) {
    Seen seen = stopped(trouble);
    seen.requests = {asked(kind, to, "")};
    seen.first_row = first_row;
    return seen;
  }
};

TEST_F(LaneLog, TheTurnKeepsTheNewestRowAndTheCounter) {
  take();
  exchange({.rows = {row(1), row(2)}, .counter = 5});
  EXPECT_EQ(turn().mark.anchor, 2);
  EXPECT_EQ(turn().mark.anchor_event, MessagePtr(row(2))->event_id);
  EXPECT_EQ(turn().mark.counter, 5);
}

TEST_F(LaneLog, ARowThatAppearsLateDoesNotMoveTheAnchorBack) {
  take();
  exchange({.rows = {row(2)}, .open = {1}});
  exchange({.rows = {row(1)}});
  EXPECT_EQ(turn().mark.anchor, 2);
}

TEST_F(LaneLog, ATroubleStopsTheLaneAndTheTurnSaysSo) {
  take({.reached = 100});
  ASSERT_TRUE(look(stopped(LogTrouble::anchor_missing)));
  EXPECT_EQ(turn().mark.stopped, LogTrouble::anchor_missing);
  const auto alarms = lane().take_alarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].code, Errc::log_changed);
  EXPECT_TRUE(says(alarms[0].message, "makegood outbox rewind"));
}

TEST_F(LaneLog, AStoppedLaneStaysStoppedWhenTheLogLooksRightAgain) {  // I1: numbers were drawn twice meanwhile.
  take({.reached = 100});
  exchange(stopped(LogTrouble::counter_behind, 60));
  exchange(stopped(LogTrouble::none, 120));
  EXPECT_FALSE(lane().take_alarms().empty());
  pass(4s);
  ASSERT_TRUE(look(stopped(LogTrouble::none, 120)));
  EXPECT_EQ(turn().mark.stopped, LogTrouble::counter_behind);
  EXPECT_EQ(turn().mark.counter, 0) << "what a stopped lane sees of the counter counts for nothing";
}

TEST_F(LaneLog, ARowAboveTheCounterStopsTheLaneOnlyAsLongAsItIsThere) {
  take({.reached = 100});
  exchange(stopped(LogTrouble::foreign_number));
  exchange({.rows = {row(101)}});
  EXPECT_EQ(sent(), Numbers({101}));
}

TEST_F(LaneLog, AStoppedLaneRenewsItsLease) {
  take({.reached = 100});
  exchange(stopped(LogTrouble::anchor_changed));
  pass(4s);
  EXPECT_TRUE(look(stopped(LogTrouble::anchor_changed)));
}

TEST_F(LaneLog, AStoppedLaneSaysSoOncePerSecondAndNoMoreOften) {
  take({.reached = 100});
  exchange(stopped(LogTrouble::anchor_changed, 500));
  EXPECT_EQ(lane().next_exchange(now()), now() + 1s);
}

TEST_F(LaneLog, AStoppedLaneCleansNothing) {
  options.is_cleaner_enabled = true;
  options.clean_interval = 1s;
  take({.reached = 100});
  exchange(stopped(LogTrouble::drawn_again));
  pass(2s);
  exchange(stopped(LogTrouble::drawn_again));
  EXPECT_FALSE(turn().clean);
}

TEST_F(LaneLog, OtherRequestsWaitUntilTheLaneReadsAgain) {
  take({.reached = 100});
  Seen seen = stopped(LogTrouble::anchor_missing);
  seen.requests = {asked(RequestKind::pause, 0)};
  ASSERT_TRUE(look(seen));
  EXPECT_EQ(answer_to(1), "");
}

TEST_F(LaneLog, WhatIsInHandIsStillRecorded) {  // I1
  send_first({row(1), row(2)});
  succeeds(1);
  ASSERT_TRUE(look(stopped(LogTrouble::anchor_missing)));
  EXPECT_EQ(under_way(), Numbers({2}));
}

TEST_F(LaneLog, AThoroughLookComesFirstAndWithTheCleaner) {
  options.is_cleaner_enabled = true;
  options.clean_interval = 60s;
  take();
  EXPECT_TRUE(asks().is_thorough);
  exchange({.rows = {row(1)}});
  EXPECT_FALSE(asks().is_thorough);
  pass(60s);
  EXPECT_TRUE(asks().is_thorough);
}

TEST_F(LaneLog, AnAnchorWithoutContentIsRoutedNowhere) {
  add_destination("fn:events", "makegood.*");
  take();
  exchange({.rows = {row(1).with_topic(std::string(anchor_topic)), row(2)}});
  EXPECT_TRUE(turn().parked.empty());
  EXPECT_EQ(under_way("fn:events"), Numbers{});
  EXPECT_EQ(sent(), Numbers({2}));
}

class LaneRewind : public LaneLog {};

TEST_F(LaneRewind, GoesToBeforeTheFirstRowThatIsThere) {  // I1: never to the counter.
  take({.reached = 100});
  ASSERT_TRUE(look(asked_to(RequestKind::rewind, LogTrouble::anchor_changed, 1)));
  EXPECT_EQ(answer_to(1), "done");
  EXPECT_EQ(turn().position, (Position{.reached = 0}));
}

TEST_F(LaneRewind, WaitsForThoseWhoHaveDrawnALowerNumberAndNotCommitted) {  // I1
  take({.reached = 100});
  ASSERT_TRUE(look(asked_to(RequestKind::rewind, LogTrouble::drawn_again, 3)));
  EXPECT_EQ(turn().position, (Position{.reached = 2, .open = {1, 2}}));
}

TEST_F(LaneRewind, OfAnEmptyLogGoesToTheCounter) {
  take({.reached = 100});
  Seen seen = asked_to(RequestKind::rewind, LogTrouble::counter_behind, 0);
  seen.counter = 2;
  ASSERT_TRUE(look(seen));
  EXPECT_EQ(turn().position, (Position{.reached = 2, .open = {1, 2}}));
}

TEST_F(LaneRewind, GoesToWhereTheOperatorWantsIt) {
  take({.reached = 100, .open = {30, 95}, .under_way = {{"fn:a", {40, 90}}}});
  ASSERT_TRUE(look(asked_to(RequestKind::rewind, LogTrouble::anchor_missing, 1, 81)));
  EXPECT_EQ(turn().position, (Position{.reached = 80, .open = {30}, .under_way = {{"fn:a", {40}}}}));
}

TEST_F(LaneRewind, GivesTheLaneUpSoThatNobodyRemembersWhatNumbersMeant) {
  send_first({row(1)});
  ASSERT_TRUE(look(asked_to(RequestKind::rewind, LogTrouble::anchor_changed, 1)));
  EXPECT_EQ(turn().lease, Duration{});
  commit();
  EXPECT_FALSE(lane().is_owner());
}

TEST_F(LaneRewind, SetsTheAnchorAnew) {
  take();
  exchange({.rows = {row(1), row(2)}});
  ASSERT_TRUE(look(asked_to(RequestKind::rewind, LogTrouble::anchor_changed, 1)));
  EXPECT_EQ(turn().mark, (LogMark{.counter = 100}));
}

TEST_F(LaneRewind, KeepsWhatIsPausedPaused) {
  SideLane side{.scope = {"fn:a"}, .is_paused = true, .reached = 70, .under_way = {60}};
  take({.reached = 100, .sides = {side}});
  ASSERT_TRUE(look(asked_to(RequestKind::rewind, LogTrouble::anchor_changed, 1)));
  ASSERT_EQ(turn().position.sides.size(), 1U);
  EXPECT_TRUE(turn().position.sides[0].is_paused);
  EXPECT_EQ(turn().position.sides[0].reached, 0);
  EXPECT_TRUE(turn().position.sides[0].under_way.empty());
}

TEST_F(LaneRewind, IsRefusedWhileTheLogIsAsItWasLeft) {
  take({.reached = 100});
  ASSERT_TRUE(look(asked_to(RequestKind::rewind, LogTrouble::none, 1)));
  EXPECT_EQ(answer_to(1), "refused: the log is as it was left; to deliver again, ask for a replay");
  EXPECT_EQ(turn().position.reached, 100);
}

TEST_F(LaneRewind, IsPossibleForANextOwnerToo) {
  take({.reached = 100});
  exchange(stopped(LogTrouble::counter_behind, 60));
  take_over();
  ASSERT_TRUE(look(asked_to(RequestKind::rewind, LogTrouble::none, 1)));
  EXPECT_EQ(answer_to(1), "done");
}

TEST_F(LaneRewind, IsPossibleInEveryStoppedState) {
  const auto last = static_cast<int>(LogTrouble::foreign_number);
  for (int number = 1; number <= last; ++number) {
    const auto trouble = static_cast<LogTrouble>(number);
    SCOPED_TRACE(to_string(trouble));
    take({.reached = 100});
    exchange(stopped(trouble));
    ASSERT_TRUE(lane().is_owner());
    ASSERT_TRUE(look(asked_to(RequestKind::rewind, trouble, 1)));
    EXPECT_EQ(answer_to(number), "done");
    EXPECT_EQ(turn().position, (Position{.reached = 0}));
    EXPECT_EQ(turn().mark.stopped, LogTrouble::none);
    commit();
  }
}

class LaneGoOn : public LaneLog {};

TEST_F(LaneGoOn, KeepsThePositionWhenTheLogIsRightAgain) {
  take({.reached = 100});
  exchange(stopped(LogTrouble::counter_behind, 60));
  exchange(asked_to(RequestKind::go_on, LogTrouble::none, 1));
  EXPECT_EQ(answer_to(1), "done");
  EXPECT_EQ(turn().position.reached, 100);
  exchange({.rows = {row(101)}});
  EXPECT_EQ(sent(), Numbers({101}));
}

TEST_F(LaneGoOn, IsRefusedWhileTheAnchorIsMissing) {
  take({.reached = 100});
  exchange(asked_to(RequestKind::go_on, LogTrouble::anchor_missing, 1));
  EXPECT_TRUE(says(answer_to(1), "refused: The newest message that was read is gone"));
  EXPECT_EQ(turn().mark.stopped, LogTrouble::anchor_missing);
}

TEST_F(LaneGoOn, TakesForDeliveredWhatLiesBelow) {
  take({.reached = 100});
  exchange(asked_to(RequestKind::go_on, LogTrouble::drawn_again, 61));
  EXPECT_EQ(answer_to(1), "done");
  EXPECT_EQ(turn().mark.cleaned, 60);
  EXPECT_EQ(turn().mark.stopped, LogTrouble::none);
}

TEST_F(LaneGoOn, IsRefusedWhileTheLogIsAsItWasLeft) {
  take({.reached = 100});
  exchange(asked_to(RequestKind::go_on, LogTrouble::none, 1));
  EXPECT_EQ(answer_to(1), "refused: the log is as it was left");
}

}  // namespace
}  // namespace makegood::core
