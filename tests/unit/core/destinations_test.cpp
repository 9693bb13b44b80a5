// Which destinations a lane knows, and what is queued for each.
#include "core/destinations.hpp"

#include <gtest/gtest.h>

#include "makegood/spi/store.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

class DestinationsStory : public testing::Test {
 protected:
  DestinationsStory() { destinations.configure(std::vector<Destination>{{.name = "fn:a"}, {.name = "fn:b"}}); }

  Destinations destinations;
};

TEST_F(DestinationsStory, TheFirstIsThePlaceOfWhatLeadsNowhere) {
  EXPECT_EQ(destinations.count(), 3U);
  EXPECT_EQ(destinations[unrouted_index].settings->name, unrouted);
  EXPECT_EQ(destinations.find(unrouted), unrouted_index);
}

TEST_F(DestinationsStory, AreFoundByName) {
  EXPECT_EQ(destinations.find("fn:b"), 2U);
  EXPECT_EQ(destinations.find("fn:c"), std::nullopt);
}

TEST_F(DestinationsStory, ThatAreNotRegisteredHaveAnIndexAndAreNotFound) {
  EXPECT_EQ(destinations.at("fn:old"), 3U);
  EXPECT_EQ(destinations.at("fn:old"), 3U) << "the same each time";
  EXPECT_EQ(destinations.find("fn:old"), std::nullopt);
  EXPECT_FALSE(destinations[3].is_registered);
  EXPECT_EQ(destinations.registered_count(), 2U);
}

TEST_F(DestinationsStory, AreRegisteredUnderTheIndexThatTheirNameHadBefore) {
  destinations.at("fn:old");
  destinations.configure(std::vector<Destination>{{.name = "fn:old"}});
  EXPECT_EQ(destinations.find("fn:old"), 3U);
  EXPECT_EQ(destinations.registered_count(), 3U);
}

TEST_F(DestinationsStory, ThatAreReplacedAreKnownByNameOnly) {
  const std::vector<Destination> others{{.name = "fn:b", .in_flight_max = 7}, {.name = "fn:c"}};
  EXPECT_EQ(destinations.replace(others), std::vector<DestinationIndex>({1})) << "fn:a is registered no more";
  EXPECT_EQ(destinations.find("fn:a"), std::nullopt);
  EXPECT_EQ(destinations.at("fn:a"), 1U);
  EXPECT_EQ(destinations[2].settings->in_flight_max, 7U);
  EXPECT_EQ(destinations.find("fn:c"), 3U);
  EXPECT_EQ(destinations.find(unrouted), unrouted_index);
  EXPECT_TRUE(destinations.replace(others).empty()) << "it was gone before";
}

TEST_F(DestinationsStory, KeepTheirIndexWhenTheyAreConfiguredAgain) {
  const std::vector<Destination> settings{{.name = "fn:c"}, {.name = "fn:b", .in_flight_max = 7}};
  destinations[2].endpoint.take_place({});
  destinations.configure(settings);
  EXPECT_EQ(destinations.find("fn:a"), 1U) << "none is forgotten";
  EXPECT_EQ(destinations.find("fn:b"), 2U);
  EXPECT_EQ(destinations.find("fn:c"), 3U);
  EXPECT_EQ(destinations[2].settings->in_flight_max, 7U);
  EXPECT_EQ(destinations[2].endpoint.in_flight(), 1U);
}

TEST_F(DestinationsStory, SettingsThatWereHandedOutStayAsTheyWere) {
  const DestinationPtr before = destinations[1].settings;
  const std::vector<Destination> settings{{.name = "fn:a", .timeout = 1s}};
  destinations.configure(settings);
  EXPECT_EQ(before->timeout, 30s);
  EXPECT_EQ(destinations[1].settings->timeout, 1s);
}

TEST_F(DestinationsStory, KeepAQuarterOfTheirPlacesForDueDeliveries) {
  DestinationState state{.settings = std::make_shared<Destination>(Destination{.name = "fn:a", .in_flight_max = 40})};
  EXPECT_EQ(state.places_for_due(), 10U);
  for (int i = 0; i < 40; ++i) state.endpoint.take_place({});
  EXPECT_EQ(state.places_for_due(), 10U) << "fresh ones do not take it away";
  state.ready_parked = 4;
  EXPECT_EQ(state.places_for_due(), 6U);
  state.ready_parked = 11;
  EXPECT_EQ(state.places_for_due(), 0U);
}

TEST_F(DestinationsStory, KeepAtLeastOnePlaceForDueDeliveries) {
  const DestinationState state{.settings =
                                   std::make_shared<Destination>(Destination{.name = "fn:a", .in_flight_max = 1})};
  EXPECT_EQ(state.places_for_due(), 1U);
}

TEST_F(DestinationsStory, ExpectTheEarliestDueDelivery) {
  DestinationState& state = destinations[1];
  state.expect_due(TimePoint(5s));
  state.expect_due(TimePoint(9s));
  EXPECT_EQ(state.next_due, TimePoint(5s));
  state.expect_due(TimePoint(2s));
  EXPECT_EQ(state.next_due, TimePoint(2s));
}

TEST_F(DestinationsStory, KeepOnlyTheirSettingsWhenCleared) {
  DestinationState& state = destinations[1];
  state.ready = {1, 2};
  state.ready_parked = 1;
  state.endpoint.take_place({});
  state.parked_count = 9;
  state.endpoint.break_at_once({});
  state.expect_due(TimePoint(5s));
  destinations.clear();
  EXPECT_TRUE(state.ready.empty());
  EXPECT_EQ(state.ready_parked + state.endpoint.in_flight() + state.parked_count, 0U);
  EXPECT_FALSE(state.endpoint.is_broken());
  EXPECT_EQ(state.next_due, std::nullopt);
  EXPECT_EQ(destinations.find("fn:a"), 1U);
}

}  // namespace
}  // namespace makegood::core
