// A destination that cannot be reached costs time, not attempts, however little traffic there is; and what comes back
// unsent costs nothing.
#include <set>

#include "tests/unit/core/lane_on_store.hpp"
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneReach : public LaneStory {
 protected:
  LaneReach() { destination().circuit.failures_max = 0; }

  /// The first time it is in flight already.
  void is_tried(Sequence sequence, const Outcome& outcome) {
    if (!tried_.insert(sequence).second) try_again(sequence);
    pass(30s);
    answers(sequence, outcome);
    exchange();
  }

 private:
  std::set<Sequence> tried_;
};

TEST_F(LaneReach, WhoIsNotThereCostsNoAttempt) {
  destination().retry.attempts_max = 1;
  send_first({row(1)});
  for (std::uint32_t sends = 1; sends <= 50; ++sends) {
    is_tried(1, Outcome::unreachable("PROVIDER.UNAVAILABLE", "connection refused"));
    ASSERT_EQ(parked(1).state, ParkedState::waiting);
    EXPECT_EQ(parked(1).attempts, sends) << "all sends are shown";
    EXPECT_EQ(parked(1).answered, 0U);
  }
}

TEST_F(LaneReach, TheDelaysGoByAllSends) {
  send_first({row(1)});
  is_tried(1, Outcome::unreachable("X"));
  is_tried(1, Outcome::retry("X"));
  EXPECT_EQ(parked(1).due_at, store_now() + 2s);
  EXPECT_EQ(parked(1).answered, 1U);
}

TEST_F(LaneReach, AnAnswerCountsAndTheLastOneKills) {
  destination().retry.attempts_max = 2;
  send_first({row(1)});
  is_tried(1, Outcome::retry("X"));
  is_tried(1, Outcome::unreachable("X"));
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
  is_tried(1, Outcome::retry("X"));
  EXPECT_EQ(parked(1).state, ParkedState::dead);
  EXPECT_EQ(parked(1).attempts, 3U);
  EXPECT_EQ(parked(1).answered, 2U);
}

TEST_F(LaneReach, WithoutATimeLimitEveryFailureCounts) {
  destination().retry = {.attempts_max = 2, .base = 1s, .jitter = 0, .unreachable_for = {}};
  send_first({row(1)});
  is_tried(1, Outcome::unreachable("X"));
  is_tried(1, Outcome::silent("X"));
  EXPECT_EQ(parked(1).state, ParkedState::dead);
}

TEST_F(LaneReach, ATimeoutCostsNothingWhileNobodyIsAnswered) {
  destination().retry.attempts_max = 1;
  send_first({row(1), row(2)});
  pass(30s);
  answers(1, Outcome::silent("TX.TIMEOUT"));
  answers(2, Outcome::silent("TX.TIMEOUT"));
  exchange();
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
  EXPECT_EQ(parked(2).state, ParkedState::waiting);
}

TEST_F(LaneReach, ATimeoutCountsWhileOthersAreAnswered) {
  destination().retry.attempts_max = 1;
  send_first({row(1), row(2)});
  pass(29s);
  succeeds(2);
  pass(1s);
  answers(1, Outcome::silent("TX.TIMEOUT"));
  exchange();
  EXPECT_EQ(parked(1).state, ParkedState::dead);
}

TEST_F(LaneReach, ATimeoutCountsWhenOthersWereAnsweredSinceItsLastAttempt) {
  destination().retry.attempts_max = 1;
  send_first({row(1)});
  is_tried(1, Outcome::silent("TX.TIMEOUT"));
  ASSERT_EQ(parked(1).state, ParkedState::waiting);
  exchange({.rows = {row(2)}});
  sent();
  pass(500ms);
  succeeds(2);
  is_tried(1, Outcome::silent("TX.TIMEOUT"));
  EXPECT_EQ(parked(1).state, ParkedState::dead);
}

TEST_F(LaneReach, ItsOwnEarlierAnswerIsNoNeighbour) {
  send_first({row(1)});
  is_tried(1, Outcome::retry("X"));
  is_tried(1, Outcome::silent("TX.TIMEOUT"));
  EXPECT_EQ(parked(1).answered, 1U);
}

