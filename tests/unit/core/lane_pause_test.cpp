// Pause and resume, of a destination or of one tenant at it.
#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LanePause : public LaneOnStore {};

TEST_F(LanePause, MovesWhatIsInFlightAndWhatIsInHand) {
  destination().in_flight_max = 1;
  enqueue(3);
  take();
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  EXPECT_EQ(pause(), "done");
  EXPECT_TRUE(position().under_way.empty());
  const auto side = this->side(all_of_a);
  ASSERT_TRUE(side);
  EXPECT_TRUE(side->is_paused);
  EXPECT_EQ(side->reached, 3);
  EXPECT_EQ(side->under_way, Numbers({1, 2, 3}));
  EXPECT_EQ(lane().figures().window_count, 1U) << "what was not sent leaves the window";
}

TEST_F(LanePause, NothingIsSentAndNothingIsWrittenPerMessage) {
  take();
  pause();
  enqueue(50, message("k"));
  enqueue(50);
  run_for(1min);
  EXPECT_EQ(received(), Numbers());
  EXPECT_EQ(lane().reached(), 100) << "the main lane reads on";
  EXPECT_EQ(parked_count(), 0U);
  EXPECT_EQ(side(all_of_a)->reached, 0);
}

TEST_F(LanePause, WhatIsInFlightMayEnd) {
  enqueue(2);
  take();
  exchange();
  sent();
  pause();
  succeeds(1);
  exchange();
  EXPECT_EQ(side(all_of_a)->under_way, Numbers({2}));
}

TEST_F(LanePause, AFailureOfWhatWasInFlightWaitsForTheResume) {
  enqueue(1);
  take();
  exchange();
  sent();
  pause();
  fails(1);
  run_for(1min);
  EXPECT_EQ(received(), Numbers({1})) << "no second attempt";
  EXPECT_EQ(parked(1)->state, ParkedState::waiting);
  resume();
  run();
  EXPECT_EQ(received(), Numbers({1, 1}));
}

TEST_F(LanePause, ARetryInHandWaitsAgainAndItsAttemptIsNotSpent) {  // I6
  destination().in_flight_max = 1;
  enqueue(2);
  take();
  exchange();
  sent();
  fails(1);
  exchange();
  ASSERT_EQ(sent(), Numbers({2}));
  pass(1s);
  exchange();
  ASSERT_TRUE(parked(1)->under_way) << "taken in, and there is no place to send it";
  pause();
  EXPECT_EQ(parked(1)->attempts, 1U);
  EXPECT_FALSE(parked(1)->under_way);
  succeeds(2);
  run_for(10s);
  EXPECT_EQ(received(), Numbers({1, 2}));
  resume();
  run();
  EXPECT_EQ(received(), Numbers({1, 2, 1}));
  EXPECT_EQ(parked(1)->attempts, 2U);
}

TEST_F(LanePause, AResumeDeliversEverythingInOrder) {  // I4
  destination().in_flight_max = 1;
  enqueue(3, message("k"));
  take();
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  pause();
  succeeds(1);
  enqueue(20, message("k"));
  run_for(10s);
  EXPECT_EQ(resume(), "done");
  run();
  enqueue(2, message("k"));
  run();
  Numbers all;
  for (Sequence number = 1; number <= 25; ++number) all.push_back(number);
  EXPECT_EQ(received(), all);
  EXPECT_TRUE(position().sides.empty());
}

TEST_F(LanePause, NothingIsSentBeforeTheTurnOfTheResumeIsCommitted) {  // I5
  enqueue(3);
  take();
  exchange();
  pause();
  request({.kind = RequestKind::resume, .destination = "fn:a", .operator_name = {}});
  ASSERT_TRUE(relay().look());
  EXPECT_EQ(sent(), Numbers());
  relay().commit();
  exchange();
  EXPECT_EQ(sent(), Numbers({1, 2, 3}));
}

TEST_F(LanePause, OtherDestinationsGoOn) {
  add_destination("fn:b");
  take();
  pause("fn:a");
  enqueue(5);
  run();
  EXPECT_EQ(received("fn:a"), Numbers());
  EXPECT_EQ(received("fn:b"), Numbers({1, 2, 3, 4, 5}));
}

