// Numbers that are drawn twice, and rows that are gone: a look compares the log with what the last turn remembers of
// it.
#include <algorithm>

#include "makegood/events.hpp"
#include "tests/conformance/log_mark_suite.hpp"

namespace makegood::conformance {

TEST_P(LogMarkSuite, HandsTheMarkToTheNextTaker) {
  const LogMark mark{.anchor = 7, .anchor_event = "e7", .counter = 9, .cleaned = 5, .stopped = LogTrouble::drawn_again};
  take("a").commit({.mark = mark});
  EXPECT_EQ(take(store(), "b", "a").taken().mark, mark);
  EXPECT_EQ(take(store(), "c", "b").taken().mark, mark) << "a taking keeps it";
}

TEST_P(LogMarkSuite, AnUntouchedLogIsNoTrouble) {
  LaneOwner owner = read_rows(3);
  enqueue(a_message("m4"));
  EXPECT_EQ(trouble(owner), LogTrouble::none);
}

TEST_P(LogMarkSuite, ACounterBelowThePositionIsNoticed) {  // I1: new rows would be taken for delivered ones.
  const Sequence last = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = last + 1000}});
  const Found found = owner.look(all_beyond(last + 1000));
  EXPECT_EQ(found.trouble, LogTrouble::counter_behind);
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.looked_to, last + 1000);
}

TEST_P(LogMarkSuite, ACounterBelowTheLastOneThatWasSeenIsNoticed) {
  enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.mark = {.counter = 500}});
  EXPECT_EQ(owner.look(all_beyond(0)).trouble, LogTrouble::counter_behind);
}

TEST_P(LogMarkSuite, ALogThatWasEmptiedIsNoticed) {
  LaneOwner owner = read_rows(3);
  hand_from_outside().empty_log();
  EXPECT_EQ(trouble(owner), LogTrouble::anchor_missing);
}

TEST_P(LogMarkSuite, ALogThatWasEmptiedAndFilledBeyondIsNoticed) {  // TRUNCATE … RESTART IDENTITY, and 150 rows.
  LaneOwner owner = read_rows(10);
  hand_from_outside().empty_log();
  hand_from_outside().set_counter(0);
  enqueue_in_spite(15);
  EXPECT_EQ(trouble(owner), LogTrouble::anchor_changed);
}

TEST_P(LogMarkSuite, NumbersThatAreDrawnAgainAreNoticedWhenTheCounterIsPastThePosition) {
  LaneOwner owner = read_rows(10);
  clock().advance(2h);
  clean_up(owner);
  hand_from_outside().set_counter(6);
  enqueue_in_spite(6);
  const bool draws_below = store().features().name != "sqlite";  // Its counter never falls below the highest row.
  EXPECT_EQ(trouble(owner), draws_below ? LogTrouble::drawn_again : LogTrouble::none);
}

TEST_P(LogMarkSuite, ARowInTheCleanedPartIsLookedForOnlyIfAsked) {
  LaneOwner owner = read_rows(3);
  mark_.cleaned = 1;
  owner.commit({.position = {.reached = mark_.counter}, .mark = mark_});
  EXPECT_EQ(trouble(owner), LogTrouble::drawn_again);
  EXPECT_EQ(owner.look(all_beyond(mark_.counter)).trouble, LogTrouble::none);
}

TEST_P(LogMarkSuite, AStoppedLogIsNotRead) {
  LaneOwner owner = read_rows(1);
  mark_.stopped = LogTrouble::counter_behind;
  owner.commit({.position = {.reached = mark_.counter}, .mark = mark_});
  enqueue(a_message("new"));
  const Found found = owner.look(all_beyond(mark_.counter));
  EXPECT_EQ(found.trouble, LogTrouble::none);
  EXPECT_TRUE(found.rows.empty());
}

TEST_P(LogMarkSuite, ARewindLearnsTheFirstRow) {
  LaneOwner owner = read_rows(3);
  hand_from_outside().remove_row(1);
  hand_from_outside().remove_row(3);
  ask(RequestKind::rewind);
  const Found found = owner.look(all_beyond(mark_.counter));
  EXPECT_EQ(found.trouble, LogTrouble::anchor_missing);
  ASSERT_EQ(found.requests.size(), 1U);
  EXPECT_EQ(found.first_row, 2);
}

TEST_P(LogMarkSuite, ARequestAboutTheLogComesBeforeOthers) {
  LaneOwner owner = read_rows(1);
  hand_from_outside().empty_log();
  for (int i = 0; i < 150; ++i) {
    value_of(
        view()->request({.kind = RequestKind::replay, .sequence = 1, .destination = "d", .operator_name = "olga"}));
  }
  ask(RequestKind::go_on);
  const auto requests = owner.look(all_beyond(mark_.counter)).requests;
  EXPECT_TRUE(std::ranges::any_of(requests, [](const Request& r) { return r.asked.kind == RequestKind::go_on; }));
}

