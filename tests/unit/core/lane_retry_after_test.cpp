// A destination that says when to come back is left alone until then.
#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LaneRetryAfter : public LaneOnStore {
 protected:
  void asks_for(Duration wait, Sequence sequence = 1) {
    Outcome later = Outcome::retry("TX.UNAVAILABLE", "429");
    later.retry_after = wait;
    relay().answer(sequence, "fn:a", later);
    exchange();
    forget_received();
  }
  void send_first(std::size_t count) {
    enqueue(count);
    take();
    exchange();
    ASSERT_EQ(sent().size(), count);
  }
};

TEST_F(LaneRetryAfter, IsObeyedForTheMessage) {
  destination().circuit.failures_max = 0;
  send_first(1);
  asks_for(2min);
  run_for(119s);
  EXPECT_EQ(received(), Numbers());
  run_for(2s);
  EXPECT_EQ(received(), Numbers({1}));
}

TEST_F(LaneRetryAfter, HoldsForTheWholeDestination) {
  send_first(1);
  asks_for(2min);
  enqueue(3);
  run_for(119s);
  EXPECT_EQ(received(), Numbers());
  run_for(10s);
  EXPECT_EQ(received().size(), 4U);
}

TEST_F(LaneRetryAfter, IsObeyedUpToALimit) {
  destination().retry.retry_after_max = 1min;
  send_first(1);
  asks_for(24h * 365);
  run_for(61s);
  EXPECT_EQ(received(), Numbers({1}));
}

TEST_F(LaneRetryAfter, NeverShortensTheWait) {
  destination().retry.base = 1min;
  destination().circuit.failures_max = 0;
  send_first(1);
  asks_for(1s);
  run_for(59s);
  EXPECT_EQ(received(), Numbers());
}

TEST_F(LaneRetryAfter, SpendsNoAttemptOfThoseInFlightBesideIt) {
  send_first(3);
  asks_for(1min);
  fails(2);
  fails(3);
  exchange();
  EXPECT_EQ(parked_count(), 1U) << "the others were sent into it, and get their attempt back";
}

}  // namespace
}  // namespace makegood::core
