// How much an endpoint takes, whether it is up, and what its answers tell, without any queue.
#include "core/endpoint.hpp"

#include <gtest/gtest.h>

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

class EndpointStory : public testing::Test {
 protected:
  static DestinationPtr limited_to(std::size_t in_flight_max) {
    return std::make_shared<Destination>(Destination{.name = "fn:a", .in_flight_max = in_flight_max});
  }
  void answer(const Outcome& outcome, bool was_probe = false) { endpoint.answered(outcome, was_probe, now); }
  void break_it() {
    for (std::uint32_t i = 0; i < settings->circuit.failures_max; ++i) answer(Outcome::unreachable("X"));
  }

  DestinationPtr settings = limited_to(2);
  Endpoint endpoint = Endpoint(settings);
  MonotonicTime now = MonotonicTime(1h);
};

TEST_F(EndpointStory, TakesNoMoreThanItAllowsInFlight) {
  endpoint.sent();
  EXPECT_TRUE(endpoint.has_place(now));
  endpoint.sent();
  EXPECT_FALSE(endpoint.has_place(now));
  endpoint.ended();
  EXPECT_TRUE(endpoint.has_place(now));
}

TEST_F(EndpointStory, TakesMoreWhenItsLimitGrows) {
  endpoint.sent();
  endpoint.sent();
  endpoint.configure(limited_to(3));
  EXPECT_TRUE(endpoint.has_place(now));
  EXPECT_EQ(endpoint.in_flight(), 2U) << "what is in flight stays";
}

TEST_F(EndpointStory, SaysWhenItsRateAllowsTheNext) {
  endpoint.configure(std::make_shared<Destination>(Destination{.name = "fn:a", .rate_max = 10}));
  EXPECT_TRUE(endpoint.take_send(now));
  EXPECT_FALSE(endpoint.take_send(now));
  EXPECT_EQ(endpoint.next_send(now), now + 100ms);
}

TEST_F(EndpointStory, OneThatIsBrokenIsSentAProbeInItsTime) {
  break_it();
  EXPECT_TRUE(endpoint.is_broken());
  EXPECT_FALSE(endpoint.has_place(now));
  now = endpoint.next_send(now);
  EXPECT_EQ(now, MonotonicTime(1h) + settings->circuit.wait_min);
  EXPECT_TRUE(endpoint.has_place(now));
  EXPECT_TRUE(endpoint.sent());
  EXPECT_EQ(endpoint.next_send(now), MonotonicTime::max()) << "one probe at a time";
  endpoint.ended();
  answer(Outcome::ok(), true);
  EXPECT_FALSE(endpoint.is_broken());
}

TEST_F(EndpointStory, AProbeThatComesBackUnsentMakesWayForAnother) {
  break_it();
  now = endpoint.next_send(now);
  EXPECT_TRUE(endpoint.sent());
  endpoint.ended();
  endpoint.probe_unsent();
  EXPECT_TRUE(endpoint.is_broken());
  EXPECT_TRUE(endpoint.has_place(now));
}

TEST_F(EndpointStory, KeepsOnlyItsSettingsWhenCleared) {
  endpoint.sent();
  endpoint.break_at_once(now);
  endpoint.clear();
  EXPECT_EQ(endpoint.in_flight(), 0U);
  EXPECT_FALSE(endpoint.is_broken());
}

TEST_F(EndpointStory, CountsWhatWasHeard) {
  answer(Outcome::ok());
  answer(Outcome::retry("X"));
  answer(Outcome::silent("X"));
  const Endpoint::Heard& heard = endpoint.heard();
  EXPECT_EQ(heard.successes, 1U);
  EXPECT_EQ(heard.answers, 2U);
  EXPECT_EQ(heard.failures, 2U);
  EXPECT_TRUE(heard.is_failing && heard.is_silent);
}

}  // namespace
}  // namespace makegood::core
