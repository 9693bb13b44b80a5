#include <gtest/gtest.h>

#include "makegood/spi/position.hpp"

namespace makegood {
namespace {

const Scope destination{.destination = "fn:a"};
const Scope tenant{.destination = "fn:a", .tenant_id = "acme"};
const Scope key{.destination = "fn:a", .tenant_id = "acme", .dispatch_key = "k"};
const Scope urgent{.destination = "fn:a", .priority = 1};

TEST(Scope, HoldsWhatItNames) {
  EXPECT_TRUE(contains(destination, "anybody", "any", 7));
  EXPECT_TRUE(contains(tenant, "acme", "", 0));
  EXPECT_FALSE(contains(tenant, "other", "", 0));
  EXPECT_FALSE(contains(tenant, "", "", 0));
  EXPECT_TRUE(contains(key, "acme", "k", 3));
  EXPECT_FALSE(contains(key, "acme", "l", 3));
  EXPECT_FALSE(contains(key, "acme", "", 3));
  EXPECT_FALSE(contains(key, "other", "k", 3));
}

TEST(Scope, OfAPriorityHoldsNoMessageWithAKey) {  // Else it would cut the key.
  EXPECT_TRUE(contains(urgent, "acme", "", 1));
  EXPECT_FALSE(contains(urgent, "acme", "", 0));
  EXPECT_FALSE(contains(urgent, "acme", "k", 1));
}

TEST(Scope, LiesInItselfAndInWhatIsWider) {
  for (const Scope& scope : {destination, tenant, key, urgent}) {
    EXPECT_TRUE(is_inside(scope, scope)) << to_string(scope);
    EXPECT_TRUE(is_inside(scope, destination)) << to_string(scope);
  }
  EXPECT_TRUE(is_inside(key, tenant));
}

TEST(Scope, DoesNotLieInWhatIsNarrowerOrBesideIt) {
  EXPECT_FALSE(is_inside(destination, tenant));
  EXPECT_FALSE(is_inside(tenant, key));
  EXPECT_FALSE(is_inside(tenant, urgent));
  EXPECT_FALSE(is_inside(urgent, tenant));
  EXPECT_FALSE(is_inside(key, Scope{.destination = "fn:b"}));
  EXPECT_FALSE(is_inside(key, Scope{.destination = "fn:a", .tenant_id = "other"}));
  EXPECT_FALSE(is_inside(urgent, Scope{.destination = "fn:a", .priority = 2}));
}

TEST(Scope, IsToldInWords) {
  EXPECT_EQ(to_string(destination), "fn:a");
  EXPECT_EQ(to_string(tenant), "fn:a tenant=acme");
  EXPECT_EQ(to_string(key), "fn:a tenant=acme key=k");
  EXPECT_EQ(to_string(urgent), "fn:a priority=1");
}

TEST(SideLane, TellsWhyItIsThere) {
  EXPECT_EQ(to_string(SideLane::Why::paused), "paused");
  EXPECT_EQ(to_string(SideLane::Why::broken), "broken");
  EXPECT_EQ(to_string(SideLane::Why::crowded), "crowded");
  EXPECT_EQ(to_string(SideLane::Why::history), "history");
}

}  // namespace
}  // namespace makegood
