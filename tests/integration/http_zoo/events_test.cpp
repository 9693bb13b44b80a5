// What an endpoint's answer makes Makegood tell of itself, and who gets to hear it.
#include "makegood/events.hpp"
#include "tests/integration/http_zoo/relay_at_the_zoo.hpp"

namespace makegood {
namespace {

class EventsAtTheZoo : public RelayAtTheZoo {
 protected:
  /// One message to this animal, until whoever listens has been told what came of it.
  testing_support::Visit told_of(const std::string& animal) {
    add("shop", animal);
    add("pager", "ok");
    route("makegood.*", "pager");
    start_relay();
    enqueue({{.topic = "shop.order", .payload = "{}", .event_id = "order-7"}});
    EXPECT_TRUE(ends_.await("http:pager", Fate::delivered, 1));
    stop_relay();
    const Visits visits = zoo().visits("ok");
    return visits.requests.empty() ? testing_support::Visit() : visits.requests.front();
  }
  static bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
};

TEST_F(EventsAtTheZoo, ADestinationThatSaysGoneIsDisabledAndLosesNothing) {
  const auto visit = told_of("status-410");
  EXPECT_EQ(visit.headers.at("ce-type"), destination_disabled_topic);
  EXPECT_TRUE(has(visit.body, R"("destination":"http:shop")")) << visit.body;
  EXPECT_TRUE(dead_letters().empty()) << "the message waits";
}

TEST_F(EventsAtTheZoo, ADeliveryThatIsRefusedForGoodIsDead) {
  const auto visit = told_of("status-404");
  EXPECT_EQ(visit.headers.at("ce-type"), delivery_died_topic);
  EXPECT_TRUE(has(visit.body, R"("event_id":"order-7")")) << visit.body;
  ASSERT_EQ(dead_letters().size(), 1U);
  EXPECT_EQ(dead_letters().front().parked.error_code, "HTTP.404");
}

}  // namespace
}  // namespace makegood
