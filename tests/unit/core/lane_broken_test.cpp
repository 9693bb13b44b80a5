// An outage: the circuit opens, nothing is spent but probes, and everything comes back in order.
#include <algorithm>
#include <set>

#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

// Three failures in a row open the circuit; the first probe comes after 10 seconds.
class LaneBroken : public LaneOnStore {
 protected:
  /// So many are sent, the first three of them fail.
  void break_it(std::size_t count = 3) {
    enqueue(count);
    take();
    exchange();
    ASSERT_EQ(sent().size(), count);
    for (const Sequence number : {1, 2, 3}) fails(number);
    ASSERT_TRUE(lane().is_broken("fn:a"));
  }
  Numbers received_in(Duration time) {
    forget_received();
    run_for(time);
    return received();
  }
};

TEST_F(LaneBroken, GetsALaneOfItsOwn) {
  down = {"fn:a"};
  destination().in_flight_max = 3;
  enqueue(10);
  take();
  run();
  EXPECT_EQ(received(), Numbers({1, 2, 3}));
  ASSERT_TRUE(side(all_of_a));
  EXPECT_EQ(side(all_of_a)->why, Why::broken);
  EXPECT_FALSE(side(all_of_a)->is_paused);
  EXPECT_EQ(side(all_of_a)->under_way, Numbers({4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(lane().figures().open_circuit_count, 1U);
  EXPECT_EQ(parked_count(), 3U);
}

TEST_F(LaneBroken, IsToldAndSoIsItsEnd) {
  break_it();
  EXPECT_EQ(news(), std::vector({LaneNews::Kind::circuit_opened}));
  exchange();
  EXPECT_EQ(news(), std::vector({LaneNews::Kind::side_opened}));
  run_for(1min);
  EXPECT_EQ(news(), std::vector({LaneNews::Kind::circuit_closed, LaneNews::Kind::side_merged}));
}

TEST_F(LaneBroken, WritesNoRowPerMessageHoweverLongItLasts) {
  down = {"fn:a"};
  take();
  for (int minute = 0; minute < 60; ++minute) {
    enqueue(20);
    run_for(1min);
  }
  EXPECT_EQ(lane().reached(), 1200);
  // Twenty are sent before the first answer: three failures open it and have a row, the others are given back. Then
  // there are probes after 10, 20 and 40 seconds, and one a minute.
  constexpr std::size_t probes = 3 + 60;
  EXPECT_LE(received().size(), 20 + probes);
  EXPECT_LE(parked_count(), 3 + probes);
}

TEST_F(LaneBroken, AttemptsUnderWayAreGivenBack) {
  break_it(5);
  fails(4);
  fails(5);
  exchange();
  EXPECT_EQ(parked_count(), 3U);
  EXPECT_EQ(side(all_of_a)->under_way, Numbers({4, 5}));
  EXPECT_EQ(received_in(2min).size(), 5U) << "it is up again: each is sent once more";
  EXPECT_FALSE(parked(4));
}

TEST_F(LaneBroken, TheAttemptOfARetryIsGivenBack) {  // I6
  enqueue(1);
  take();
  exchange();
  sent();
  fails(1);
  exchange();
  pass(1s);
  enqueue(3);
  exchange();
  ASSERT_EQ(sent(), Numbers({1, 2, 3, 4}));
  ASSERT_EQ(parked(1)->attempts, 2U);
  fails(2);
  fails(3);
  ASSERT_TRUE(lane().is_broken("fn:a"));
  fails(1);
  exchange();
  EXPECT_EQ(parked(1)->attempts, 1U);
  EXPECT_FALSE(parked(1)->under_way);
  EXPECT_EQ(parked(1)->state, ParkedState::waiting);
}

TEST_F(LaneBroken, ThoseBehindOneThatWasGivenBackDoNotPassIt) {  // I4
  enqueue(2, message("k"));
  enqueue(3);
  take();
  exchange();
  ASSERT_EQ(sent(), Numbers({1, 3, 4, 5}));
  for (const Sequence number : {3, 4, 5}) fails(number);
  fails(1);
  exchange();
  EXPECT_EQ(sent(), Numbers());
  EXPECT_EQ(side(all_of_a)->under_way, Numbers({1, 2}));
  run_for(2min);
  EXPECT_EQ(received_of("k"), Numbers({1, 1, 2}));
}

TEST_F(LaneBroken, ThoseBehindARetryThatWasGivenBackDoNotPassIt) {  // I4
  destination().ordering = Ordering::skip;
  enqueue(message("k"));
  take();
  exchange();
  sent();
  fails(1);
  exchange();
  pass(1s);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  enqueue(message("k"));
  enqueue(2);
  exchange();
  ASSERT_EQ(sent(), Numbers({3, 4}));
  fails(3);
  fails(4);
  ASSERT_TRUE(lane().is_broken("fn:a"));
  fails(1);
  exchange();
  EXPECT_EQ(sent(), Numbers());
  EXPECT_EQ(side(all_of_a)->under_way, Numbers({2}));
}

TEST_F(LaneBroken, ASuccessOfWhatWasSentBeforeCountsAndClosesTheCircuit) {
  break_it(5);
  succeeds(4);
  EXPECT_FALSE(lane().is_broken("fn:a"));
}

TEST_F(LaneBroken, OneProbeAtATimeWithADoublingWait) {
  down = {"fn:a"};
  break_it();
  EXPECT_EQ(received_in(10s - 1ms).size(), 0U);
  EXPECT_EQ(received_in(1ms).size(), 1U);
  EXPECT_EQ(received_in(20s - 1ms).size(), 0U);
  EXPECT_EQ(received_in(1ms).size(), 1U);
  EXPECT_EQ(received_in(40s - 1ms).size(), 0U);
  EXPECT_EQ(received_in(1ms).size(), 1U);
}

TEST_F(LaneBroken, NothingIsSentBesideAProbe) {
  silent = {"fn:a"};
  break_it();
  enqueue(10);
  EXPECT_EQ(received_in(5min).size(), 1U) << "the first probe has no answer yet";
}

TEST_F(LaneBroken, AProbeThatFailsSpendsAnAttempt) {  // I6
  down = {"fn:a"};
  break_it();
  const Numbers probes = received_in(10s);
  ASSERT_EQ(probes.size(), 1U);
  EXPECT_EQ(parked(probes[0])->attempts, 2U);
}

TEST_F(LaneBroken, ProbesRotate) {
  down = {"fn:a"};
  break_it();
  const Numbers probes = received_in(10s + 20s + 40s);
  EXPECT_EQ(std::set<Sequence>(probes.begin(), probes.end()), std::set<Sequence>({1, 2, 3}));
}

TEST_F(LaneBroken, AFreshMessageIsAProbeWhenNoRetryIsDue) {
  down = {"fn:a"};
  destination().retry.base = 1h;
  destination().retry.cap = 1h;
  break_it();
  enqueue(2);
  EXPECT_EQ(received_in(10s), Numbers({4}));
}

TEST_F(LaneBroken, ARefusalProvesThatItIsUp) {
  break_it();
  exchange();
  pass(10s);
  exchange();
  const Numbers probe = sent();
  ASSERT_EQ(probe.size(), 1U);
  relay().answer(probe[0], "fn:a", Outcome::fail("NO_SUCH_ORDER"));
  EXPECT_FALSE(lane().is_broken("fn:a"));
}

TEST_F(LaneBroken, TheLoadGrowsSlowlyWhenItIsUpAgain) {
  break_it();
  enqueue(20);
  exchange();
  pass(10s);
  exchange();
  const Numbers probe = sent();
  ASSERT_EQ(probe.size(), 1U);
  succeeds(probe[0]);
  for (int i = 0; i < 3; ++i) exchange();
  const Numbers first = sent();
  ASSERT_EQ(first.size(), 2U);
  succeeds(first[0]);
  exchange();
  EXPECT_EQ(sent().size(), 2U) << "one answer lets two go";
}

TEST_F(LaneBroken, EverythingIsDeliveredInOrderWhenItIsUpAgain) {  // I1, I4
  down = {"fn:a"};
  take();
  for (int i = 0; i < 20; ++i) {
    enqueue(message("k1"));
    enqueue(message("k2"));
    run_for(7s);
  }
  down.clear();
  forget_received();
  run_for(10min);
  for (const std::string key : {"k1", "k2"}) {
    const Numbers numbers = received_of(key);
    EXPECT_EQ(numbers.size(), 20U);
    EXPECT_TRUE(std::ranges::is_sorted(numbers));
  }
  EXPECT_TRUE(position().sides.empty());
  EXPECT_EQ(position().reached, 40);
}

TEST_F(LaneBroken, OtherDestinationsGoOn) {
  add_destination("fn:b");
  down = {"fn:a"};
  enqueue(10);
  take();
  run();
  EXPECT_EQ(received("fn:b").size(), 10U);
  EXPECT_FALSE(lane().is_broken("fn:b"));
}

TEST_F(LaneBroken, TheNextOwnerKnowsAndProbesAtOnce) {
  down = {"fn:a"};
  enqueue(10);
  destination().in_flight_max = 3;
  take();
  run();
  stop_and_take_over();
  EXPECT_TRUE(lane().is_broken("fn:a"));
  forget_received();
  run();
  EXPECT_EQ(received().size(), 1U);
}

TEST_F(LaneBroken, NeverWithoutALimit) {
  destination().circuit.failures_max = 0;
  down = {"fn:a"};
  enqueue(20);
  take();
  run();
  EXPECT_FALSE(lane().is_broken("fn:a"));
  EXPECT_EQ(parked_count(), 20U);
}

}  // namespace
}  // namespace makegood::core
