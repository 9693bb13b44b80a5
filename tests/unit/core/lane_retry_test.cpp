// Failed attempts: parked, tried again when due, and dead in the end.
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneRetries : public LaneStory {};

TEST_F(LaneRetries, AFailureIsParkedUntilItsBackoffIsOver) {
  send_first({row(1).with_key("k").of_tenant("acme")});
  answers(1, Outcome::retry("TX.TIMEOUT", "no answer\n"));
  pass(3ms);
  ASSERT_TRUE(look());
  const Parked waiting = parked(1);
  EXPECT_EQ(waiting.state, ParkedState::waiting);
  EXPECT_EQ(waiting.attempts, 1U);
  EXPECT_EQ(waiting.due_at, store_now() + 1s);
  EXPECT_EQ(waiting.error_code, "TX.TIMEOUT");
  EXPECT_EQ(waiting.last_error, "no answer ");
  EXPECT_EQ(waiting.tenant_id, "acme");
  EXPECT_EQ(waiting.dispatch_key, "k");
  EXPECT_FALSE(waiting.under_way);
}

TEST_F(LaneRetries, ThePositionLosesTheHoleInTheTurnThatParksIt) {  // I1
  send_first({row(1)});
  answers(1, Outcome::retry("X"));
  EXPECT_EQ(under_way(), Numbers({1}));
  look();
  EXPECT_EQ(under_way(), Numbers());
  EXPECT_TRUE(is_parked(1));
}

TEST_F(LaneRetries, TheStoryOfTheAttemptsIsTold) {
  send_first({row(1)});
  answers(1, Outcome::retry("X"));
  look();
  ASSERT_TRUE(note_on(1));
  EXPECT_EQ(note_on(1)->attempt, 1U);
  EXPECT_EQ(note_on(1)->outcome, "retry");
  EXPECT_EQ(note_on(1)->code, "X");
  EXPECT_EQ(note_on(1)->at, store_now());
}

TEST_F(LaneRetries, IsAskedForWhenItIsDueAndNotBefore) {
  send_first({row(1)});
  fail_and_park(1);
  pass(999ms);
  EXPECT_TRUE(asks().due.empty());
  pass(1ms);
  ASSERT_EQ(asks().due.size(), 1U);
  EXPECT_EQ(asks().due[0].destination, "fn:a");
}

TEST_F(LaneRetries, TheExchangeComesWhenItIsDue) {
  options.safety_interval = 1h;
  send_first({row(1)});
  fail_and_park(1);
  EXPECT_EQ(lane().next_exchange(now()), now() + 1s);
}

TEST_F(LaneRetries, AnAttemptIsCountedInTheTurnBeforeItIsSent) {  // I6
  send_first({row(1)});
  fail_and_park(1);
  pass(1s);
  ASSERT_TRUE(look({.due = {due(1)}}));
  EXPECT_EQ(parked(1).attempts, 2U);
  EXPECT_TRUE(parked(1).under_way);
  EXPECT_EQ(sent(), Numbers()) << "I5";
  commit();
  const auto deliveries = release();
  ASSERT_EQ(deliveries.size(), 1U);
  EXPECT_EQ(deliveries[0].attempt, 2U);
}

TEST_F(LaneRetries, ASuccessInTheEndIsDone) {
  send_first({row(1)});
  fail_and_park(1);
  try_again(1);
  succeeds(1);
  EXPECT_EQ(lane().next_exchange(now()), now()) << "it has a row to be written";
  ASSERT_TRUE(look());
  EXPECT_EQ(parked(1).state, ParkedState::done);
  EXPECT_EQ(parked(1).attempts, 2U);
  EXPECT_FALSE(parked(1).under_way);
  EXPECT_EQ(note_on(1)->outcome, "ok");
}

TEST_F(LaneRetries, TheDelaysGrow) {
  send_first({row(1)});
  fail_and_park(1);
  try_again(1);
  fail_and_park(1);
  EXPECT_EQ(parked(1).due_at, store_now() + 2s);
  try_again(1);
  fail_and_park(1);
  EXPECT_EQ(parked(1).due_at, store_now() + 4s);
}

