// Destinations and routes in the store: a request becomes a version, and its answer is in the same turn.
#include "tests/unit/core/lane_registry.hpp"

namespace makegood::core {
namespace {

using Names = std::vector<std::string>;

class LaneRegistry : public LaneRegistryStory {};

TEST_F(LaneRegistry, BeginsWithAnEmptyVersion) {
  take();
  exchange();
  ASSERT_EQ(versions().size(), 1U);
  EXPECT_EQ(encode(versions().at(1)), encode(Routing{}));
}

TEST_F(LaneRegistry, WhatIsThereBeforeTheFirstRouteWaitsForIt) {
  enqueue(1);
  take();
  exchange();
  EXPECT_EQ(configure({.destinations = {named("fn:a")}}), "done");
  run();
  EXPECT_EQ(state_of(1, std::string(unrouted)), "not parked");
  EXPECT_EQ(configure({.routes = {{"*", "fn:a"}}}), "done");
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1}));
}

TEST_F(LaneRegistry, AfterTheFirstRouteAMessageWithoutOneIsDead) {
  take_with({named("fn:a")});
  EXPECT_EQ(configure(removes("fn:a")), "done");
  enqueue(1);
  run();
  EXPECT_EQ(state_of(1, std::string(unrouted)), "dead TX.NO_ROUTE");
}

class LaneWithoutRoutes : public LaneRegistryStory {
 protected:
  void lose_the_last_route_and_clean() {
    ASSERT_EQ(configure(removes("fn:a")), "done");
    pass(options.clean_interval);
    exchange();
    exchange();
  }
};

TEST_F(LaneWithoutRoutes, IsNotTakenForOneThatNeverHadAnyByTheNextOwner) {
  take_with({named("fn:a")});
  lose_the_last_route_and_clean();
  ASSERT_EQ(position().reached, 0) << "nothing was read while there was a route";
  stop_and_take_over();
  enqueue(1);
  run();
  EXPECT_EQ(state_of(1, std::string(unrouted)), "dead TX.NO_ROUTE");
}

TEST_F(LaneWithoutRoutes, IsKnownByItsPositionWhereAnEarlierReleaseHasRetiredTheRoutes) {
  take_with({named("fn:a")});
  enqueue(1);
  run();
  lose_the_last_route_and_clean();
  stop_and_take_over();
  exchange();
  std::erase_if(database().access().state().routings, [](const auto& entry) { return !entry.second.routes.empty(); });
  stop_and_take_over();
  enqueue(1);
  run();
  EXPECT_EQ(state_of(2, std::string(unrouted)), "dead TX.NO_ROUTE");
}

TEST_F(LaneRegistry, ARequestBecomesAVersion) {
  take();
  exchange();
  EXPECT_EQ(configure(adds("fn:a")), "done");
  ASSERT_EQ(versions().size(), 2U);
  EXPECT_EQ(registered(), Names({"fn:a"}));
  EXPECT_EQ(newest().routes, std::vector<Route>({{"*", "fn:a"}}));
  enqueue(2);
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1, 2}));
}

TEST_F(LaneRegistry, TheVersionAndItsAnswerAreInOneTurn) {
  take();
  exchange();
  const std::int64_t id = ask_for(adds("fn:a"));
  EXPECT_FALSE(relay().look()) << "the version has to be there before the next rows are looked for";
  EXPECT_EQ(lane().next_exchange(now()), now());
  ASSERT_TRUE(relay().look());
  ASSERT_TRUE(turn().routing);
  ASSERT_EQ(turn().answers.size(), 1U);
  EXPECT_EQ(turn().answers[0].id, id);
  EXPECT_EQ(turn().answers[0].result, "done");
}

TEST_F(LaneRegistry, ARequestWhoseTurnWasLostIsCarriedOutByTheNextOwner) {
  take();
  exchange();
  const std::int64_t id = ask_for(adds("fn:a"));
  relay().look();
  ASSERT_TRUE(relay().look());
  die_and_take_over();
  EXPECT_EQ(versions().size(), 1U);
  EXPECT_EQ(answer_to(id), "no answer");
  run();
  EXPECT_EQ(answer_to(id), "done");
  EXPECT_EQ(versions().size(), 2U);
}

TEST_F(LaneRegistry, ARequestThatTheDatabaseForgotIsNotCarriedOut) {
  take();
  exchange();
  const memory::State before = database().snapshot();
  ask_for(adds("fn:a"));
  relay().look();
  database().restore(before);
  lane().look_failed();
  run();
  EXPECT_EQ(versions().size(), 1U);
}

TEST_F(LaneRegistry, TheNextOwnerRegistersWhatTheNewestVersionSays) {
  take_with({named("fn:a")});
  stop_and_take_over();
  enqueue(1);
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1}));
  EXPECT_EQ(versions().size(), 2U) << "and writes no version of its own";
}