TEST_P(LogMarkSuite, AfterARewindAllIsRead) {
  LaneOwner owner = read_rows(5);
  hand_from_outside().empty_log();
  hand_from_outside().set_counter(0);
  enqueue_in_spite(2);
  owner.commit({.position = {.reached = 0}, .mark = {.counter = 2}, .lease = {}});
  EXPECT_EQ(names(take("b").look(all_beyond(0)).rows), std::vector<std::string>({"new1", "new2"}));
}

TEST_P(LogMarkSuite, AnOwnerWhoseTurnIsNotTheLastIsFenced) {  // I3: its memory is not compared with the log.
  LaneOwner owner = read_rows(1);
  LookFor wanted = all_beyond(mark_.counter);
  wanted.owner = owner.name();
  wanted.after = owner.turn();
  EXPECT_TRUE(store().look(wanted));
  wanted.after = owner.turn() + 1;
  EXPECT_EQ(code_of(store().look(wanted)), Errc::fenced);
}

TEST_P(LogMarkSuite, AnOwnerThatHasReadWhatTheStoreForgotIsFenced) {
  read_rows(1);
  EXPECT_EQ(code_of(store().look(all_beyond(1000))), Errc::fenced);
}

TEST_P(LogMarkSuite, TheCleanerKeepsTheAnchor) {
  LaneOwner owner = read_rows(3);
  clock().advance(2h);
  owner.commit({.position = {.reached = mark_.counter}, .mark = mark_});
  mark_.anchor = 2;
  mark_.anchor_event = event_id_for("old2");
  clean_up(owner, 3h);
  EXPECT_EQ(names(owner.look(all_beyond(0)).rows).size(), 3U);
}

TEST_P(LogMarkSuite, WhenTheAnchorsTimeHasComeAnEmptyRowTakesItsPlace) {
  LaneOwner owner = read_rows(3);
  clock().advance(2h);
  EXPECT_EQ(clean_up(owner).cleaned, 3U);
  const Found found = owner.look(all_beyond(0));
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0]->topic, anchor_topic);
  EXPECT_EQ(mark_.anchor, found.rows[0]->sequence);
  EXPECT_EQ(mark_.anchor_event, found.rows[0]->event_id);
  EXPECT_EQ(mark_.cleaned, 3);
  EXPECT_EQ(take(store(), "b", "a").taken().mark, mark_);
}

TEST_P(LogMarkSuite, ARowThatAppearsInTheCleanedPartIsNotCleaned) {  // I8: between a look and its turn.
  LaneOwner owner = read_rows(3);
  mark_.cleaned = 2;
  clock().advance(2h);
  clean_up(owner);
  EXPECT_EQ(value_of(view()->count_rewind(0)).row_count, 3U);
}

TEST_P(LogMarkSuite, ARowThatDrewTheNumberOfOneThatWasRolledBackIsNotCleaned) {  // I8: between a look and its turn.
  LaneOwner owner = read_rows(5);
  for (const Sequence gone : {1, 2, 3}) hand_from_outside().remove_row(gone);
  mark_.cleaned = 2;  // And the third was never committed.
  clock().advance(2h);
  hand_from_outside().set_counter(1);
  enqueue_in_spite(3);
  clean_up(owner);
  const auto left = names(owner.look(all_beyond(0)).rows);
  EXPECT_EQ(std::ranges::count_if(left, [](const std::string& name) { return name.starts_with("new"); }), 3);
}

TEST_P(LogMarkSuite, NothingIsCleanedWhileTheCounterIsBelowTheLastOneThatWasSeen) {
  LaneOwner owner = read_rows(5);
  clock().advance(2h);
  mark_.counter = 500;
  EXPECT_EQ(clean_up(owner).cleaned, 0U);
}

TEST_P(LogMarkSuite, NothingIsCleanedOfALogThatWasFilledAnewSinceTheLook) {  // I8: nobody has read what lies there.
  LaneOwner owner = read_rows(3);
  clock().advance(2h);
  owner.commit({.position = {.reached = mark_.counter}, .mark = mark_});
  hand_from_outside().empty_log();
  hand_from_outside().set_counter(0);
  enqueue_in_spite(3);
  EXPECT_EQ(clean_up(owner).cleaned, 0U);
  EXPECT_EQ(value_of(view()->count_rewind(0)).row_count, 3U);
}

