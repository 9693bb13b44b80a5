// Topics that are addresses themselves, from enqueue to endpoint.
#include "tests/integration/http_zoo/relay_at_the_zoo.hpp"

namespace makegood {
namespace {

class RawTopicsAtTheZoo : public RelayAtTheZoo {
 protected:
  RawTopicsAtTheZoo() { options.tenant_networks = {"127.0.0.0/8"}; }

  /// A destination for raw topics to the animal's host, on its port.
  void allow(const std::string& animal) {
    const std::string url = zoo().url(animal);
    const std::string origin = url.substr(0, url.rfind('/'));
    options.tenant_ports = {static_cast<std::uint16_t>(std::stoul(origin.substr(origin.rfind(':') + 1)))};
    add("raw", HttpSettings{.raw_prefixes = {origin}});
    route("http:*", "raw");
  }
  void enqueue_for(const std::string& url) { enqueue({{.topic = "http:" + url, .payload = "{}"}}); }
};

TEST_F(RawTopicsAtTheZoo, LeadNowhereUnlessADestinationTakesThem) {
  start_relay();
  enqueue_for(zoo().url("ok"));
  EXPECT_TRUE(ends_.await("-", Fate::died, 1));
  stop_relay();
  ASSERT_EQ(dead_letters().size(), 1U);
  EXPECT_EQ(dead_letters().front().parked.error_code, "TX.NO_ROUTE");
  EXPECT_EQ(zoo().visits("ok").connections, 0U);
}

TEST_F(RawTopicsAtTheZoo, AreDeliveredToTheUrlThatTheyName) {
  allow("ok");
  start_relay();
  enqueue_for(zoo().url("ok") + "/7?a=b");
  EXPECT_TRUE(ends_.await("http:raw", Fate::delivered, 1));
  stop_relay();
  ASSERT_EQ(zoo().visits("ok").count, 1U);
  EXPECT_EQ(zoo().visits("ok").requests.front().path, "/ok/7?a=b");
}

TEST_F(RawTopicsAtTheZoo, AreDeadWhenTheirUrlIsNotAmongThoseAllowed) {
  allow("ok");
  start_relay();
  enqueue_for(zoo().url("neighbour"));
  EXPECT_TRUE(ends_.await("http:raw", Fate::died, 1));
  stop_relay();
  ASSERT_EQ(dead_letters().size(), 1U);
  EXPECT_NE(dead_letters().front().parked.last_error.find("raw_prefixes"), std::string::npos);
  EXPECT_EQ(zoo().visits("neighbour").connections, 0U);
}

}  // namespace
}  // namespace makegood
