// A scope that fills more than its share of the window leaves, if anybody else is the better for it; and the bounds on
// what is parked.
#include <algorithm>

#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

// A window of eight; a scope's share is two. What is sent gets no answer.
class LaneCrowded : public LaneOnStore {
 protected:
  LaneCrowded() {
    options.limits.window_rows_max = 8;
    destination().in_flight_max = 2;
    silent = {"fn:a"};
  }
  static NewMessage on_topic(const std::string& topic) {
    NewMessage message = LaneOnStore::message();
    message.topic = topic;
    return message;
  }
  bool has_received(Sequence number) const {
    const Numbers numbers = received();
    return std::ranges::find(numbers, number) != numbers.end();
  }
};

TEST_F(LaneCrowded, ATenantLeaves) {
  enqueue(20, message("", "acme"));
  const Sequence other = enqueue(message("", "other"));
  take();
  run_for(1s);
  ASSERT_TRUE(side({"fn:a", "acme"}));
  EXPECT_EQ(side({"fn:a", "acme"})->why, Why::crowded);
  EXPECT_FALSE(has_received(other)) << "no place is free yet";
  succeeds(1);
  run();
  EXPECT_TRUE(has_received(other));
}

TEST_F(LaneCrowded, NotBeforeTheWindowHasBeenFullForAWhile) {
  enqueue(20, message("", "acme"));
  take();
  run_for(options.limits.crowded_after - 1ms);
  EXPECT_TRUE(position().sides.empty());
  run_for(20ms);
  EXPECT_FALSE(position().sides.empty());
}

TEST_F(LaneCrowded, TheOnlyTenantThereIsStays) {
  enqueue(20);
  take();
  run_for(10s);
  EXPECT_TRUE(position().sides.empty()) << "nobody would be the better for it";
}

TEST_F(LaneCrowded, NobodyLeavesWhenThereIsNoMoreToRead) {
  enqueue(8, message("", "acme"));
  take();
  run_for(10s);
  EXPECT_TRUE(position().sides.empty());
}

TEST_F(LaneCrowded, AKeyLeaves) {
  enqueue(20, message("k"));
  const Sequence other = enqueue(message("x"));
  take();
  run_for(1s);
  EXPECT_TRUE(side({"fn:a", "default", "k"}));
  EXPECT_EQ(received(), Numbers({1, other}));
}

TEST_F(LaneCrowded, ALowPriorityLeavesWhenAHigherOneWasSeen) {
  NewMessage urgent = message();
  urgent.priority = 5;
  enqueue(urgent);
  enqueue(20);
  const Sequence second = enqueue(urgent);
  take();
  run_for(1s);
  ASSERT_TRUE(side({"fn:a", "default", "", 0}));
  succeeds(1);
  run();
  EXPECT_TRUE(has_received(second));
}

TEST_F(LaneCrowded, ADestinationLeavesWhenThereIsAnother) {
  add_destination("fn:b");
  enqueue(20);
  take();
  run_for(1s);
  EXPECT_TRUE(side({"fn:a"}));
  EXPECT_EQ(received("fn:b").size(), 20U);
}

TEST_F(LaneCrowded, ByBytesToo) {
  options.limits.window_rows_max = 1000;
  options.limits.window_bytes_max = 8000;
  NewMessage big = message("", "acme");
  big.payload = '"' + std::string(3000, 'x') + '"';
  enqueue(10, big);
  enqueue(1000);
  take();
  run_for(1s);
  EXPECT_TRUE(side({"fn:a", "acme"}));
}

TEST_F(LaneCrowded, ComesBackWhenItHasCaughtUp) {
  silent.clear();
  destination().rate_max = 10;
  enqueue(30, message("", "acme"));
  enqueue(message("", "other"));
  take();
  run_for(2s);
  ASSERT_TRUE(side({"fn:a", "acme"}));
  run_for(5s);
  EXPECT_EQ(received().size(), 31U);
  EXPECT_TRUE(position().sides.empty());
}

class LaneOverheld : public LaneOnStore {};

TEST_F(LaneOverheld, AKeyWithTooManyHeldBehindItsHeadLeaves) {
  options.limits.held_per_key_max = 5;
  destination().retry.base = 1h;
  destination().retry.cap = 1h;
  enqueue(message("k"));
  take();
  exchange();
  sent();
  fails(1);
  enqueue(10, message("k"));
  exchange();
  ASSERT_TRUE(side({"fn:a", "default", "k"}));
  const std::size_t bound = parked_count();
  EXPECT_LE(bound, 11U);
  enqueue(50, message("k"));
  run_for(1min);
  EXPECT_EQ(parked_count(), bound) << "nothing more is parked";
  run_for(1h);
  run_for(1min);
  Numbers all{1};
  for (Sequence number = 1; number <= 61; ++number) all.push_back(number);
  EXPECT_EQ(received(), all);
  EXPECT_TRUE(position().sides.empty());
}

TEST_F(LaneOverheld, ADestinationWithTooManyParkedIsReadNoFurther) {
  options.limits.parked_max = 5;
  destination().circuit.failures_max = 0;
  destination().retry.base = 1min;
  down = {"fn:a"};
  enqueue(8);
  take();
  run();
  ASSERT_TRUE(side({"fn:a"}));
  EXPECT_EQ(side({"fn:a"})->why, Why::crowded);
  EXPECT_EQ(lane().take_alarms().at(0).code, Errc::unavailable);
  enqueue(50);
  run_for(50s);
  EXPECT_EQ(parked_count(), 8U);
  EXPECT_EQ(received().size(), 8U);
  down.clear();
  run_for(10min);
  EXPECT_EQ(received().size(), 8U + 58U);
  EXPECT_TRUE(position().sides.empty());
}

TEST_F(LaneOverheld, TheNextOwnerKnowsHowManyAreParked) {
  options.limits.parked_max = 5;
  destination().circuit.failures_max = 0;
  destination().retry.base = 1h;
  destination().retry.cap = 1h;
  down = {"fn:a"};
  enqueue(8);
  take();
  run();
  die_and_take_over();
  enqueue(50);
  run_for(1min);
  EXPECT_EQ(parked_count(), 8U);
}

TEST_F(LaneOverheld, DelayedMessagesDoNotCount) {
  options.limits.parked_max = 5;
  take();
  NewMessage later = message();
  later.available_at = from_milliseconds(4102444800000);
  enqueue(20, later);
  run();
  EXPECT_EQ(parked_count(), 20U);
  EXPECT_TRUE(position().sides.empty());
}

TEST_F(LaneCrowded, ManySlowDestinationsLeaveTogether) {
  silent.clear();
  destination().in_flight_max = 100;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "fn:slow" + std::to_string(i);
    add_destination(name, name);
    silent.push_back(name);
  }
  options.routes.front().pattern = "fast";
  for (int round = 0; round < 2; ++round) {
    for (const std::string& name : silent) enqueue(on_topic(name));
  }
  for (int i = 0; i < 20; ++i) enqueue(on_topic("fast"));
  take();
  run_for(3s);
  EXPECT_EQ(received("fn:a").size(), 20U) << "none of the slow ones holds more than its share";
  EXPECT_GE(position().sides.size(), 4U) << "one that has no more to read may have come back";
}

}  // namespace
}  // namespace makegood::core
