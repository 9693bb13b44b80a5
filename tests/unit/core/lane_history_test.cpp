// Replay of history and backfill of a new destination: a lane beside the others, with a beginning and an end.
#include <algorithm>

#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LaneHistory : public LaneOnStore {
 protected:
  /// So many have been delivered, and are forgotten by the destination.
  void deliver(std::size_t count) {
    enqueue(count);
    take();
    run();
    ASSERT_EQ(received().size(), count);
    forget_received();
  }
  std::string cancel() { return ask({.kind = RequestKind::cancel, .destination = "fn:a", .operator_name = {}}); }
};

TEST_F(LaneHistory, ARangeIsDeliveredAgain) {
  deliver(6);
  EXPECT_EQ(replay_history(2, 4), "done");
  ASSERT_TRUE(history(all_of_a));
  EXPECT_EQ(history(all_of_a)->begin, 1);
  EXPECT_EQ(history(all_of_a)->end, 4);
  run();
  EXPECT_EQ(received(), Numbers({2, 3, 4}));
  EXPECT_FALSE(history(all_of_a));
}

TEST_F(LaneHistory, EachReplayGoesUnderANumberOfItsOwn) {
  deliver(1);
  replay_history(1, 1);
  exchange();
  const auto once = relay().release();
  ASSERT_EQ(once.size(), 1U);
  EXPECT_GT(once[0].replay, 0);
  EXPECT_FALSE(once[0].is_first);
  relay().answer(1, "fn:a", Outcome::ok());
  run();
  replay_history(1, 1);
  exchange();
  const auto again = relay().release();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_GT(again[0].replay, once[0].replay);
}

TEST_F(LaneHistory, WhatFailsInItIsTriedAgainUnderItsNumber) {
  deliver(1);
  replay_history(1, 1);
  exchange();
  const auto once = relay().release();
  ASSERT_EQ(once.size(), 1U);
  relay().answer(1, "fn:a", Outcome::retry("LATER"));
  exchange();
  ASSERT_TRUE(parked(1));
  EXPECT_EQ(parked(1)->replay, once[0].replay);
}

TEST_F(LaneHistory, ItsNumberIsKnownToTheNextOwner) {
  deliver(1);
  replay_history(1, 1);
  exchange();
  ASSERT_TRUE(history(all_of_a));
  const std::int64_t replay = history(all_of_a)->replay;
  die_and_take_over();
  exchange();
  const auto again = relay().release();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].replay, replay);
}

TEST_F(LaneHistory, ItsEndIsTold) {
  deliver(2);
  news();
  replay_history(1, 2);
  run();
  EXPECT_EQ(news(), std::vector({LaneNews::Kind::side_opened, LaneNews::Kind::side_ended}));
}

TEST_F(LaneHistory, EverythingIsDeliveredAgain) {
  deliver(3);
  EXPECT_EQ(replay_history(0, 0), "done");
  enqueue(1);
  run();
  Numbers all = received();
  std::ranges::sort(all);
  EXPECT_EQ(all, Numbers({1, 2, 3, 4}));
}

TEST_F(LaneHistory, OfOneTenantOnly) {
  enqueue(message("", "acme"));
  enqueue(message("", "other"));
  enqueue(message("", "acme"));
  take();
  run();
  forget_received();
  EXPECT_EQ(replay_history(1, 3, "acme"), "done");
  run();
  EXPECT_EQ(received(), Numbers({1, 3}));
}

TEST_F(LaneHistory, ToOneDestinationOnly) {
  add_destination("fn:b");
  deliver(2);
  replay_history(1, 2);
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1, 2}));
  EXPECT_EQ(received("fn:b"), Numbers());
}

TEST_F(LaneHistory, EndsBelowWhatHasNotEndedYet) {
  enqueue(5);
  take();
  exchange();
  sent();
  for (const Sequence number : {1, 2, 4, 5}) succeeds(number);
  exchange();
  EXPECT_EQ(replay_history(1, 5), "done");
  EXPECT_EQ(history(all_of_a)->end, 2);
}

TEST_F(LaneHistory, IsRefusedWhenNothingOfItHasBeenDelivered) {
  enqueue(2);
  take();
  exchange();
  sent();
  EXPECT_EQ(replay_history(1, 2), "refused: nothing of that range has been delivered yet");
}

TEST_F(LaneHistory, IsRefusedWhileOneIsUnderWay) {
  deliver(2);
  replay_history(1, 2);
  EXPECT_EQ(replay_history(1, 2), "refused: a replay of its history is under way already");
}

