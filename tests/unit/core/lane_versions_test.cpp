// Routes are versioned: a message goes by the version of its number, whoever reads it and whenever.
#include "stores/memory/database.hpp"
#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {
namespace {

class LaneVersions : public LaneOnStore {
 protected:
  LaneVersions() { add_destination("fn:b", "bids.*"); }
  void route(std::vector<Route> routes) {
    options.routes = std::move(routes);
    lane().configure(options);
  }
  static NewMessage bid() {
    NewMessage message = LaneOnStore::message();
    message.topic = "bids.placed";
    return message;
  }
  std::map<std::int64_t, Routing> versions() { return database().access().state().routings; }
};

TEST_F(LaneVersions, TheFirstDecisionOfANewOutboxWritesTheFirstVersion) {
  take();
  ASSERT_TRUE(relay().look());
  ASSERT_TRUE(turn().routing);
  EXPECT_EQ(turn().routing->version, 1);
  EXPECT_EQ(turn().routing->from, 0);
  EXPECT_EQ(turn().routing->routes, options.routes);
  EXPECT_EQ(turn().routing->destinations.size(), 2U);
}

TEST_F(LaneVersions, AreNotWrittenAgainByTheNextOwner) {
  take();
  exchange();
  stop_and_take_over();
  enqueue(1);
  run();
  EXPECT_EQ(versions().size(), 1U);
}

TEST_F(LaneVersions, NewRoutesCountFromThePositionOfTheMainLane) {
  enqueue(3);
  take();
  run();
  news();
  route({{"*", "fn:b"}});
  enqueue(2);
  run();
  ASSERT_EQ(versions().size(), 2U);
  EXPECT_EQ(versions().at(2).from, 3);
  EXPECT_EQ(received("fn:a"), Numbers({1, 2, 3}));
  EXPECT_EQ(received("fn:b"), Numbers({4, 5}));
  EXPECT_EQ(news(), std::vector({LaneNews::Kind::routes_changed}));
}

TEST_F(LaneVersions, WhatIsInHandGoesWhereItWasLed) {
  destination().in_flight_max = 1;
  enqueue(3);
  take();
  exchange();
  sent();
  route({{"*", "fn:b"}});
  succeeds(1);
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1, 2, 3}));
  EXPECT_EQ(received("fn:b"), Numbers());
}

TEST_F(LaneVersions, ALateRowGoesByTheVersionOfItsNumber) {
  const auto late = begin_transaction();
  ASSERT_TRUE(late->enqueue(message()));
  enqueue(1);
  take();
  run();
  route({{"*", "fn:b"}});
  enqueue(1);
  run();
  ASSERT_TRUE(late->commit());
  run();
  EXPECT_EQ(received("fn:a"), Numbers({2, 1}));
  EXPECT_EQ(received("fn:b"), Numbers({3}));
}

TEST_F(LaneVersions, ASideLaneBehindTheBoundaryGoesByTheOldOneUpToIt) {
  take();
  run();
  pause();
  enqueue(2);
  enqueue(bid());
  exchange();
  route({{"orders.*", "fn:b"}, {"bids.*", "fn:a"}});
  enqueue(2);
  enqueue(bid());
  run();
  EXPECT_EQ(received("fn:b"), Numbers({3, 4, 5}));
  resume();
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1, 2, 3, 6})) << "everything by version 1, bids only by version 2";
}

TEST_F(LaneVersions, ASideLaneBehindTheBoundaryDoesSoUnderTheNextOwner) {
  take();
  run();
  pause();
  enqueue(3);
  exchange();
  route({});
  enqueue(1);
  run();
  die_and_take_over();
  resume();
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1, 2, 3}));
  EXPECT_EQ(parked(4, std::string(unrouted))->state, ParkedState::dead);
}

TEST_F(LaneVersions, AreKeptWhileASideLaneNeedsThem) {
  options.is_cleaner_enabled = true;
  options.clean_interval = 1s;
  take();
  run();
  pause();
  enqueue(3);
  exchange();
  route({{"*", "fn:b"}});
  enqueue(1);
  run();
  pass(1s);
  ASSERT_TRUE(relay().look());
  EXPECT_EQ(turn().oldest_routing, 1);
  relay().commit();
  resume();
  run();
  pass(1s);
  ASSERT_TRUE(relay().look());
  ASSERT_TRUE(turn().clean);
  EXPECT_EQ(turn().oldest_routing, 2);
}

}  // namespace
}  // namespace makegood::core
