// A message that an operator does not want to be sent.
#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LaneCancels : public LaneOnStore {
 protected:
  NewRequest cancelling(Sequence sequence) {
    return {.kind = RequestKind::cancel_message,
            .sequence = sequence,
            .destination = {},
            .operator_name = "ann",
            .reason = "wrong price"};
  }
  std::string cancel(Sequence sequence) { return ask(cancelling(sequence)); }
  bool is_cancelled(Sequence sequence, const std::string& destination) {
    const auto row = parked(sequence, destination);
    return row && row->state == ParkedState::quarantined && row->error_code == "TX.CANCELLED";
  }
};

TEST_F(LaneCancels, WhatWasNotReadIsNeverSentAndLeavesATrace) {
  take();
  enqueue(3);
  EXPECT_EQ(cancel(2), "done");
  EXPECT_TRUE(is_cancelled(2, "-"));
  EXPECT_EQ(parked(2, "-")->last_error, "Cancelled by ann: wrong price");
  run();
  EXPECT_EQ(received(), Numbers({1, 3}));
}

TEST_F(LaneCancels, TheNextOwnerKnowsOfIt) {
  options.limits.batch_rows_max = 1;
  options.limits.window_rows_max = 1;
  silent = {"fn:a"};
  take();
  enqueue(3);
  exchange();
  sent();
  ASSERT_EQ(cancel(3), "done");
  EXPECT_EQ(position().cancelled.at("-"), NumberSet({3}));
  silent.clear();
  stop_and_take_over();
  run();
  EXPECT_EQ(received().back(), 2);
}

TEST_F(LaneCancels, TheMarkGoesWhenEveryLaneIsPastIt) {
  take();
  enqueue(2);
  ASSERT_EQ(cancel(2), "done");
  run();
  enqueue(1);
  run();
  EXPECT_TRUE(position().cancelled.empty());
  EXPECT_EQ(received(), Numbers({1, 3}));
}

TEST_F(LaneCancels, ARetryThatWaitsIsNotSentAgain) {
  down = {"fn:a"};
  options.limits.batch_rows_max = 1;
  take();
  enqueue(message("k"));
  enqueue(message("k"));
  run();
  ASSERT_TRUE(parked(1));
  EXPECT_EQ(cancel(1), "done");
  EXPECT_TRUE(is_cancelled(1, "fn:a"));
  EXPECT_EQ(parked(1)->last_error, "Cancelled by ann: wrong price (It may have been sent before.)");
  down.clear();
  forget_received();
  run_for(1h);
  EXPECT_EQ(received(), Numbers({2})) << "and it blocks its key no more";
}

TEST_F(LaneCancels, WhatIsInFlightIsNotCancelledAndTheAnswerSaysSo) {
  silent = {"fn:a"};
  take();
  enqueue(1);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  EXPECT_EQ(cancel(1), "refused: it is being sent to fn:a at this moment; ask again when that has ended");
  EXPECT_FALSE(parked(1));
}

TEST_F(LaneCancels, WhatIsInFlightAtOneDestinationIsCancelledAtTheOthers) {
  add_destination("fn:b");
  take();
  pause("fn:b");
  silent = {"fn:a"};
  enqueue(1);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  EXPECT_EQ(cancel(1),
            "refused: it is being sent to fn:a at this moment, and was cancelled elsewhere; ask again when "
            "that has ended");
  EXPECT_TRUE(is_cancelled(1, "fn:b"));
  succeeds(1);
  resume("fn:b");
  run();
  EXPECT_EQ(received("fn:b"), Numbers());
}

TEST_F(LaneCancels, WhatWasInFlightMeanwhileIsStillDeliveredThere) {
  add_destination("fn:b");
  take();
  pause("fn:b");
  silent = {"fn:a"};
  enqueue(1);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  ASSERT_NE(cancel(1), "done") << "it is in flight at fn:a";
  silent.clear();
  forget_received();
  die_and_take_over();
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1})) << "nobody knows what became of it";
  EXPECT_EQ(received("fn:b"), Numbers());
}

TEST_F(LaneCancels, WhatASideLaneHasStillToReadIsLeftOut) {
  add_destination("fn:b");
  take();
  pause("fn:b");
  enqueue(3);
  run();
  EXPECT_EQ(cancel(2), "done") << "at fn:b, which has not got it";
  EXPECT_FALSE(parked(2, "fn:a")) << "it was delivered there";
  resume("fn:b");
  run();
  EXPECT_EQ(received("fn:b"), Numbers({1, 3}));
  EXPECT_EQ(received("fn:a"), Numbers({1, 2, 3}));
}

TEST_F(LaneCancels, WhatAFormerOwnerHadUnderWayIsNotSentAgain) {
  silent = {"fn:a"};
  take();
  enqueue(1);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  const std::int64_t asked_for = request(cancelling(1));
  silent.clear();
  forget_received();
  die_and_take_over();
  run();
  EXPECT_EQ(answer_to(asked_for), "done");
  EXPECT_TRUE(is_cancelled(1, "fn:a"));
  EXPECT_EQ(received(), Numbers());
}

TEST_F(LaneCancels, WhatWasDeliveredCannotBeCancelled) {
  take();
  enqueue(1);
  run();
  EXPECT_EQ(cancel(1), "refused: nothing of it is still to be sent: it was delivered, is dead or was put away");
  EXPECT_EQ(cancel(99), "refused: there is no such message");
}

TEST_F(LaneCancels, TwiceIsRefused) {
  take();
  pause();
  enqueue(1);
  ASSERT_EQ(cancel(1), "done");
  EXPECT_EQ(cancel(1), "refused: it is cancelled already");
}

TEST_F(LaneCancels, TwiceWritesNothingAgainForASideLaneThatHasNotReadIt) {
  add_destination("fn:b");
  take();
  pause("fn:b");
  enqueue(1);
  run();
  ASSERT_EQ(cancel(1), "done");
  EXPECT_EQ(cancel(1), "refused: nothing of it is still to be sent: it was delivered, is dead or was put away");
}

TEST_F(LaneCancels, AReplayOfHistoryLeavesItOut) {
  take();
  enqueue(3);
  ASSERT_EQ(cancel(2), "done");
  run();
  forget_received();
  ASSERT_EQ(replay_history(1, 3), "done");
  run();
  EXPECT_EQ(received(), Numbers({1, 3}));
}

TEST_F(LaneCancels, AReplayAfterAReleaseSendsItAfterAll) {
  take();
  enqueue(2);
  ASSERT_EQ(cancel(2), "done");
  run();
  enqueue(1);
  run();
  const NewRequest release{.kind = RequestKind::release, .sequence = 2, .destination = "-", .operator_name = {}};
  NewRequest replay = release;
  replay.kind = RequestKind::replay;
  ASSERT_EQ(ask(release), "done");
  ASSERT_EQ(ask(replay), "done");
  run();
  EXPECT_EQ(received(), Numbers({1, 3, 2}));
}

TEST_F(LaneCancels, AReplayWaitsUntilTheLaneHasPassedIt) {
  take();
  pause();
  enqueue(1);
  ASSERT_EQ(cancel(1), "done");
  const NewRequest release{.kind = RequestKind::release, .sequence = 1, .destination = "-", .operator_name = {}};
  NewRequest replay = release;
  replay.kind = RequestKind::replay;
  ASSERT_EQ(ask(release), "done");
  EXPECT_EQ(ask(replay), "refused: it was cancelled, and the lane has not passed it yet");
}

}  // namespace
}  // namespace makegood::core
