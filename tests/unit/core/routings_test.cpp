// Which topics lead where, by the version that counts for a number.
#include "core/routings.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace makegood::core {
namespace {

using Indexes = std::vector<DestinationIndex>;

constexpr Sequence far = std::numeric_limits<Sequence>::max();

class RoutingsStory : public testing::Test {
 protected:
  RoutingsStory() { destinations.configure(std::vector<Destination>{{.name = "fn:a"}, {.name = "fn:b"}}); }

  void add(std::int64_t version, Sequence from, std::vector<Route> routes) {
    routings.add({.version = version, .from = from, .routes = std::move(routes)});
  }
  Indexes leading_from(std::string_view topic, Sequence sequence = 1) {
    return leading_from_tenant("default", topic, sequence);
  }
  Indexes leading_from_tenant(std::string_view tenant_id, std::string_view topic = "t", Sequence sequence = 1) {
    const auto found = routings.leading_from(topic, tenant_id, sequence, destinations);
    return {found.begin(), found.end()};
  }

  Destinations destinations;
  Routings routings;
};

TEST_F(RoutingsStory, ATopicLeadsToEveryDestinationThatMatches) {
  add(1, 0, {{"orders.*", "fn:a"}, {"*.placed", "fn:b"}});
  EXPECT_EQ(leading_from("orders.placed"), Indexes({1, 2}));
  EXPECT_EQ(leading_from("orders.paid"), Indexes({1}));
  EXPECT_EQ(leading_from("bids.placed"), Indexes({2}));
  EXPECT_EQ(leading_from("bids.lost"), Indexes());
}

TEST_F(RoutingsStory, ADestinationIsNamedOnceHoweverManyRoutesLeadThere) {
  add(1, 0, {{"*", "fn:b"}, {"orders.*", "fn:a"}, {"orders.placed", "fn:b"}});
  EXPECT_EQ(leading_from("orders.placed"), Indexes({2, 1}));
}

TEST_F(RoutingsStory, ATopicAskedForAgainLeadsToTheSame) {
  add(1, 0, {{"orders.*", "fn:a"}});
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(leading_from("orders.placed"), Indexes({1}));
    EXPECT_EQ(leading_from("orders.placed"), Indexes({1}));
    EXPECT_EQ(leading_from("bids.lost"), Indexes());
  }
}

TEST_F(RoutingsStory, TopicsWithoutEndLeadWhereTheirRoutesSay) {
  add(1, 0, {{"orders.*", "fn:a"}, {"bids.*", "fn:b"}});
  for (int i = 0; i < 10'050; ++i) ASSERT_EQ(leading_from("orders." + std::to_string(i)), Indexes({1})) << i;
  EXPECT_EQ(leading_from("bids.placed"), Indexes({2}));
}

TEST_F(RoutingsStory, AMessageGoesByTheVersionOfItsNumber) {
  add(1, 0, {{"*", "fn:a"}});
  add(2, 10, {{"*", "fn:b"}});
  EXPECT_EQ(leading_from("t", 10), Indexes({1})) << "a version counts for the numbers after its beginning";
  EXPECT_EQ(leading_from("t", 11), Indexes({2}));
  EXPECT_EQ(leading_from("t", 3), Indexes({1})) << "whenever it is read";
  EXPECT_EQ(leading_from("t", far), Indexes({2}));
  EXPECT_EQ(routings.version_of(10).version, 1);
  EXPECT_EQ(routings.newest().version, 2);
}

TEST_F(RoutingsStory, OfTwoVersionsFromTheSameNumberTheNewerCounts) {
  add(1, 0, {{"*", "fn:a"}});
  add(2, 10, {});
  add(3, 10, {{"*", "fn:b"}});
  EXPECT_EQ(leading_from("t", 11), Indexes({2}));
  EXPECT_EQ(leading_from("t", 10), Indexes({1}));
}

TEST_F(RoutingsStory, TheOldestStandsForWhatIsOlderStill) {
  add(4, 100, {{"*", "fn:b"}});
  EXPECT_EQ(leading_from("t", 7), Indexes({2}));
}

TEST_F(RoutingsStory, ATenantsDestinationIsNobodyElses) {
  routings.add({.version = 1,
                .routes = {{"*", "fn:a"}, {"*", "fn:b"}},
                .destinations = {{.name = "fn:a"}, {.name = "fn:b", .tenant_id = "acme"}}});
  EXPECT_EQ(leading_from_tenant("acme"), Indexes({1, 2}));
  EXPECT_EQ(leading_from_tenant("other"), Indexes({1})) << "also right after the other one's message of this topic";
  EXPECT_EQ(leading_from_tenant("acme"), Indexes({1, 2}));
}

TEST_F(RoutingsStory, WhoseADestinationIsGoesByVersionToo) {
  routings.add({.version = 1, .routes = {{"*", "fn:a"}}, .destinations = {{.name = "fn:a", .tenant_id = "acme"}}});
  routings.add({.version = 2, .from = 10, .routes = {{"*", "fn:a"}}, .destinations = {{.name = "fn:a"}}});
  EXPECT_EQ(leading_from_tenant("other", "t", 10), Indexes());
  EXPECT_EQ(leading_from_tenant("other", "t", 11), Indexes({1}));
}

TEST_F(RoutingsStory, ADestinationThatIsNotRegisteredIsKnownByItsName) {
  add(1, 0, {{"*", "fn:old"}});
  ASSERT_EQ(leading_from("t"), Indexes({3}));
  EXPECT_EQ(destinations[3].settings->name, "fn:old");
  EXPECT_FALSE(destinations[3].is_registered);
}

TEST_F(RoutingsStory, EachVersionEndsWhereTheNextBegins) {
  add(1, 0, {});
  add(2, 10, {});
  add(3, 30, {});
  EXPECT_EQ(routings.end_after(0), 10);
  EXPECT_EQ(routings.end_after(9), 10);
  EXPECT_EQ(routings.end_after(10), 30);
  EXPECT_EQ(routings.end_after(30), far);
}

TEST_F(RoutingsStory, AVersionIsFoundUntilItIsNoLongerKept) {
  add(2, 0, {});
  add(5, 10, {});
  EXPECT_EQ(routings.find(1), nullptr);
  ASSERT_NE(routings.find(5), nullptr);
  EXPECT_EQ(routings.find(5)->from, 10);
}

TEST_F(RoutingsStory, TheFirstVersionThatLeadsToADestinationIsItsBeginning) {
  add(1, 0, {{"*", "fn:a"}});
  add(2, 10, {{"*", "fn:a"}, {"orders.*", "fn:b"}});
  add(3, 30, {{"*", "fn:b"}});
  EXPECT_EQ(routings.first_with("fn:a")->version, 1);
  EXPECT_EQ(routings.first_with("fn:b")->version, 2);
  EXPECT_EQ(routings.first_with("fn:c"), nullptr);
}

TEST_F(RoutingsStory, AreLoadedInPlaceOfWhatWasKnown) {
  add(1, 0, {{"*", "fn:a"}});
  routings.load({{.version = 7, .routes = {{"*", "fn:b"}}}});
  EXPECT_EQ(routings.newest().version, 7);
  EXPECT_EQ(leading_from("t"), Indexes({2}));
  routings.clear();
  EXPECT_TRUE(routings.is_empty());
}

}  // namespace
}  // namespace makegood::core