TEST_F(LaneReach, BothCountsGoToTheNextOwner) {
  destination().retry.attempts_max = 2;
  send_first({row(1)});
  is_tried(1, Outcome::retry("X"));
  is_tried(1, Outcome::unreachable("X"));
  take_over();
  try_again(1);
  answers(1, Outcome::retry("X"));
  exchange();
  EXPECT_EQ(parked(1).attempts, 3U);
  EXPECT_EQ(parked(1).state, ParkedState::dead);
}

TEST_F(LaneReach, WhatComesBackUnsentCostsNothingAndStopsAllSends) {
  send_first({row(1), row(2), row(3)});
  answers(1, Outcome::returned());
  EXPECT_EQ(lane().next_exchange(now()), now()) << "whose lane it is has to be found out at once";
  EXPECT_LT(lane().send_until(), now());
  EXPECT_TRUE(look()) << "a turn is due, so that it is found out";
  EXPECT_FALSE(is_parked(1));
  EXPECT_EQ(under_way(), Numbers({1, 2, 3})) << "it is still a hole";
  commit();
  exchange({.rows = {row(1)}});
  EXPECT_EQ(sent(), Numbers({1}));
}

TEST_F(LaneReach, ARetryThatComesBackUnsentWaitsWithTheSameCounts) {
  send_first({row(1)});
  is_tried(1, Outcome::retry("X"));
  try_again(1);
  answers(1, Outcome::returned());
  exchange();
  EXPECT_EQ(parked(1).state, ParkedState::waiting);
  EXPECT_EQ(parked(1).attempts, 1U);
  EXPECT_EQ(parked(1).answered, 1U);
  EXPECT_FALSE(parked(1).under_way);
}

class LaneAway : public LaneOnStore {
 protected:
  LaneAway() {
    destination().retry = {.attempts_max = 3, .jitter = 0};
    destination().circuit = {};
    options.safety_interval = options.lease = 30min;  // Or days would take long.
  }
  bool is_disabled() {
    const auto lane = side(all_of_a);
    return lane && lane->why == Why::disabled && lane->is_paused;
  }
};

TEST_F(LaneAway, AMessageAnHourOutlivesAnOutageOfTwoDays) {
  down = {"fn:a"};
  take();
  for (int hour = 0; hour < 48; ++hour) {
    enqueue(1);
    run_for(1h);
  }
  EXPECT_FALSE(is_disabled());
  down.clear();
  forget_received();
  run_for(10min);
  EXPECT_EQ(received().size(), 48U);
}

TEST_F(LaneAway, AfterItsTimeItIsDisabledAndItsMessagesWaitForTheOperator) {
  down = {"fn:a"};
  take();
  enqueue(3);
  run_for(71h);
  EXPECT_FALSE(is_disabled());
  run_for(2h);
  EXPECT_TRUE(is_disabled());
  EXPECT_EQ(parked(1)->state, ParkedState::waiting);
  down.clear();
  forget_received();
  run_for(1h);
  EXPECT_TRUE(received().empty());
  EXPECT_EQ(resume(), "done");
  run_for(10min);
  EXPECT_EQ(received().size(), 3U);
}

TEST_F(LaneAway, ItsTimeGoesOnAcrossOwnersThatChangeEveryDay) {
  down = {"fn:a"};
  take();
  enqueue(1);
  for (int day = 0; day < 3; ++day) {
    run_for(24h);
    die_and_take_over();
  }
  run_for(1h);
  EXPECT_TRUE(is_disabled());
}

TEST_F(LaneAway, ExpiryWins) {
  NewMessage soon = message();
  soon.expires_at = store_now() + 1h;
  down = {"fn:a"};
  take();
  enqueue(soon);
  run_for(2h);
  EXPECT_EQ(parked(1)->state, ParkedState::dead);
  EXPECT_EQ(parked(1)->error_code, to_string(Errc::expired));
}

}  // namespace
}  // namespace makegood::core