TEST_P(LogMarkSuite, AnAnchorWithoutContentStaysForEver) {
  LaneOwner owner = read_rows(3);
  clock().advance(2h);
  clean_up(owner);
  const LogMark before = mark_;
  mark_.counter = before.anchor;
  owner.commit({.position = {.reached = mark_.counter}, .mark = mark_});
  clock().advance(2h);
  EXPECT_EQ(clean_up(owner).cleaned, 0U);
  EXPECT_EQ(mark_.anchor, before.anchor);
}

namespace {

const DeliveryView* delivery_to(const MessageView& view, std::string_view destination) {
  const auto found = std::ranges::find(view.deliveries, destination, &DeliveryView::destination);
  return found == view.deliveries.end() ? nullptr : &*found;
}

}  // namespace

TEST_P(LogMarkSuite, ADeadLetterIsNotShownUnderTheNextMessageOfItsNumber) {
  LaneOwner owner = read_rows(3);
  owner.commit({.position = {.reached = 3}, .mark = mark_, .parked = {a_parked(2).dead()}});
  fill_anew(owner, 3);
  const MessageView story = value_of(view()->story(2));
  EXPECT_EQ(story.summary.event_id, event_id_for("new2"));
  EXPECT_EQ(delivery_to(story, "fn:a"), nullptr);
  EXPECT_NE(story.summary.state, MessageState::dead);
  const auto letters = value_of(view()->list_dead({}, {}, 10));
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_EQ(letters[0].event_id, event_id_for("old2"));
  EXPECT_EQ(code_of(view()->inspect("", 2, "fn:a")), Errc::not_found);
}

TEST_P(LogMarkSuite, ADeadLetterIsNotOverwrittenByTheNextMessageOfItsNumber) {
  LaneOwner owner = read_rows(3);
  owner.commit({.position = {.reached = 3}, .mark = mark_, .parked = {a_parked(2).dead()}});
  LaneOwner next = fill_anew(owner, 3);
  next.commit({.position = {.reached = 3}, .parked = {a_parked(2).done()}});
  const auto letters = value_of(view()->list_dead({}, {}, 10));
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_EQ(letters[0].parked.state, ParkedState::dead);
}

TEST_P(LogMarkSuite, ARetryIsNotMadeWithTheNextMessageOfItsNumber) {
  LaneOwner owner = read_rows(3);
  owner.commit({.position = {.reached = 3}, .mark = mark_, .parked = {a_parked(2).waiting_until(clock().now())}});
  LaneOwner next = fill_anew(owner, 3);
  const auto due = next.due("fn:a");
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].message, nullptr);
  EXPECT_EQ(due[0].parked.event_id, event_id_for("old2"));
}

TEST_P(LogMarkSuite, WhatIsKeptForADeliveryIsFoundAlthoughItsNumberIsDrawnAgain) {
  LaneOwner owner = read_rows(3);
  owner.commit({.position = {.reached = 3}, .mark = mark_, .parked = {a_parked(2).waiting_until(clock().now())}});
  clock().advance(2h);
  clean_up(owner);
  LaneOwner next = fill_anew(owner, 3);
  const auto due = next.due("fn:a");
  ASSERT_EQ(due.size(), 1U);
  ASSERT_NE(due[0].message, nullptr);
  EXPECT_EQ(due[0].message->event_id, event_id_for("old2"));
}

TEST_P(LogMarkSuite, ARequestSpeaksOfWhoeverHasTheNumberNow) {
  LaneOwner owner = read_rows(3);
  owner.commit({.position = {.reached = 3}, .mark = mark_, .parked = {a_parked(2).dead()}});
  LaneOwner next = fill_anew(owner, 3);
  value_of(
      view()->request({.kind = RequestKind::replay, .sequence = 2, .destination = "fn:a", .operator_name = "olga"}));
  const auto requests = next.look(all_beyond(3)).requests;
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_FALSE(requests[0].row);
}

TEST_P(LogMarkSuite, ARewindSaysWhatItWouldSend) {
  const auto old = enqueue_all({a_message("old1"), a_message("old2"), a_message("old3")});
  clock().advance(1s);
  LaneOwner owner = take();
  owner.commit({.position = {.reached = old.back()}});
  clock().advance(1s);
  enqueue(a_message("new1"));
  const RewindView all = value_of(view()->count_rewind(0));
  EXPECT_EQ(all.row_count, 4U);
  EXPECT_EQ(all.repeat_count, 3U) << "those that a turn has passed";
  const RewindView some = value_of(view()->count_rewind(3));
  EXPECT_EQ(some.row_count, 2U);
  EXPECT_EQ(some.repeat_count, 1U);
}

}  // namespace makegood::conformance