TEST_F(LanePause, OneTenantIsPausedAndTheOthersGoOn) {
  take();
  pause("fn:a", "acme");
  enqueue(message("", "acme"));
  enqueue(message("", "other"));
  enqueue(message("k", "acme"));
  run();
  EXPECT_EQ(received(), Numbers({2}));
  EXPECT_TRUE(side(acme_at_a)->is_paused);
  resume("fn:a", "acme");
  run();
  EXPECT_EQ(received(), Numbers({2, 1, 3}));
}

TEST_F(LanePause, TheRetriesOfAPausedTenantAreLeftOut) {
  enqueue(message("", "acme"));
  enqueue(message("", "other"));
  take();
  exchange();
  sent();
  fails(1);
  fails(2);
  pause("fn:a", "acme");
  forget_received();
  run_for(10s);
  EXPECT_EQ(received(), Numbers({2}));
  EXPECT_EQ(parked(1)->attempts, 1U);
  resume("fn:a", "acme");
  run();
  EXPECT_EQ(received(), Numbers({2, 1}));
}

TEST_F(LanePause, ARetryThatWasDueInTheLookThatBroughtThePauseWaitsOn) {
  enqueue(1);
  take();
  exchange();
  sent();
  fails(1);
  exchange();
  pass(1s);
  pause();
  EXPECT_FALSE(parked(1)->under_way);
  EXPECT_EQ(sent(), Numbers());
  resume();
  run();
  EXPECT_EQ(received(), Numbers({1, 1}));
}

TEST_F(LanePause, HoldsForTheNextOwner) {
  enqueue(2);
  take();
  exchange();
  pause();
  die_and_take_over();
  run_for(1min);
  EXPECT_EQ(received(), Numbers());
  resume();
  run();
  EXPECT_EQ(received(), Numbers({1, 2}));
}

TEST_F(LanePause, OfABrokenDestinationStopsItsProbes) {
  down = {"fn:a"};
  enqueue(3);
  take();
  run();
  ASSERT_TRUE(side(all_of_a));
  pause();
  EXPECT_EQ(side(all_of_a)->why, Why::broken);
  forget_received();
  run_for(10min);
  EXPECT_EQ(received(), Numbers());
  down.clear();
  resume();
  run_for(1min);
  EXPECT_EQ(received().size(), 3U);
}

TEST_F(LanePause, IsDoneWhenItIsPausedAlready) {
  take();
  pause();
  const auto before = side(all_of_a);
  EXPECT_EQ(pause(), "done");
  EXPECT_EQ(side(all_of_a), before) << "no change";
}

TEST_F(LanePause, KnowsSinceWhenAndOnWhoseWordUntilItIsOver) {
  take();
  enqueue(3);
  pause();
  ASSERT_TRUE(side(all_of_a));
  EXPECT_EQ(side(all_of_a)->because, "ann");
  EXPECT_NE(side(all_of_a)->since, TimePoint{});
  resume();
  if (const auto resumed = side(all_of_a)) {
    EXPECT_EQ(resumed->because, "");
    EXPECT_EQ(resumed->since, TimePoint{});
  }
}

TEST_F(LanePause, OfWhatIsNotThereIsRefused) {
  take();
  EXPECT_EQ(pause("fn:x"), "refused: there is no such destination");
  EXPECT_EQ(pause(std::string(unrouted)), "refused: there is no such destination");
  EXPECT_EQ(resume(), "refused: it is not paused");
}

TEST_F(LanePause, OfADestinationIsNotEndedByAResumeOfATenant) {
  take();
  pause();
  EXPECT_EQ(resume("fn:a", "acme"), "refused: it is not paused");
}

TEST_F(LanePause, IsRefusedWhenThereAreTooManySideLanes) {
  add_destination("fn:b");
  options.limits.side_lanes_max = 1;
  take();
  EXPECT_EQ(pause("fn:a"), "done");
  EXPECT_EQ(pause("fn:b"), "refused: there are too many side lanes; resume or wait for others first");
  EXPECT_EQ(position().sides.size(), 1U);
}

}  // namespace
}  // namespace makegood::core
