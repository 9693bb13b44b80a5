// Scopes: which side lane carries a delivery, which lies around which, and what a pause holds for.
#include "core/side_lanes.hpp"

#include <gtest/gtest.h>

#include "tests/support/committed_message.hpp"

namespace makegood::core {
namespace {

using Why = SideLane::Why;

constexpr DestinationIndex at_a = 1;

class SideLanesStory : public testing::Test {
 protected:
  Side& open(Scope scope, Why why = Why::crowded, bool is_paused = false) {
    return sides.add({.scope = std::move(scope), .why = why, .is_paused = is_paused}, at_a);
  }
  static Scope whole() { return {"fn:a"}; }
  static Scope tenant(std::string tenant) { return {"fn:a", std::move(tenant)}; }
  static Scope key(std::string key) { return {"fn:a", "acme", std::move(key)}; }
  static Scope priority(int priority) { return {"fn:a", "acme", "", priority}; }
  Side* carrier(const std::string& tenant, const std::string& key, DestinationIndex destination = at_a) {
    const auto message = testing_support::committed_message({.tenant_id = tenant, .dispatch_key = key});
    return sides.carrier(destination, *message);
  }

  SideLanes sides;
};

TEST_F(SideLanesStory, TheMainLaneCarriesWhatNoScopeHolds) {
  open(tenant("acme"));
  EXPECT_EQ(carrier("other", ""), nullptr);
  EXPECT_EQ(carrier("acme", "", 2), nullptr) << "of another destination";
}

TEST_F(SideLanesStory, TheInnermostScopeCarries) {
  Side& outer = open(whole());
  Side& innermost = open(key("k"));
  Side& inner = open(tenant("acme"));
  EXPECT_EQ(carrier("acme", "k"), &innermost);
  EXPECT_EQ(carrier("acme", "other"), &inner);
  EXPECT_EQ(carrier("other", "k"), &outer);
}

TEST_F(SideLanesStory, APriorityHoldsOnlyMessagesWithoutAKey) {
  Side& side = open(priority(0));
  EXPECT_EQ(carrier("acme", ""), &side);
  EXPECT_EQ(carrier("acme", "k"), nullptr) << "a scope must not cut a key";
}

TEST_F(SideLanesStory, AReplayOfHistoryCarriesNothingOfToday) {
  open(whole(), Why::history);
  EXPECT_EQ(carrier("acme", ""), nullptr);
}

TEST_F(SideLanesStory, AroundOneIsTheInnermostOfTheOthers) {
  Side& outer = open(whole());
  Side& inner = open(tenant("acme"));
  const Side& innermost = open(key("k"));
  EXPECT_EQ(sides.around(innermost), &inner);
  EXPECT_EQ(sides.around(inner), &outer);
  EXPECT_EQ(sides.around(outer), nullptr);
  sides.remove(inner);
  EXPECT_EQ(sides.around(innermost), &outer);
}

TEST_F(SideLanesStory, ReplaysOfHistoryLieAroundNobody) {
  open(whole(), Why::history);
  const Side& side = open(tenant("acme"));
  EXPECT_EQ(sides.around(side), nullptr);
}

TEST_F(SideLanesStory, AreFoundByTheirExactScope) {
  Side& side = open(tenant("acme"));
  Side& history = open(tenant("acme"), Why::history);
  EXPECT_EQ(sides.find(tenant("acme")), &side);
  EXPECT_EQ(sides.find(tenant("acme"), true), &history);
  EXPECT_EQ(sides.find(whole()), nullptr);
  EXPECT_FALSE(sides.has_whole(at_a));
  open(whole());
  EXPECT_TRUE(sides.has_whole(at_a));
}

TEST_F(SideLanesStory, APauseHoldsForEverythingInside) {
  open(tenant("acme"), Why::paused, true);
  const Side& inside = open(key("k"));
  const Side& around = open(whole());
  EXPECT_TRUE(sides.is_paused(inside));
  EXPECT_FALSE(sides.is_paused(around));
  EXPECT_FALSE(sides.is_paused(at_a)) << "the destination itself is not";
  EXPECT_TRUE(sides.is_paused(at_a, key("other")));
  EXPECT_FALSE(sides.is_paused(at_a, tenant("other")));
  EXPECT_FALSE(sides.is_paused(2, tenant("acme"))) << "another destination";
  EXPECT_EQ(sides.paused_tenants(at_a), std::vector<std::string>({"acme"}));
}

TEST_F(SideLanesStory, ADestinationThatIsPausedHasNoPausedTenants) {
  open(whole(), Why::broken, true);
  EXPECT_TRUE(sides.is_paused(at_a));
  EXPECT_TRUE(sides.paused_tenants(at_a).empty());
}

TEST_F(SideLanesStory, EachLaneLeavesOutTheScopesInsideIt) {
  Side& outer = open(whole());
  Side& inner = open(tenant("acme"));
  open(tenant("acme"), Why::history);
  EXPECT_EQ(sides.scopes_inside(nullptr), std::vector<Scope>({tenant("acme"), whole()}));
  EXPECT_EQ(sides.scopes_inside(&outer), std::vector<Scope>({tenant("acme")}));
  EXPECT_TRUE(sides.scopes_inside(&inner).empty());
  inner.is_merging = true;
  EXPECT_TRUE(sides.scopes_inside(&outer).empty()) << "the lane around it already looks for its rows";
}

}  // namespace
}  // namespace makegood::core
