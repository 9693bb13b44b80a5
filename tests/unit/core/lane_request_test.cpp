// What operators ask for, carried out by the owner in a turn of its own.
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneRequests : public LaneStory {};

TEST_F(LaneRequests, AReplayStartsAnewWithAllItsAttempts) {
  send_first({row(1)});
  kill(1);
  exchange({.requests = {asked(RequestKind::replay, 1)}});
  EXPECT_EQ(answer_to(1), "done");
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
  EXPECT_EQ(parked(1).attempts, 0U);
  EXPECT_EQ(parked(1).due_at, store_now());
  EXPECT_EQ(note_on(1)->outcome, "replayed");
  EXPECT_EQ(parked(1).error_code + parked(1).last_error, "") << "its new life has no error yet";
  EXPECT_EQ(lane().take_replayed_count(), 1U);
}

TEST_F(LaneRequests, AReplayIsSentAsAFirstAttempt) {
  destination().retry.attempts_max = 2;
  send_first({row(1)});
  kill(1);
  exchange({.requests = {asked(RequestKind::replay, 1)}});
  EXPECT_EQ(lane().next_exchange(now()), now());
  try_again(1);
  EXPECT_EQ(stored(1).attempts, 1U);
  fail_and_park(1);
  EXPECT_EQ(parked(1).state, ParkedState::waiting) << "one more is left";
}

TEST_F(LaneRequests, AReplayGoesUnderItsNumberInEveryAttempt) {
  send_first({row(1)});
  kill(1);
  EXPECT_EQ(stored(1).replay, 0);
  const Request asked_for = asked(RequestKind::replay, 1);
  exchange({.requests = {asked_for}});
  exchange({.due = {due(1)}});
  EXPECT_EQ(release().at(0).replay, asked_for.id);
  fail_and_park(1);
  EXPECT_EQ(stored(1).replay, asked_for.id);
  take_over();
  pass(std::chrono::hours(1));
  exchange({.due = {due(1)}});
  EXPECT_EQ(release().at(0).replay, asked_for.id) << "a next owner knows it too";
}

TEST_F(LaneRequests, AReplayThatIsHeldKeepsItsNumber) {
  send_first({of_key(1), of_key(2)});
  kill(1);
  ASSERT_EQ(sent(), Numbers({2}));
  const Request asked_for = asked(RequestKind::replay, 1);
  exchange({.requests = {asked_for}});
  exchange({.due = {due(1)}});
  ASSERT_EQ(parked(1).state, ParkedState::held);
  succeeds(2);
  exchange();
  EXPECT_EQ(parked(1).replay, asked_for.id);
}

TEST_F(LaneRequests, AReplayTakesTheFrontOfItsKey) {  // I4
  send_first({of_key(1), of_key(2), of_key(3)});
  kill(1);
  ASSERT_EQ(sent(), Numbers({2}));
  exchange({.requests = {asked(RequestKind::replay, 1)}});
  EXPECT_TRUE(parked(1).blocks);
  EXPECT_EQ(parked(3).state, ParkedState::held);
  succeeds(2);
  EXPECT_EQ(sent(), Numbers());
  exchange({.due = {due(1)}});
  EXPECT_EQ(sent(), Numbers({1}));
  succeeds(1);
  exchange();
  EXPECT_EQ(parked(3).state, ParkedState::waiting);
}

TEST_F(LaneRequests, AReplayWaitsForTheOneOfItsKeyUnderWay) {  // I4
  send_first({of_key(1), of_key(2)});
  kill(1);
  ASSERT_EQ(sent(), Numbers({2}));
  exchange({.requests = {asked(RequestKind::replay, 1)}});
  exchange({.due = {due(1)}});
  EXPECT_EQ(parked(1).state, ParkedState::held);
  succeeds(2);
  exchange();
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
}

TEST_F(LaneRequests, AReplayOfADeadHeadThatBlocksLetsItsKeyGoOn) {
  destination().ordering = Ordering::block_on_dead;
  send_first({of_key(1), of_key(2)});
  kill(1);
  exchange({.requests = {asked(RequestKind::replay, 1)}});
  try_again(1);
  succeeds(1);
  exchange();
  EXPECT_EQ(parked(2).state, ParkedState::waiting);
}

