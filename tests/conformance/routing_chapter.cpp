// Versions of the routes: kept with the turn that brings them, handed to every taker, dropped when no lane needs them.
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Versions = std::vector<std::int64_t>;

constexpr Clean a_step{.retention = 1h, .dead_retention = {}, .rows_max = 100};

Routing a_routing(std::int64_t version, Sequence from = 0) {
  return {.version = version,
          .from = from,
          .routes = {{"orders.*", "fn:a"}, {"*", "fn:b"}},
          .destinations = {{.name = "fn:a", .in_flight_max = 7, .rate_max = 2.5}, {.name = "fn:b"}}};
}

Versions versions(const std::vector<Routing>& routings) {
  Versions versions;
  for (const Routing& routing : routings) versions.push_back(routing.version);
  return versions;
}

}  // namespace

TEST_P(StoreSuite, ALaneWithoutRoutesHasNone) { EXPECT_TRUE(take().taken().routings.empty()); }

TEST_P(StoreSuite, GivesAVersionOfTheRoutesBackAsItWas) {
  take("a").commit({.routing = a_routing(1, 42)});
  const auto routings = take(store(), "b", "a").taken().routings;
  ASSERT_EQ(routings.size(), 1U);
  EXPECT_EQ(routings[0].version, 1);
  EXPECT_EQ(routings[0].from, 42);
  EXPECT_EQ(encode(routings[0]), encode(a_routing(1, 42)));
}

TEST_P(StoreSuite, KeepsEveryVersionOfTheRoutesInOrder) {
  LaneOwner owner = take("a");
  for (std::int64_t version = 1; version <= 12; ++version) owner.commit({.routing = a_routing(version, version * 10)});
  owner.commit({});
  const auto routings = take(store(), "b", "a").taken().routings;
  EXPECT_EQ(versions(routings), Versions({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(routings.back().from, 120);
}

TEST_P(StoreSuite, AVersionOfTheRoutesNeverChanges) {
  LaneOwner owner = take("a");
  owner.commit({.position = {.reached = 1}, .routing = a_routing(1, 5)});
  EXPECT_EQ(code_of(owner.try_commit({.position = {.reached = 2}, .routing = a_routing(1, 6)})), Errc::conflict);
  const auto taken = take(store(), "b", "a").taken();
  EXPECT_EQ(taken.position.reached, 1) << "nothing of such a turn is written";
  EXPECT_EQ(taken.routings.at(0).from, 5);
}

TEST_P(StoreSuite, AFencedTurnBringsNoRoutes) {  // I3
  LaneOwner owner = take("a");
  LaneOwner next = take(store(), "b", "a");
  EXPECT_EQ(code_of(owner.try_commit({.routing = a_routing(1)})), Errc::fenced);
  EXPECT_TRUE(take(store(), "c", "b").taken().routings.empty());
}

TEST_P(StoreSuite, TheCleanerDropsVersionsThatNoLaneNeeds) {
  LaneOwner owner = take("a");
  for (std::int64_t version = 1; version <= 4; ++version) owner.commit({.routing = a_routing(version)});
  owner.commit({.oldest_routing = 3});
  EXPECT_EQ(value_of(view()->lane()).routings.size(), 4U) << "only the cleaner drops them";
  EXPECT_EQ(owner.commit({.clean = a_step, .oldest_routing = 3}).cleaned, 0U) << "they are not messages";
  EXPECT_EQ(versions(take(store(), "b", "a").taken().routings), Versions({3, 4}));
}

TEST_P(StoreSuite, TheCleanerDropsNoVersionWhenItIsNotTold) {
  LaneOwner owner = take("a");
  owner.commit({.routing = a_routing(1)});
  owner.commit({.clean = a_step});
  EXPECT_EQ(versions(take(store(), "b", "a").taken().routings), Versions({1}));
}

TEST_P(StoreSuite, TheCleanerDropsVersionsInBoundedSteps) {  // I10
  LaneOwner owner = take("a");
  for (std::int64_t version = 1; version <= 6; ++version) owner.commit({.routing = a_routing(version)});
  owner.commit({.clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 2}, .oldest_routing = 6});
  EXPECT_EQ(versions(take(store(), "b", "a").taken().routings), Versions({3, 4, 5, 6}));
}

}  // namespace makegood::conformance