TEST_F(LaneHistory, IsRefusedWhereNoRouteLeads) {
  deliver(2);
  EXPECT_EQ(replay_history(1, 2, "", "fn:x"), "refused: no route leads to such a destination");
}

TEST_F(LaneHistory, LeavesOutWhatIsParkedAndNotDone) {
  enqueue(4);
  take();
  exchange();
  sent();
  for (const Sequence number : {1, 4}) succeeds(number);
  relay().answer(2, "fn:a", Outcome::fail("NO_SUCH_ORDER"));
  fails(3);
  exchange();
  forget_received();
  replay_history(1, 4);
  run();
  EXPECT_EQ(received(), Numbers({1, 4})) << "the others have a story of their own";
}

TEST_F(LaneHistory, AFailureInItIsParkedAndTriedAgain) {
  deliver(2);
  replay_history(1, 2);
  exchange();
  ASSERT_EQ(sent(), Numbers({1, 2}));
  fails(1);
  succeeds(2);
  exchange();
  EXPECT_EQ(parked(1)->state, ParkedState::waiting);
  run_for(10s);
  EXPECT_EQ(received(), Numbers({1, 2, 1}));
  EXPECT_EQ(parked(1)->state, ParkedState::done);
  EXPECT_FALSE(history(all_of_a));
}

TEST_F(LaneHistory, StandsStillWhileItsDestinationIsPaused) {
  deliver(3);
  pause();
  EXPECT_EQ(replay_history(1, 3), "done");
  run_for(10s);
  EXPECT_EQ(received(), Numbers());
  resume();
  run();
  EXPECT_EQ(received(), Numbers({1, 2, 3}));
}

TEST_F(LaneHistory, StandsStillWhileATenantInItIsPaused) {
  enqueue(message("", "acme"));
  take();
  run();
  forget_received();
  pause("fn:a", "acme");
  replay_history(1, 1);
  run_for(10s);
  EXPECT_EQ(received(), Numbers());
  resume("fn:a", "acme");
  run();
  EXPECT_EQ(received(), Numbers({1}));
}

TEST_F(LaneHistory, GoesOnUnderTheNextOwner) {
  destination().in_flight_max = 1;
  deliver(4);
  replay_history(1, 4);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  exchange();
  die_and_take_over();
  forget_received();
  run();
  EXPECT_EQ(received(), Numbers({1, 2, 3, 4}));
  EXPECT_FALSE(history(all_of_a));
}

TEST_F(LaneHistory, ACancelEndsItAndKeepsWhatIsInFlight) {
  destination().in_flight_max = 1;
  deliver(4);
  replay_history(1, 4);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  EXPECT_EQ(cancel(), "done");
  EXPECT_EQ(position(), (Position{.reached = 4, .under_way = {{"fn:a", {1}}}}));
  succeeds(1);
  run_for(10s);
  EXPECT_EQ(received(), Numbers({1}));
  EXPECT_EQ(cancel(), "refused: no replay of its history is under way");
}

TEST_F(LaneHistory, ACancelFreesTheKeysOfWhatItHadInHand) {
  destination().in_flight_max = 1;
  enqueue(2, message("k"));
  take();
  run();
  forget_received();
  replay_history(1, 2);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  cancel();
  succeeds(1);
  enqueue(message("k"));
  run();
  EXPECT_EQ(received(), Numbers({1, 3}));
}

// fn:b is added after five messages.
class LaneBackfill : public LaneOnStore {
 protected:
  void add_b() {
    add_destination("fn:b");
    restart_with_new_settings();
    run();
  }
};

TEST_F(LaneBackfill, OfANewDestinationEndsWhereItsFirstVersionBegins) {
  enqueue(5);
  take();
  run();
  add_b();
  enqueue(2);
  run();
  ASSERT_EQ(received("fn:b"), Numbers({6, 7}));
  EXPECT_EQ(replay_history(0, 0, "", "fn:b"), "done");
  EXPECT_EQ(history({"fn:b"})->end, 5);
  run();
  EXPECT_EQ(received("fn:b"), Numbers({6, 7, 1, 2, 3, 4, 5}));
  EXPECT_EQ(received("fn:a").size(), 7U);
}

// 2 is open; 1 and 3 have been delivered.
class LaneHistoryWithALateRow : public LaneBackfill {
 protected:
  LaneHistoryWithALateRow() {
    enqueue(message());
    late = begin_transaction();
    EXPECT_TRUE(late->enqueue(message()));
    enqueue(message());
    take();
    run();
  }

