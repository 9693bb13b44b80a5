// What an operator may ask for, and what is in force after it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "makegood/spi/routing.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;

RoutingChange a_change() {
  return {.destinations = {{.name = "http:billing", .in_flight_max = 7, .settings = R"({"url":"https://a.example/"})"},
                           {.name = "fn:audit", .ordering = Ordering::skip}},
          .removed_destinations = {"http:old", "http:older"},
          .routes = {{"order.*", "http:billing"}},
          .removed_routes = {{"*", "fn:audit"}}};
}

Routing a_registry() {
  return {.version = 7,
          .from = 40,
          .routes = {{"order.*", "fn:a"}, {"*", "fn:b"}},
          .destinations = {{.name = "fn:a"}, {.name = "fn:b"}}};
}

std::vector<std::string> names_in(const Routing& routing) {
  std::vector<std::string> names;
  for (const Destination& one : routing.destinations) names.push_back(one.name);
  return names;
}

using Names = std::vector<std::string>;
using Routes = std::vector<Route>;

TEST(RoutingChange, ComesBackAsItWasWritten) {
  const auto decoded = decode_routing_change(encode(a_change()));
  ASSERT_TRUE(decoded) << encode(a_change());
  EXPECT_EQ(decoded->destinations, a_change().destinations);
  EXPECT_EQ(decoded->removed_destinations, a_change().removed_destinations);
  EXPECT_EQ(decoded->routes, a_change().routes);
  EXPECT_EQ(decoded->removed_routes, a_change().removed_routes);
}

TEST(RoutingChange, MayLeaveOutWhatItDoesNotChange) {
  const auto decoded = decode_routing_change(R"({"removed_destinations":["fn:a"]})");
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->removed_destinations, Names({"fn:a"}));
  EXPECT_TRUE(decoded->destinations.empty());
  EXPECT_TRUE(decode_routing_change("{}"));
}

class BrokenRoutingChange : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Texts, BrokenRoutingChange,
                         testing::Values("", "nonsense", "[]", R"({"destinations":{}})", R"({"destinations":[7]})",
                                         R"({"destinations":[{"name":"a b","ordering":"skip"}]})",
                                         R"({"removed_destinations":"fn:a"})", R"({"removed_destinations":[7]})",
                                         R"({"removed_destinations":[""]})", R"({"routes":{}})",
                                         R"({"routes":[{"pattern":"a"}]})", R"({"removed_routes":[7]})",
                                         R"({"removed_routes":[{"pattern":"","destination":"d"}]})"));

TEST_P(BrokenRoutingChange, IsRefusedAsDamage) {
  const auto decoded = decode_routing_change(GetParam());
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::store_corrupt);
  EXPECT_FALSE(decoded.error().diagnostics.empty());
}

TEST(RoutingChange, AddsDestinationsAndRoutesAtTheEnd) {
  const auto applied = apply(a_registry(), {.destinations = {{.name = "fn:c"}}, .routes = {{"bids", "fn:c"}}});
  ASSERT_TRUE(applied);
  EXPECT_EQ(names_in(*applied), Names({"fn:a", "fn:b", "fn:c"}));
  EXPECT_EQ(applied->routes, Routes({{"order.*", "fn:a"}, {"*", "fn:b"}, {"bids", "fn:c"}}));
  EXPECT_EQ(applied->version, 7);
  EXPECT_EQ(applied->from, 40);
}

TEST(RoutingChange, PutsADestinationInThePlaceOfItsName) {
  const auto applied = apply(a_registry(), {.destinations = {{.name = "fn:a", .timeout = 5s}}});
  ASSERT_TRUE(applied);
  EXPECT_EQ(names_in(*applied), Names({"fn:a", "fn:b"}));
  EXPECT_EQ(applied->destinations[0].timeout, 5s);
  EXPECT_EQ(applied->routes, a_registry().routes);
}

TEST(RoutingChange, RemovesADestinationWithItsRoutes) {
  const auto applied = apply(a_registry(), {.removed_destinations = {"fn:a"}});
  ASSERT_TRUE(applied);
  EXPECT_EQ(names_in(*applied), Names({"fn:b"}));
  EXPECT_EQ(applied->routes, Routes({{"*", "fn:b"}}));
}

TEST(RoutingChange, RemovesFirst) {
  const auto applied =
      apply(a_registry(),
            {.destinations = {{.name = "fn:a"}}, .removed_destinations = {"fn:a"}, .routes = {{"order.paid", "fn:a"}}});
  ASSERT_TRUE(applied);
  EXPECT_EQ(names_in(*applied), Names({"fn:b", "fn:a"}));
  EXPECT_EQ(applied->routes, Routes({{"*", "fn:b"}, {"order.paid", "fn:a"}}));
}

TEST(RoutingChange, RemovesRoutesThatAreExactlyTheseAndLeavesWhatIsNotThere) {
  const auto applied = apply(
      a_registry(), {.removed_destinations = {"fn:never"}, .removed_routes = {{"*", "fn:b"}, {"order.*", "fn:b"}}});
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->routes, Routes({{"order.*", "fn:a"}}));
  EXPECT_EQ(applied->destinations, a_registry().destinations);
}

TEST(RoutingChange, AddsNoRouteTwice) {
  const auto applied = apply(a_registry(), {.routes = {{"*", "fn:b"}, {"new", "fn:b"}, {"new", "fn:b"}}});
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->routes, Routes({{"order.*", "fn:a"}, {"*", "fn:b"}, {"new", "fn:b"}}));
}

TEST(RoutingChange, IsRefusedWhenARouteLeadsToWhatIsNotRegistered) {
  const auto to_nowhere = apply(a_registry(), {.routes = {{"*", "fn:c"}}});
  ASSERT_FALSE(to_nowhere);
  EXPECT_EQ(to_nowhere.error().code, Errc::invalid);
  EXPECT_NE(to_nowhere.error().message.find("fn:c"), std::string::npos);
  EXPECT_FALSE(apply(a_registry(), {.removed_destinations = {"fn:a"}, .routes = {{"*", "fn:a"}}}));
}

TEST(RoutingChange, IsRefusedForANameThatIsNone) {
  for (const char* name : {"", "a b", "-"}) {  // The last is the place of what leads nowhere.
    const auto applied = apply(a_registry(), {.destinations = {{.name = name}}});
    ASSERT_FALSE(applied) << name;
    EXPECT_EQ(applied.error().code, Errc::invalid);
  }
}

}  // namespace
}  // namespace makegood
