// What the lane tells by messages of its own, in the same turn as what they tell of.
#include <rapidjson/document.h>

#include "makegood/events.hpp"
#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LaneEvents : public LaneOnStore {
 protected:
  LaneEvents() {
    options.routes.front().pattern = "orders.*";
    add_destination("fn:events", "makegood.*");
  }
  static NewMessage order() {
    NewMessage order = message("o-7", "acme");
    order.topic = "orders.placed";
    order.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    return order;
  }
  void kill_first() {
    enqueue(order());
    take();
    exchange();
    sent();
    relay().answer(1, "fn:a", Outcome::fail("NO", "the receiver said no"));
    exchange();
  }
};

TEST_F(LaneEvents, TellOfADeathInTheTurnThatWritesIt) {
  kill_first();
  ASSERT_EQ(parked(1)->state, ParkedState::dead);
  ASSERT_EQ(turn().messages.size(), 1U);
  const NewMessage& event = turn().messages[0];
  EXPECT_EQ(event.topic, delivery_died_topic);
  EXPECT_EQ(event.tenant_id, "acme");
  EXPECT_EQ(event.traceparent, order().traceparent);
  rapidjson::Document told;
  ASSERT_FALSE(told.Parse(event.payload.c_str()).HasParseError());
  EXPECT_EQ(told["sequence"].GetInt64(), 1);
  EXPECT_STREQ(told["topic"].GetString(), "orders.placed");
  EXPECT_STREQ(told["destination"].GetString(), "fn:a");
  EXPECT_STREQ(told["code"].GetString(), "NO");
  EXPECT_STREQ(told["error"].GetString(), "the receiver said no");
  EXPECT_EQ(told["attempts"].GetInt(), 1);
}

TEST_F(LaneEvents, AreDeliveredLikeAnyOtherMessage) {
  kill_first();
  run();
  EXPECT_EQ(received("fn:events"), Numbers({2}));
}

TEST_F(LaneEvents, AreNotWrittenWithoutARouteForThem) {
  options.routes.pop_back();
  kill_first();
  EXPECT_TRUE(turn().messages.empty());
  EXPECT_EQ(parked(1)->state, ParkedState::dead);
}

TEST_F(LaneEvents, TellNothingOfThemselves) {
  destination("fn:events").retry = {.attempts_max = 1, .unreachable_for = {}};
  destination("fn:events").circuit.failures_max = 0;
  down = {"fn:events"};
  kill_first();
  run_for(10min);
  EXPECT_EQ(received("fn:events"), Numbers({2}));
  EXPECT_EQ(parked(2, "fn:events")->state, ParkedState::dead);
}

TEST_F(LaneEvents, TellOfWhatHasNoRoute) {
  NewMessage lost = message();
  lost.topic = "nowhere";
  enqueue(lost);
  take();
  run();
  EXPECT_EQ(received("fn:events"), Numbers({2}));
}

TEST_F(LaneEvents, TellThatADestinationIsDisabledAndWhy) {
  enqueue(order());
  take();
  exchange();
  sent();
  relay().answer(1, "fn:a", Outcome::gone("TX.REJECTED", "410 Gone"));
  exchange();
  ASSERT_EQ(turn().messages.size(), 1U);
  EXPECT_EQ(turn().messages[0].topic, destination_disabled_topic);
  rapidjson::Document told;
  ASSERT_FALSE(told.Parse(turn().messages[0].payload.c_str()).HasParseError());
  EXPECT_STREQ(told["destination"].GetString(), "fn:a");
  EXPECT_NE(std::string(told["because"].GetString()).find("410 Gone"), std::string::npos);
}

}  // namespace
}  // namespace makegood::core