  std::unique_ptr<memory::Transaction> late;
};

TEST_F(LaneHistoryWithALateRow, ABackfillDoesNotEndBeforeTheNumberIsClosed) {  // I1
  add_b();
  replay_history(0, 0, "", "fn:b");
  run_for(10s);
  EXPECT_EQ(received("fn:b"), Numbers({1, 3}));
  ASSERT_TRUE(history({"fn:b"})) << "2 may still appear";
  ASSERT_TRUE(late->commit());
  run();
  EXPECT_EQ(received("fn:b"), Numbers({1, 3, 2}));
  EXPECT_EQ(received("fn:a"), Numbers({1, 3, 2}));
  EXPECT_FALSE(history({"fn:b"}));
}

TEST_F(LaneHistoryWithALateRow, ABackfillEndsWhenTheNumberNeverAppears) {
  add_b();
  replay_history(0, 0, "", "fn:b");
  run();
  late.reset();
  run_for(options.safety_interval);
  EXPECT_EQ(received("fn:b"), Numbers({1, 3}));
  EXPECT_FALSE(history({"fn:b"}));
}

TEST_F(LaneHistoryWithALateRow, ARowWhoseOwnRoutesLeadThereIsNoHistory) {
  replay_history(1, 3);
  run();
  ASSERT_EQ(received(), Numbers({1, 3, 1, 3}));
  ASSERT_TRUE(late->commit());
  run();
  EXPECT_EQ(received(), Numbers({1, 3, 1, 3, 2})) << "once, as what it is";
  EXPECT_FALSE(history(all_of_a));
}

/// A message that led nowhere, and a route that was added since.
class LaneHistoryOfWhatLedNowhere : public LaneHistory {
 protected:
  void SetUp() override {
    options.routes = {{.pattern = "other", .destination = "fn:a"}};
    enqueue(1);
    take();
    run();
    options.routes.push_back({.pattern = "*", .destination = "fn:a"});
    restart_with_new_settings();
  }
  void send_as_history() {
    replay_history(1, 1);
    exchange();
    ASSERT_EQ(sent(), Numbers({1}));
  }
  std::string ask_about_it(RequestKind kind) {
    return ask({.kind = kind, .sequence = 1, .destination = "-", .operator_name = {}});
  }
  /// The next exchange leads it by the newest routes.
  void replay() { EXPECT_EQ(ask_about_it(RequestKind::replay), "done"); }
};

TEST_F(LaneHistoryOfWhatLedNowhere, ItsRetryStaysWhenTheMessageIsReplayed) {
  send_as_history();
  replay();
  fails(1);
  exchange();
  EXPECT_EQ(parked(1, "-")->state, ParkedState::done);
  EXPECT_EQ(parked(1)->attempts, 1U);
}

TEST_F(LaneHistoryOfWhatLedNowhere, ItsRetryThatIsUnderWayIsNotSentTwice) {
  send_as_history();
  fails(1);
  exchange();
  pass(5s);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  replay();
  exchange();
  EXPECT_EQ(parked(1, "-")->state, ParkedState::done);
  exchange();
  EXPECT_EQ(sent(), Numbers());
  succeeds(1);
  run();
  EXPECT_EQ(parked(1)->state, ParkedState::done);
}

TEST_F(LaneHistoryOfWhatLedNowhere, IsNotSentWhenItIsPutAway) {
  replay_history(1, 1);
  exchange();  // It is in hand.
  EXPECT_EQ(ask_about_it(RequestKind::quarantine), "done");
  EXPECT_EQ(sent(), Numbers());
  run();
  EXPECT_EQ(received(), Numbers());
  EXPECT_FALSE(history(all_of_a)) << "it ends nevertheless";
}

TEST_F(LaneHistoryOfWhatLedNowhere, IsNotReadWhenItIsPutAwayInTheSameTurn) {
  replay_history(1, 1);
  EXPECT_EQ(ask_about_it(RequestKind::quarantine), "done");
  run();
  EXPECT_EQ(received(), Numbers());
}

TEST_F(LaneHistoryOfWhatLedNowhere, IsNotReadWhenItWasReplayedAndPutAwayBefore) {
  replay();
  EXPECT_EQ(ask_about_it(RequestKind::quarantine), "done");
  replay_history(1, 1);
  run();
  EXPECT_EQ(received(), Numbers());
}

}  // namespace
}  // namespace makegood::core
