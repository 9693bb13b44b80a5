// Messages that are to come later, and messages that come too late.
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneDelays : public LaneStory {
 protected:
  static Row delayed(Sequence sequence, Duration by = 10s) { return row(sequence).available_at(story_begins + by); }
};

TEST_F(LaneDelays, ADelayedMessageIsParkedUntilItsTime) {
  take();
  exchange({.rows = {delayed(1), row(2)}});
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
  EXPECT_EQ(parked(1).due_at, story_begins + 10s);
  EXPECT_EQ(parked(1).attempts, 0U);
  EXPECT_EQ(under_way(), Numbers({2}));
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneDelays, ADelayedMessageGoesWhenItIsDue) {
  send_first({delayed(1)});
  pass(10s);
  exchange({.due = {due(1)}});
  const auto deliveries = release();
  ASSERT_EQ(deliveries.size(), 1U);
  EXPECT_EQ(deliveries[0].attempt, 1U);
}

TEST_F(LaneDelays, ADelayThatIsOverIsNone) {
  pass(10s);
  take();
  exchange({.rows = {delayed(1)}});
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneDelays, ADelayedMessageBlocksNobody) {
  take();
  exchange({.rows = {delayed(1).with_key("k"), row(2).with_key("k")}});
  EXPECT_FALSE(parked(1).blocks);
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneDelays, ADelayedMessageThatIsDueIsHeldWhileItsKeyIsBusy) {
  send_first({delayed(1).with_key("k"), row(2).with_key("k"), row(3).with_key("k")});
  pass(10s);
  exchange({.due = {due(1)}});
  EXPECT_EQ(parked(1).state, ParkedState::held);
  EXPECT_EQ(parked(1).attempts, 0U);
  EXPECT_EQ(sent(), Numbers());
}

TEST_F(LaneDelays, ADelayedMessageTakesItsPlaceByNumber) {
  send_first({delayed(1).with_key("k"), row(2).with_key("k"), row(3).with_key("k")});
  pass(10s);
  exchange({.due = {due(1)}});
  succeeds(2);
  EXPECT_EQ(sent(), Numbers()) << "1 comes before 3";
  EXPECT_EQ(lane().next_exchange(now()), now());
  exchange();
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
  exchange({.due = {due(1)}});
  EXPECT_EQ(sent(), Numbers({1}));
  succeeds(1);
  exchange();
  EXPECT_EQ(sent(), Numbers({3}));
}

TEST_F(LaneDelays, ADelayedMessageWaitsBehindABlockedHead) {
  send_first({row(1).with_key("k"), delayed(2, 1s).with_key("k")});
  destination().retry.base = 1min;
  lane().configure(options);
  fail_and_park(1);
  pass(1s);
  exchange({.due = {due(2)}});
  EXPECT_EQ(parked(2).state, ParkedState::held);
}

TEST_F(LaneDelays, AClockThatWentBackDelaysNothing) {
  pass(1h);
  shift_store_clock(-30min);
  take();
  exchange({.rows = {row(1).created_at(story_begins + 1h)}});
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneDelays, AClockThatWentBackStillDelaysWhatWasToBeDelayed) {
  shift_store_clock(-30min);
  take();
  exchange({.rows = {delayed(1)}});
  EXPECT_EQ(parked(1).due_at, story_begins + 10s);
}

TEST_F(LaneDelays, AnExpiredMessageIsDead) {
  pass(5s);
  take();
  exchange({.rows = {row(1).expires_at(story_begins + 5s), row(2).expires_at(story_begins + 6s)}});
  EXPECT_EQ(parked(1).state, ParkedState::dead);
  EXPECT_EQ(parked(1).error_code, "TX.EXPIRED");
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneDelays, AMessageThatExpiredIn1970IsToldWhatWasProbablyMeant) {
  take();
  exchange({.rows = {row(1).expires_at(from_milliseconds(1'790'000'000))}});
  EXPECT_EQ(parked(1).error_code, "TX.EXPIRED");
  EXPECT_NE(parked(1).last_error.find("looks like seconds"), std::string::npos) << parked(1).last_error;
}

TEST_F(LaneDelays, WhatExpiresWhileItWaitsIsNotSentAgain) {
  send_first({row(1).expires_at(story_begins + 500ms)});
  fail_and_park(1);
  try_again(1);
  EXPECT_EQ(stored(1).state, ParkedState::dead);
  EXPECT_EQ(stored(1).error_code, "TX.EXPIRED");
  EXPECT_EQ(lane().figures().in_flight_count, 0U);
}

TEST_F(LaneDelays, WhatExpiresWhileItWaitsKeepsTheAttemptsItHad) {
  send_first({row(1).expires_at(story_begins + 500ms)});
  fail_and_park(1);
  try_again(1);
  EXPECT_EQ(stored(1).attempts, 1U);
}

TEST_F(LaneDelays, WhatExpiresAsTheHeadOfAKeyFreesIt) {
  send_first({row(1).with_key("k").expires_at(story_begins + 500ms), row(2).with_key("k")});
  fail_and_park(1);
  ASSERT_EQ(stored(2).state, ParkedState::held);
  try_again(1);
  EXPECT_EQ(stored(2).state, ParkedState::waiting);
}

// Its turn comes too late: while it waited in hand behind the head of its key, it expired.
class LaneExpiresInHand : public LaneStory {
 protected:
  LaneExpiresInHand() {
    send_first({row(1).with_key("k"), row(2).with_key("k").expires_at(story_begins + 5s), row(3).with_key("k")});
    pass(5s);
    succeeds(1);
    lane().take_settled();
  }
};

TEST_F(LaneExpiresInHand, IsNotSent) {
  EXPECT_EQ(sent(), Numbers());
  EXPECT_EQ(lane().next_exchange(now()), now());
}

TEST_F(LaneExpiresInHand, IsDeadWithTheNextTurnAndWithoutAnAttempt) {
  sent();
  ASSERT_TRUE(look());
  EXPECT_EQ(parked(2).state, ParkedState::dead);
  EXPECT_EQ(parked(2).error_code, "TX.EXPIRED");
  EXPECT_EQ(parked(2).attempts, 0U);
  EXPECT_EQ(under_way(), Numbers({3}));
}

TEST_F(LaneExpiresInHand, FreesItsKeyWithTheTurnThatSaysSo) {
  sent();
  look();
  EXPECT_EQ(sent(), Numbers());
  commit();
  EXPECT_EQ(sent(), Numbers({3}));
}

TEST_F(LaneExpiresInHand, IsReportedAsNeverSent) {
  sent();
  look();
  const auto settled = lane().take_settled();
  ASSERT_EQ(settled.size(), 1U);
  EXPECT_EQ(settled[0].fate, Fate::died);
  EXPECT_EQ(settled[0].attempt, 0U);
  EXPECT_EQ(settled[0].since_sent, 0s);
}

TEST_F(LaneExpiresInHand, UsesUpNoRate) {
  destination().rate_max = 1;
  pass(1h);
  take();
  exchange({.rows = {row(4).expires_at(store_now() + 1s), row(5)}});
  pass(1s);
  EXPECT_EQ(sent(), Numbers({5}));
}

}  // namespace
}  // namespace makegood::core