TEST_F(LaneRequests, OnlyADeadDeliveryIsReplayed) {
  send_first({row(1)});
  fail_and_park(1);
  exchange({.requests = {asked(RequestKind::replay, 1)}});
  EXPECT_EQ(answer_to(1), "refused: only a dead delivery can be replayed; this one is waiting");
  EXPECT_FALSE(is_parked(1));
  EXPECT_EQ(lane().take_replayed_count(), 0U);
}

TEST_F(LaneRequests, AQuarantineFreesTheKey) {
  destination().ordering = Ordering::block_on_dead;
  send_first({of_key(1), of_key(2), of_key(3)});
  kill(1);
  exchange({.requests = {asked(RequestKind::quarantine, 1)}});
  EXPECT_EQ(answer_to(1), "done");
  EXPECT_EQ(parked(1).state, ParkedState::quarantined);
  EXPECT_FALSE(parked(1).blocks);
  EXPECT_EQ(parked(2).state, ParkedState::waiting);
  EXPECT_FALSE(is_parked(3));
}

TEST_F(LaneRequests, ADeliveryThatWaitsCanBeQuarantined) {
  send_first({of_key(1), of_key(2)});
  fail_and_park(1);
  pass(1s);
  const DueDelivery seen = due(1);
  exchange({.due = {seen}, .requests = {asked(RequestKind::quarantine, 1)}});
  EXPECT_EQ(stored(1).state, ParkedState::quarantined) << "though it was due in the same look";
  EXPECT_EQ(parked(2).state, ParkedState::waiting);
  EXPECT_EQ(sent(), Numbers());
}

TEST_F(LaneRequests, AHeldDeliveryCanBeQuarantined) {
  send_first({of_key(1), of_key(2), of_key(3)});
  fail_and_park(1);
  exchange({.requests = {asked(RequestKind::quarantine, 2)}});
  try_again(1);
  succeeds(1);
  exchange();
  EXPECT_FALSE(is_parked(2));
  EXPECT_EQ(parked(3).state, ParkedState::waiting);
}

TEST_F(LaneRequests, AHeldDeliveryCanBeQuarantinedRightAfterItsKeyWasFreed) {
  send_first({of_key(2).available_at(story_begins + 10s), of_key(5)});
  pass(10s);
  exchange({.due = {due(2)}});
  ASSERT_EQ(stored(2).state, ParkedState::held);
  succeeds(5);
  exchange({.requests = {asked(RequestKind::quarantine, 2)}});
  EXPECT_EQ(turn().parked.size(), 1U);
  EXPECT_EQ(parked(2).state, ParkedState::quarantined);
}

TEST_F(LaneRequests, WhatIsInQuarantineIsNotQuarantinedAgain) {
  send_first({row(1)});
  kill(1);
  exchange({.requests = {asked(RequestKind::quarantine, 1)}});
  exchange({.requests = {asked(RequestKind::quarantine, 1)}});
  EXPECT_EQ(answer_to(2), "refused: it is quarantined");
}

TEST_F(LaneRequests, AReleaseMakesItDeadAgain) {
  send_first({row(1)});
  kill(1);
  exchange({.requests = {asked(RequestKind::quarantine, 1)}});
  exchange({.requests = {asked(RequestKind::release, 1)}});
  EXPECT_EQ(answer_to(2), "done");
  EXPECT_EQ(parked(1).state, ParkedState::dead);
  exchange({.requests = {asked(RequestKind::release, 1)}});
  EXPECT_EQ(answer_to(3), "refused: it is not in quarantine");
}

TEST_F(LaneRequests, ASecondRequestForARowStaysOpenForTheNextTurn) {
  send_first({row(1)});
  kill(1);
  const Request replay = asked(RequestKind::replay, 1);
  const Request quarantine = asked(RequestKind::quarantine, 1);
  exchange({.requests = {replay, quarantine}});
  EXPECT_EQ(answer_to(1), "done");
  EXPECT_EQ(answer_to(2), "") << "it has seen an old state";
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
}