TEST_F(LaneRetries, ParksAsDeadAfterTheLastAttempt) {
  destination().retry.attempts_max = 2;
  send_first({row(1)});
  fail_and_park(1);
  try_again(1);
  fail_and_park(1);
  EXPECT_EQ(parked(1).state, ParkedState::dead);
  EXPECT_EQ(parked(1).attempts, 2U);
  EXPECT_EQ(parked(1).error_code, "TX.TIMEOUT");
  EXPECT_FALSE(parked(1).under_way);
  const auto alarms = lane().take_alarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].code, Errc::dead_letter);
}

TEST_F(LaneRetries, ASingleAttemptIsNotTriedAgain) {
  destination().retry.attempts_max = 1;
  send_first({row(1)});
  fail_and_park(1);
  EXPECT_EQ(parked(1).state, ParkedState::dead);
}

TEST_F(LaneRetries, APermanentFailureIsDeadAtOnce) {
  send_first({row(1)});
  kill(1);
  EXPECT_EQ(parked(1).state, ParkedState::dead);
  EXPECT_EQ(parked(1).attempts, 1U);
  EXPECT_EQ(parked(1).error_code, "NO_SUCH_ORDER");
  EXPECT_EQ(parked(1).last_error, "the order is gone");
  EXPECT_EQ(note_on(1)->outcome, "fail");
}

TEST_F(LaneRetries, ADeadDeliveryStaysDeadWhenMoreAttemptsAreAllowedLater) {  // I7
  destination().retry.attempts_max = 1;
  send_first({row(1)});
  fail_and_park(1);
  destination().retry.attempts_max = 100;
  lane().configure(options);
  pass(24h);
  EXPECT_TRUE(asks().due.empty());
  take_over();
  EXPECT_TRUE(asks().due.empty());
}

TEST_F(LaneRetries, AScheduleSetsTheDelays) {
  destination().retry.schedule = {7s};
  send_first({row(1)});
  fail_and_park(1);
  EXPECT_EQ(parked(1).due_at, store_now() + 7s);
  try_again(1);
  fail_and_park(1);
  EXPECT_EQ(parked(1).state, ParkedState::dead);
}

TEST_F(LaneRetries, TheErrorTextIsCutAndMadeValid) {
  send_first({row(1)});
  answers(1, Outcome::retry("BAD\xFF", std::string(5000, 'x')));
  exchange();
  EXPECT_EQ(parked(1).error_code, "BAD?");
  EXPECT_EQ(parked(1).last_error.size(), 2048U);
}

TEST_F(LaneRetries, FatesAreReportedAsTheyAreDecided) {
  send_first({row(1), row(2)});
  answers(1, Outcome::retry("X", "why"));
  answers(2, Outcome::fail("Y"));
  EXPECT_TRUE(lane().take_settled().empty()) << "decided with the turn";
  exchange();
  const auto settled = lane().take_settled();
  ASSERT_EQ(settled.size(), 2U);
  EXPECT_EQ(settled[0].fate, Fate::retried);
  EXPECT_EQ(settled[0].code, "X");
  EXPECT_EQ(settled[0].detail, "why");
  EXPECT_EQ(settled[1].fate, Fate::died);
}

TEST_F(LaneRetries, JitterDependsOnTheSeedAlone) {
  destination().retry = {.base = 1s, .factor = 100, .jitter = 0.9, .cap = 1h};
  const auto second_delay = [&] {
    send_first({row(1)});
    fail_and_park(1);
    try_again(1);
    fail_and_park(1);
    return parked(1).due_at - store_now();
  };
  const Duration first = second_delay();
  EXPECT_NE(first, 100s);
  EXPECT_EQ(second_delay(), first);
}

TEST_F(LaneRetries, AMessageThatWasDeletedByHandIsDead) {
  take();
  write(testing_support::a_parked(4).waiting_until(store_now()).after_attempts(1));
  exchange({.due = {due(4)}});
  EXPECT_EQ(parked(4).state, ParkedState::dead);
  EXPECT_EQ(parked(4).error_code, to_string(Errc::not_found));
  EXPECT_EQ(sent(), Numbers());
}

TEST_F(LaneRetries, TheStoreTellsWhenTheNextIsDue) {
  options.safety_interval = 1h;
  send_first({row(1), row(2)});
  fail_and_park(1);
  pass(1s);
  exchange({.due = {due(1)}, .next_due = {{"fn:a", store_now() + 2s}}});
  EXPECT_EQ(lane().next_exchange(now()), now() + 2s);
}

}  // namespace
}  // namespace makegood::core
