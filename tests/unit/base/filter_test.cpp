#include <gtest/gtest.h>

#include "makegood/spi/routing.hpp"

namespace makegood {
namespace {

const std::vector<Route> routes = {
    {"order.*", "fn:billing"}, {"order.paid", "fn:mail"}, {"*.paid", "fn:mail"}, {"log", "fn:log"}};

bool carries(const Filter& filter, std::string_view topic, std::string_view tenant_id = "acme",
             std::string_view dispatch_key = "") {
  return wants(filter, topic, tenant_id, dispatch_key, 0);
}

TEST(Filter, OfTheMainLaneWantsEverythingWhileNothingIsElsewhere) {
  const Filter main{.routes = routes};
  EXPECT_TRUE(carries(main, "order.placed"));
  EXPECT_TRUE(carries(main, "order.paid"));
  EXPECT_TRUE(carries(main, "nowhere")) << "it becomes a dead letter, and that is the main lane's";
}

TEST(Filter, OfTheMainLanePassesWhatIsCarriedElsewhere) {
  const Filter main{.routes = routes, .elsewhere = {{.destination = "fn:billing"}}};
  EXPECT_FALSE(carries(main, "order.placed"));
  EXPECT_TRUE(carries(main, "order.paid")) << "mail is still carried here";
  EXPECT_TRUE(carries(main, "log"));
  EXPECT_TRUE(carries(main, "nowhere"));
}

TEST(Filter, OfTheMainLanePassesWhatIsElsewhereForAllOfItsDestinations) {
  const Filter main{.routes = routes, .elsewhere = {{.destination = "fn:billing"}, {.destination = "fn:mail"}}};
  EXPECT_FALSE(carries(main, "order.paid"));
}

TEST(Filter, PassesOnlyWhatTheOtherScopeHolds) {
  const Filter main{.routes = routes, .elsewhere = {{.destination = "fn:billing", .tenant_id = "acme"}}};
  EXPECT_FALSE(carries(main, "order.placed", "acme"));
  EXPECT_TRUE(carries(main, "order.placed", "other"));
}

TEST(Filter, OfASideLaneWantsItsOwnDestinationOnly) {
  const Filter side{.routes = routes, .scope = Scope{.destination = "fn:mail"}};
  EXPECT_TRUE(carries(side, "order.paid"));
  EXPECT_FALSE(carries(side, "order.placed"));
  EXPECT_FALSE(carries(side, "nowhere")) << "what has no route is the main lane's";
}

TEST(Filter, OfASideLaneWantsItsOwnScopeOnly) {
  const Filter side{.routes = routes, .scope = Scope{.destination = "fn:mail", .tenant_id = "acme"}};
  EXPECT_TRUE(carries(side, "order.paid", "acme"));
  EXPECT_FALSE(carries(side, "order.paid", "other"));
}

TEST(Filter, OfASideLanePassesWhatALaneInsideItCarries) {
  const Filter side{.routes = routes,
                    .scope = Scope{.destination = "fn:mail", .tenant_id = "acme"},
                    .elsewhere = {{.destination = "fn:mail", .tenant_id = "acme", .dispatch_key = "k"}}};
  EXPECT_FALSE(carries(side, "order.paid", "acme", "k"));
  EXPECT_TRUE(carries(side, "order.paid", "acme", "l"));
  EXPECT_TRUE(carries(side, "order.paid", "acme", ""));
}

TEST(Filter, LeadsNothingToAnotherTenantsDestination) {
  const Tenants tenants = {{"fn:billing", "acme"}};
  const Filter side{.routes = routes, .tenants = tenants, .scope = Scope{.destination = "fn:billing"}};
  EXPECT_TRUE(carries(side, "order.placed", "acme"));
  EXPECT_FALSE(carries(side, "order.placed", "other"));
  const Filter main{.routes = routes, .tenants = tenants, .elsewhere = {{.destination = "fn:billing"}}};
  EXPECT_FALSE(carries(main, "order.placed", "acme"));
  EXPECT_TRUE(carries(main, "order.placed", "other")) << "it has no route, and becomes a dead letter of the main lane";
}

TEST(Filter, KnowsWhichDestinationsAreATenantsOwn) {
  const Tenants tenants = tenants_of({.destinations = {{.name = "fn:a", .tenant_id = "acme"}, {.name = "fn:b"}}});
  EXPECT_EQ(tenants, Tenants({{"fn:a", "acme"}}));
  EXPECT_TRUE(may_go(tenants, "fn:a", "acme"));
  EXPECT_FALSE(may_go(tenants, "fn:a", "other"));
  EXPECT_TRUE(may_go(tenants, "fn:b", "other"));
  EXPECT_FALSE(has_route({{"*", "fn:a"}}, tenants, "order.placed", "other"));
}

}  // namespace
}  // namespace makegood
