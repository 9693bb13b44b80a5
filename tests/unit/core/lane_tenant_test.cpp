// A destination that was registered on a tenant's behalf gets that tenant's messages, and nobody else's.
#include "makegood/events.hpp"
#include "tests/unit/core/lane_registry.hpp"

namespace makegood::core {
namespace {

class LaneTenants : public LaneRegistryStory {
 protected:
  static Destination of_acme(const std::string& name) {
    Destination destination = named(name);
    destination.tenant_id = "acme";
    return destination;
  }
};

constexpr const char* no_route = "dead TX.NO_ROUTE";

TEST_F(LaneTenants, NothingOfOneTenantGoesToAnother) {
  take_with({of_acme("fn:a"), named("fn:b")});
  enqueue(message({}, "acme"));
  enqueue(message({}, "other"));
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1}));
  EXPECT_EQ(received("fn:b"), Numbers({1, 2}));
  EXPECT_EQ(parked_count(), 0U);
}

TEST_F(LaneTenants, WhatLeadsOnlyToOtherTenantsHasNoRoute) {  // I1
  take_with({of_acme("fn:a")});
  enqueue(message({}, "other"));
  run();
  EXPECT_EQ(received("fn:a"), Numbers());
  EXPECT_EQ(state_of(1, "-"), no_route);
}

TEST_F(LaneTenants, ASideLaneReadsNothingOfOthers) {
  take_with({of_acme("fn:a"), named("fn:b")});
  pause("fn:a");
  enqueue(message({}, "other"));
  enqueue(message({}, "acme"));
  run();
  EXPECT_EQ(received("fn:b"), Numbers({1, 2}));
  resume("fn:a");
  run();
  EXPECT_EQ(received("fn:a"), Numbers({2}));
}

TEST_F(LaneTenants,
       WhatHasNoRouteIsDeadAlsoBesideASideLane) {  // I1: the main lane must not take it for the side lane's.
  take_with({of_acme("fn:a")});
  pause("fn:a");
  enqueue(message({}, "other"));
  run();
  EXPECT_EQ(state_of(1, "-"), no_route);
}

TEST_F(LaneTenants, HistoryIsReplayedToItsOwnTenantOnly) {
  take_with({named("fn:b"), of_acme("fn:a")});
  enqueue(message({}, "acme"));
  enqueue(message({}, "other"));
  run();
  forget_received();
  replay_history(1, 2);
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1}));
}

TEST_F(LaneTenants, AReplayFindsNoOtherTenantsRoute) {
  take_with({of_acme("fn:a")});
  enqueue(message({}, "other"));
  run();
  request({.kind = RequestKind::replay, .sequence = 1, .destination = "-", .operator_name = {}});
  run();
  EXPECT_EQ(received("fn:a"), Numbers());
  EXPECT_EQ(state_of(1, "-"), no_route);
}

TEST_F(LaneTenants, WhatWaitsForADestinationThatBecomesAnotherTenantsIsNotSent) {
  take_with({named("fn:a")});
  enqueue(message({}, "other"));
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  fails(1);
  run();
  ASSERT_EQ(configure({.destinations = {of_acme("fn:a")}}), "done");
  forget_received();
  run_for(5s);
  EXPECT_EQ(received("fn:a"), Numbers());
  EXPECT_EQ(state_of(1), no_route);
  EXPECT_EQ(parked(1)->attempts, 1U) << "no attempt was made";
}

TEST_F(LaneTenants, WhereAProgramRegistersItsDestinationsANewTenantIsANewVersion) {
  options.is_registry_in_store = false;
  add_destination("fn:a");
  take();
  run();
  destination("fn:a").tenant_id = "acme";
  restart_with_new_settings();
  enqueue(message({}, "other"));
  run();
  EXPECT_EQ(versions().size(), 2U);
  EXPECT_EQ(state_of(1, "-"), no_route);
}

TEST_F(LaneTenants, EventsOfATenantAreToldToItsOwnDestinationsOnly) {
  take_with({of_acme("fn:a")});
  ASSERT_EQ(configure({.routes = {{"makegood.*", "fn:a"}}}), "done");
  enqueue(message({}, "other"));
  run();
  EXPECT_EQ(state_of(1, "-"), no_route);
  EXPECT_EQ(received("fn:a"), Numbers()) << "the death of somebody else's message is none of acme's business";
}

}  // namespace
}  // namespace makegood::core
