#include "makegood/spi/routing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace makegood {
namespace {

using namespace std::chrono_literals;

Routing a_routing() {
  return {
      .routes = {{"order.*", "fn:billing"}, {"*", "fn:audit"}},
      .destinations = {
          {.name = "fn:audit"},
          {.name = "fn:billing",
           .in_flight_max = 7,
           .rate_max = 0.1,
           .timeout = 1500ms,
           .retry = {.attempts_max = 3, .base = 20ms, .factor = 1.7, .jitter = 0.3, .cap = 2s, .schedule = {1s, 5s}},
           .ordering = Ordering::block_on_dead,
           .circuit = {.failures_max = 4, .wait_min = 3s, .wait_max = 33s}}}};
}

TEST(Routing, ComesBackAsItWasWritten) {
  const Result<Routing> decoded = decode_routing(encode(a_routing()));
  ASSERT_TRUE(decoded) << encode(a_routing());
  EXPECT_EQ(encode(*decoded), encode(a_routing()));
}

TEST(Routing, KeepsEverySettingOfADestination) {
  const Result<Routing> decoded = decode_routing(encode(a_routing()));
  ASSERT_TRUE(decoded);
  ASSERT_EQ(decoded->destinations.size(), 2U);
  const Destination& billing = decoded->destinations[1];
  EXPECT_EQ(billing.name, "fn:billing");
  EXPECT_EQ(billing.in_flight_max, 7U);
  EXPECT_EQ(billing.rate_max, 0.1) << "to the last bit";
  EXPECT_EQ(billing.timeout, 1500ms);
  EXPECT_EQ(billing.ordering, Ordering::block_on_dead);
  EXPECT_EQ(billing.retry.attempts_max, 3U);
  EXPECT_EQ(billing.retry.base, 20ms);
  EXPECT_EQ(billing.retry.factor, 1.7);
  EXPECT_EQ(billing.retry.jitter, 0.3);
  EXPECT_EQ(billing.retry.cap, 2s);
  EXPECT_EQ(billing.retry.schedule, (std::vector<Duration>{1s, 5s}));
  EXPECT_EQ(billing.circuit.failures_max, 4U);
  EXPECT_EQ(billing.circuit.wait_min, 3s);
  EXPECT_EQ(billing.circuit.wait_max, 33s);
}

TEST(Routing, WithoutAnythingIsFine) {
  EXPECT_EQ(encode(Routing{}), R"({"routes":[],"destinations":[]})");
  EXPECT_TRUE(decode_routing(R"({"routes":[],"destinations":[]})"));
}

TEST(Routing, TakesDefaultsForSettingsThatAnOlderVersionDidNotKnow) {
  const auto decoded = decode_routing(R"({"routes":[],"destinations":[{"name":"fn:a","ordering":"skip"}]})");
  ASSERT_TRUE(decoded);
  const Destination fresh;
  EXPECT_EQ(decoded->destinations.at(0).in_flight_max, fresh.in_flight_max);
  EXPECT_EQ(decoded->destinations.at(0).timeout, fresh.timeout);
  EXPECT_EQ(decoded->destinations.at(0).retry.attempts_max, fresh.retry.attempts_max);
  EXPECT_EQ(decoded->destinations.at(0).circuit.wait_max, fresh.circuit.wait_max);
}

TEST(Routing, TakesTheTimeUntilAnOlderVersionDisabledForItsPatience) {
  const auto patience = [](const std::string& members) {
    const auto decoded =
        decode_routing(R"({"routes":[],"destinations":[{"name":"fn:a","ordering":"skip")" + members + "}]}");
    return decoded ? decoded->destinations.at(0).retry.unreachable_for : Duration::min();
  };
  EXPECT_EQ(patience(R"(,"disable_after_us":7000000)"), 7s);
  EXPECT_EQ(patience(R"(,"disable_after_us":0,"retry":{"attempts_max":3})"), 0s);
  EXPECT_EQ(patience(R"(,"disable_after_us":7000000,"retry":{"unreachable_for_us":8000000})"), 8s);
}

class BrokenRouting : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(
    Texts, BrokenRouting,
    testing::Values("", "nonsense", "[]", "{}", R"({"routes":[]})", R"({"destinations":[]})",
                    R"({"routes":{},"destinations":[]})", R"({"routes":[],"destinations":{}})",
                    R"({"routes":[7],"destinations":[]})", R"({"routes":[{"pattern":"a"}],"destinations":[]})",
                    R"({"routes":[{"pattern":7,"destination":"d"}],"destinations":[]})",
                    R"({"routes":[{"pattern":"","destination":"d"}],"destinations":[]})",
                    R"({"routes":[],"destinations":["d"]})", R"({"routes":[],"destinations":[{"ordering":"skip"}]})",
                    R"({"routes":[],"destinations":[{"name":"a b","ordering":"skip"}]})",
                    R"({"routes":[],"destinations":[{"name":"d"}]})",
                    R"({"routes":[],"destinations":[{"name":"d","ordering":"any"}]})",
                    R"({"routes":[],"destinations":[{"name":"d","ordering":"skip","in_flight_max":"7"}]})",
                    R"({"routes":[],"destinations":[{"name":"d","ordering":"skip","in_flight_max":-7}]})",
                    R"({"routes":[],"destinations":[{"name":"d","ordering":"skip","rate_max":"7"}]})",
                    R"({"routes":[],"destinations":[{"name":"d","ordering":"skip","timeout_us":1.5}]})",
                    R"({"routes":[],"destinations":[{"name":"d","ordering":"skip","retry":7}]})",
                    R"({"routes":[],"destinations":[{"name":"d","ordering":"skip","retry":{"attempts_max":-1}}]})",
                    R"({"routes":[],"destinations":[{"name":"d","ordering":"skip","retry":{"schedule_us":7}}]})",
                    R"({"routes":[],"destinations":[{"name":"d","ordering":"skip","retry":{"schedule_us":["7"]}}]})",
                    R"({"routes":[],"destinations":[{"name":"d","ordering":"skip","circuit_failures_max":9e99}]})"));

TEST_P(BrokenRouting, IsRefusedAsDamage) {
  const Result<Routing> decoded = decode_routing(GetParam());
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::store_corrupt);
  EXPECT_FALSE(decoded.error().diagnostics.empty());
}

}  // namespace
}  // namespace makegood
