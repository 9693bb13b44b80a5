// Where a message goes: several destinations with outcomes of their own, or none.
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneRoutes : public LaneStory {};

TEST_F(LaneRoutes, AMessageGoesToEachOfItsDestinations) {
  add_destination("fn:b");
  add_destination("fn:c", "other.*");
  take();
  exchange({.rows = {row(1)}});
  EXPECT_EQ(sends(), Sends({{1, "fn:a"}, {1, "fn:b"}}));
}

TEST_F(LaneRoutes, ThePositionListsTheHolesOfEachDestination) {
  add_destination("fn:b");
  send_first({row(1), row(2)});
  EXPECT_EQ(under_way("fn:a"), Numbers({1, 2}));
  succeeds(1, "fn:a");
  succeeds(2, "fn:b");
  look();
  EXPECT_EQ(under_way("fn:a"), Numbers({2}));
  EXPECT_EQ(under_way("fn:b"), Numbers({1}));
}

TEST_F(LaneRoutes, ADestinationWithoutHolesIsNotListed) {
  add_destination("fn:b");
  send_first({row(1)});
  succeeds(1, "fn:b");
  look();
  EXPECT_EQ(turn().position.under_way.size(), 1U);
}

TEST_F(LaneRoutes, EachDestinationHasItsOwnOutcome) {
  add_destination("fn:b");
  add_destination("fn:c");
  send_first({row(1)});
  succeeds(1, "fn:a");
  answers(1, Outcome::retry("X"), "fn:b");
  answers(1, Outcome::fail("Y"), "fn:c");
  exchange();
  EXPECT_FALSE(is_parked(1, "fn:a"));
  EXPECT_EQ(parked(1, "fn:b").state, ParkedState::waiting);
  EXPECT_EQ(parked(1, "fn:c").state, ParkedState::dead);
}

TEST_F(LaneRoutes, ABlockedKeyBlocksOneDestinationOnly) {
  add_destination("fn:b");
  send_first({row(1).with_key("k")});
  answers(1, Outcome::retry("X"), "fn:a");
  succeeds(1, "fn:b");
  exchange({.rows = {row(2).with_key("k")}});
  EXPECT_EQ(sends(), Sends({{2, "fn:b"}}));
  EXPECT_EQ(parked(2, "fn:a").state, ParkedState::held);
}

TEST_F(LaneRoutes, AMessageWithoutARouteIsDead) {  // I1
  options.routes = {{"orders.*", "fn:a"}};
  take();
  look({.rows = {row(1).with_topic("bids.lost").with_key("k")}});
  const Parked dead = parked(1, "-");
  EXPECT_EQ(dead.state, ParkedState::dead);
  EXPECT_EQ(dead.error_code, "TX.NO_ROUTE");
  EXPECT_FALSE(dead.blocks);
  EXPECT_EQ(turn().position, Position{.reached = 1});
  EXPECT_EQ(lane().take_settled().at(0).fate, Fate::died);
}

class LaneRoutesAgain : public LaneStory {
 protected:
  void strand(Row stranded) {
    options.routes.clear();
    send_first({stranded.with_topic("bids.lost")});
  }
  void add_route(const std::string& destination) {
    options.routes.push_back({"bids.*", destination});
    lane().configure(options);
  }
  void replay() {
    exchange({.requests = {asked(RequestKind::replay, 1, "-")}});
    exchange({.due = {due(1, "-")}});
  }
};

TEST_F(LaneRoutesAgain, AReplayFindsTheRouteThatWasAdded) {
  strand(row(1));
  add_route("fn:a");
  replay();
  EXPECT_EQ(parked(1, "-").state, ParkedState::done);
  EXPECT_EQ(parked(1, "fn:a").state, ParkedState::waiting);
  EXPECT_EQ(asks().due.at(0).destination, "fn:a");
  exchange({.due = {due(1, "fn:a")}});
  EXPECT_EQ(sends(), Sends({{1, "fn:a"}}));
}

TEST_F(LaneRoutesAgain, AReplayWithoutANewRouteIsDeadAgain) {
  strand(row(1));
  replay();
  EXPECT_EQ(parked(1, "-").state, ParkedState::dead);
  EXPECT_EQ(stored(1, "-").error_code, "TX.NO_ROUTE");
}

TEST_F(LaneRoutesAgain, WhatLedNowhereBlocksNoKeyWhenItIsDone) {
  strand(row(1).with_key("k"));
  add_route("fn:a");
  replay();
  EXPECT_EQ(parked(1, "-").state, ParkedState::done);
  EXPECT_FALSE(parked(1, "-").blocks);
}

TEST_F(LaneRoutesAgain, WhatLedNowhereBlocksNoKeyWhenItIsDeadAgain) {
  strand(row(1).with_key("k"));
  replay();
  EXPECT_FALSE(parked(1, "-").blocks);
}

TEST_F(LaneRoutes, AHoleWhoseDestinationIsGoneIsDead) {  // I1
  take({.reached = 5, .under_way = {{"fn:gone", {5}}}});
  look({.rows = {row(5)}});
  EXPECT_EQ(parked(5, "fn:gone").state, ParkedState::dead);
  EXPECT_EQ(parked(5, "fn:gone").error_code, "TX.NO_ROUTE");
  EXPECT_EQ(turn().position, Position{.reached = 5});
}

TEST_F(LaneRoutes, NewSettingsCountFromTheNextExchangeOn) {
  send_first({row(1)});
  destination().retry.attempts_max = 1;
  options.routes.clear();
  lane().configure(options);
  EXPECT_TRUE(lane().is_owner());
  fail_and_park(1);
  EXPECT_EQ(parked(1).state, ParkedState::dead);
  exchange({.rows = {row(2)}});
  EXPECT_EQ(parked(2, "-").state, ParkedState::dead);
}

TEST_F(LaneRoutes, ANewDestinationRepeatsNothingThatIsUnderWay) {
  send_first({row(1)});
  add_destination("fn:b");
  lane().configure(options);
  EXPECT_TRUE(lane().is_owner());
  exchange({.rows = {row(2)}});
  EXPECT_EQ(sends(), Sends({{2, "fn:a"}, {2, "fn:b"}}));
  succeeds(1);
  look();
  EXPECT_EQ(under_way("fn:a"), Numbers({2}));
}

TEST_F(LaneRoutes, WhatWasParkedForADestinationIsSentWhenItIsRegistered) {  // I1
  write({.sequence = 1, .destination = "fn:b", .tenant_id = "default", .dispatch_key = {}, .due_at = store_now()},
        row(1));
  take({}, {{"fn:b", store_now()}});
  EXPECT_TRUE(asks().due.empty()) << "nobody knows how";
  add_destination("fn:b");
  lane().configure(options);
  EXPECT_EQ(asks().due.at(0).destination, "fn:b");
  exchange({.due = {due(1, "fn:b")}});
  EXPECT_EQ(sends(), Sends({{1, "fn:b"}}));
}

TEST_F(LaneRoutes, WhatWasParkedForADestinationBlocksItsKeyWhenItIsRegistered) {  // I4
  write({.sequence = 1, .destination = "fn:b", .tenant_id = "default", .dispatch_key = "k", .blocks = true});
  take();
  take_over();
  add_destination("fn:b");
  lane().configure(options);
  exchange({.rows = {row(2).with_key("k")}});
  EXPECT_EQ(sends(), Sends({{2, "fn:a"}}));
  EXPECT_EQ(parked(2, "fn:b").state, ParkedState::held);
}

}  // namespace
}  // namespace makegood::core