TEST_F(LaneRegistry, AVersionCountsFromThePosition) {
  take_with({named("fn:a")});
  enqueue(2);
  run();
  const std::int64_t id =
      ask_for({.destinations = {named("fn:b")}, .routes = {{"*", "fn:b"}}, .removed_routes = {{"*", "fn:a"}}});
  enqueue(1);
  exchange();
  enqueue(1);
  exchange();
  EXPECT_EQ(answer_to(id), "done");
  run();
  EXPECT_EQ(newest().from, 3) << "the third was read before the version was written";
  EXPECT_EQ(received("fn:a"), Numbers({1, 2, 3}));
  EXPECT_EQ(received("fn:b"), Numbers({4}));
}

TEST_F(LaneRegistry, ChangesAreMadeOneAfterTheOther) {
  take();
  exchange();
  const std::int64_t first = ask_for(adds("fn:a"));
  const std::int64_t second = ask_for({.routes = {{"more.*", "fn:a"}}});
  exchange();
  exchange();
  EXPECT_EQ(answer_to(first), "done");
  EXPECT_EQ(answer_to(second), "no answer");
  exchange();
  EXPECT_EQ(answer_to(second), "done");
  EXPECT_EQ(newest().version, 3);
  EXPECT_EQ(newest().routes, std::vector<Route>({{"*", "fn:a"}, {"more.*", "fn:a"}}));
}

TEST_F(LaneRegistry, OtherRequestsAreNotHeldUp) {
  take_with({named("fn:a")});
  ask_for(adds("fn:b"));
  EXPECT_EQ(pause("fn:a"), "done");
}

TEST_F(LaneRegistry, ADamagedDocumentIsRefused) {
  take();
  exchange();
  const std::int64_t id =
      request({.kind = RequestKind::configure, .destination = {}, .operator_name = {}, .document = "nonsense"});
  exchange();
  EXPECT_EQ(answer_to(id), "refused: A change of destinations and routes cannot be read; ask for it again.");
  EXPECT_EQ(versions().size(), 1U);
}

TEST_F(LaneRegistry, ARouteToWhatIsNotRegisteredIsRefused) {
  take();
  exchange();
  EXPECT_EQ(configure({.routes = {{"*", "fn:x"}}}),
            "refused: The route from '*' leads to fn:x, which is not registered; add that destination first.");
  EXPECT_EQ(versions().size(), 1U);
}

TEST_F(LaneRegistry, WhatChangesNothingIsDoneWithoutAVersion) {
  take_with({named("fn:a")});
  ask_for(adds("fn:a"));
  const std::int64_t again = ask_for(removes("fn:never"));
  exchange();
  EXPECT_EQ(answer_to(again), "done");
  EXPECT_EQ(versions().size(), 2U);
}

TEST_F(LaneRegistry, ANewDestinationRepeatsNothingThatIsUnderWay) {
  take_with({named("fn:a")});
  enqueue(2);
  exchange();
  ASSERT_EQ(sent(), Numbers({1, 2}));
  EXPECT_EQ(configure(adds("fn:b")), "done");
  EXPECT_EQ(position().under_way.at("fn:a"), Numbers({1, 2}));
  EXPECT_EQ(sent(), Numbers());
  succeeds(1);
  succeeds(2);
  run();
  EXPECT_TRUE(position().under_way.empty());
}

TEST_F(LaneRegistry, NewSettingsCountWithTheirVersion) {
  Destination narrow = named("fn:a");
  narrow.in_flight_max = 1;
  take_with({narrow});
  enqueue(3);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  EXPECT_EQ(configure({.destinations = {named("fn:a")}}), "done");
  EXPECT_EQ(newest().version, 3) << "the routes are as they were";
  EXPECT_EQ(sent(), Numbers({2, 3}));
}

TEST_F(LaneRegistry, NothingIsSentByAVersionThatIsNotCommitted) {
  Destination narrow = named("fn:a");
  narrow.in_flight_max = 1;
  take_with({narrow});
  enqueue(2);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  ask_for({.destinations = {named("fn:a")}});
  relay().look();
  ASSERT_TRUE(relay().look());
  EXPECT_EQ(sent(), Numbers());
  relay().commit();
  EXPECT_EQ(sent(), Numbers({2}));
}

TEST_F(LaneRegistry, WhatIsPassedWhileTheRegistryChangesIsNotLost) {
  take_with({named("fn:a")});
  run();
  pause("fn:a");
  ask_for(adds("fn:b"));
  enqueue(2);
  exchange();
  enqueue(2);
  run();
  EXPECT_EQ(received("fn:b"), Numbers({3, 4}));
  resume("fn:a");
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1, 2, 3, 4}));
}

TEST_F(LaneRegistry, ANoteChangesNothing) {
  take_with({named("fn:a")});
  EXPECT_EQ(ask({.kind = RequestKind::annotate, .sequence = 7, .destination = "fn:a", .operator_name = {}}), "done");
  EXPECT_EQ(parked_count(), 0U);
}

class LaneWithoutRegistry : public LaneOnStore {};

TEST_F(LaneWithoutRegistry, RefusesToChangeWhatTheProgramRegisters) {
  take();
  EXPECT_EQ(ask({.kind = RequestKind::configure,
                 .destination = {},
                 .operator_name = {},
                 .document = encode(RoutingChange{})}),
            "refused: this program registers its destinations itself");
}

}  // namespace
}  // namespace makegood::core
