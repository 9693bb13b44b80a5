// The store's clock is set back: nothing waits longer for it than it was to wait.
#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LaneClock : public LaneOnStore {
 protected:
  /// Its retry is due in a second.
  void fail_one(const NewMessage& like = message()) {
    enqueue(1, like);
    take();
    exchange();
    ASSERT_EQ(sent(), Numbers({1}));
    fails(1);
    exchange();
    forget_received();
  }
};

TEST_F(LaneClock, SetBackLeavesARetryItsOwnDelay) {
  fail_one();
  move_clock(-1h);
  exchange();
  run_for(1s - 1ms);
  EXPECT_EQ(received(), Numbers());
  run_for(10ms);
  EXPECT_EQ(received(), Numbers({1}));
}

TEST_F(LaneClock, SetBackIsNoticedByTheNextOwnerToo) {
  fail_one();
  move_clock(-1h);
  die_and_take_over();
  run_for(2s);
  EXPECT_EQ(received(), Numbers({1}));
}

TEST_F(LaneClock, SetBackTwiceAndForwardInBetween) {
  fail_one();
  move_clock(-1h);
  exchange();
  move_clock(3h);
  exchange();
  move_clock(-5h);
  run_for(2s);
  EXPECT_EQ(received(), Numbers({1}));
}

TEST_F(LaneClock, SetBackHoldsUpNoKey) {
  fail_one(message("k"));
  enqueue(2, message("k"));
  exchange();
  move_clock(-1h);
  run_for(3s);
  EXPECT_EQ(received(), Numbers({1, 2, 3}));
}

TEST_F(LaneClock, SetBackLeavesOneThatWasCalledUpDue) {
  fail_one(message("k"));
  enqueue(1, message("k"));
  exchange();
  ASSERT_EQ(parked(2)->state, ParkedState::held);
  pass(1s);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  succeeds(1);
  exchange();
  ASSERT_EQ(parked(2)->state, ParkedState::waiting) << "due at once, by a clock that is about to change";
  move_clock(-1h);
  run_for(1s);
  EXPECT_EQ(received(), Numbers({1, 2}));
}

TEST_F(LaneClock, SetBackLeavesAMessageForLaterItsTime) {
  NewMessage later = message();
  take();
  exchange();
  later.available_at = lane().store_time(now()) + 10s;
  enqueue(later);
  run();
  move_clock(-1h);
  run_for(59min);
  EXPECT_EQ(received(), Numbers());
  run_for(2min);
  EXPECT_EQ(received(), Numbers({1}));
}

TEST_F(LaneClock, SetBackMovesARowThatAnOperatorSpeaksOfInTheSameTurn) {
  fail_one(message("k"));
  move_clock(-1h);
  const auto asked = request({.kind = RequestKind::unblock, .sequence = 1, .destination = "fn:a", .operator_name = {}});
  exchange();
  ASSERT_EQ(answer_to(asked), "done");
  run_for(2s);
  EXPECT_EQ(received(), Numbers({1}));
}

TEST_F(LaneClock, ThatDiffersByLittleCostsNoTurn) {
  fail_one();
  run_for(500ms);
  const std::size_t turns = relay().turn_count();
  move_clock(-900ms);
  exchange();
  EXPECT_EQ(relay().turn_count(), turns);
}

}  // namespace
}  // namespace makegood::core