TEST_F(LaneRequests, ARequestForARowThatTheTurnChangesOtherwiseStaysOpen) {
  destination().ordering = Ordering::block_on_dead;
  send_first({of_key(1), of_key(2)});
  kill(1);
  const Request first = asked(RequestKind::quarantine, 1);
  const Request second = asked(RequestKind::quarantine, 2);
  exchange({.requests = {first, second}});
  EXPECT_EQ(parked(2).state, ParkedState::waiting) << "promoted by the first";
  EXPECT_EQ(answer_to(2), "");
}

TEST_F(LaneRequests, WhatIsBeingSentIsLeftAlone) {
  send_first({row(1)});
  fail_and_park(1);
  try_again(1);
  exchange({.requests = {asked(RequestKind::quarantine, 1)}});
  EXPECT_TRUE(answer_to(1).starts_with("refused: it is being sent")) << answer_to(1);
  EXPECT_FALSE(is_parked(1));
}

TEST_F(LaneRequests, AnAnswerThatCameMeanwhileIsRecordedFirst) {
  send_first({row(1)});
  fail_and_park(1);
  try_again(1);
  succeeds(1);
  exchange({.requests = {asked(RequestKind::quarantine, 1)}});
  EXPECT_EQ(parked(1).state, ParkedState::done);
  EXPECT_EQ(answer_to(1), "") << "it has seen an old state, and stays open";
  exchange({.requests = {asked(RequestKind::quarantine, 1)}});
  EXPECT_EQ(answer_to(2), "refused: it is done");
}

TEST_F(LaneRequests, WhatIsNotParkedIsRefused) {
  take();
  ASSERT_TRUE(look({.requests = {asked(RequestKind::replay, 1)}}));
  EXPECT_EQ(answer_to(1), "refused: there is no such parked delivery");
}

TEST_F(LaneRequests, WhatHasNoDestinationHereIsNotReplayed) {
  take();
  write(testing_support::a_parked(1, "fn:gone").dead());
  exchange({.requests = {asked(RequestKind::replay, 1, "fn:gone")}});
  EXPECT_EQ(answer_to(1), "refused: its destination is not registered here");
}

TEST_F(LaneRequests, WhatHasNoDestinationHereCanBeQuarantined) {
  take();
  write(testing_support::a_parked(1, "fn:gone").with_key("k").dead().blocking());
  exchange({.requests = {asked(RequestKind::quarantine, 1, "fn:gone")}});
  EXPECT_EQ(answer_to(1), "done");
  EXPECT_FALSE(parked(1, "fn:gone").blocks);
}

class LaneUnblock : public LaneStory {};

TEST_F(LaneUnblock, LetsThoseBehindPassAndTheHeadGoOnWaiting) {
  send_first({of_key(1), of_key(2), of_key(3)});
  fail_and_park(1);
  exchange({.requests = {asked(RequestKind::unblock, 1)}});
  EXPECT_EQ(answer_to(1), "done");
  EXPECT_EQ(stored(1).state, ParkedState::waiting);
  EXPECT_FALSE(stored(1).blocks);
  EXPECT_EQ(note_on(1)->outcome, "unblocked");
  EXPECT_EQ(parked(2).state, ParkedState::waiting);
  try_again(2);
  succeeds(2);
  exchange();
  EXPECT_EQ(parked(3).state, ParkedState::waiting);
}

TEST_F(LaneUnblock, OfADeadHeadKeepsItDead) {
  destination().ordering = Ordering::block_on_dead;
  send_first({of_key(1), of_key(2)});
  kill(1);
  exchange({.requests = {asked(RequestKind::unblock, 1)}});
  EXPECT_EQ(stored(1).state, ParkedState::dead);
  EXPECT_EQ(parked(2).state, ParkedState::waiting);
}

TEST_F(LaneUnblock, IsRefusedForWhatBlocksNothing) {
  send_first({row(1)});
  fail_and_park(1);
  exchange({.requests = {asked(RequestKind::unblock, 1)}});
  EXPECT_EQ(answer_to(1), "refused: it blocks nothing");
}

TEST_F(LaneUnblock, IsRefusedForOneThatWaitsItself) {
  send_first({of_key(1), of_key(2)});
  fail_and_park(1);
  exchange({.requests = {asked(RequestKind::unblock, 2)}});
  EXPECT_EQ(answer_to(1), "refused: it waits itself; unblock the one at the head of its key");
}

}  // namespace
}  // namespace makegood::core
