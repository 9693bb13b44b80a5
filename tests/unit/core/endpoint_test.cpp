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
  void answer(const Outcome& outcome, bool was_probe = false) {
    endpoint.answered(outcome, was_probe, now, TimePoint(now.time_since_epoch()));
  }
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
  endpoint.returned(true);
  EXPECT_TRUE(endpoint.is_broken());
  EXPECT_TRUE(endpoint.has_place(now));
}

TEST_F(EndpointStory, NobodyThereSpendsNoAttempt) {
  EXPECT_FALSE(endpoint.spends(Outcome::unreachable("X"), now));
  EXPECT_TRUE(endpoint.spends(Outcome::retry("X"), now));
}

TEST_F(EndpointStory, SilenceSpendsAnAttemptOnlyBesideAnswers) {
  EXPECT_FALSE(endpoint.spends(Outcome::silent("X"), now));
  now += 1s;
  answer(Outcome::ok());
  EXPECT_TRUE(endpoint.spends(Outcome::silent("X"), now - 1s)) << "others were answered meanwhile";
  EXPECT_FALSE(endpoint.spends(Outcome::silent("X"), now));
}

TEST_F(EndpointStory, IsHopelessWhenItHasAnsweredNothingForSoLong) {
  const Duration patience = settings->retry.unreachable_for;
  const MonotonicTime first = now;
  for (; now < first + patience; now += patience / 20) answer(Outcome::unreachable("X"));
  EXPECT_FALSE(endpoint.is_hopeless(TimePoint(now.time_since_epoch()) - 1us));
  EXPECT_TRUE(endpoint.is_hopeless(TimePoint(now.time_since_epoch())));
  answer(Outcome::retry("X"));
  EXPECT_FALSE(endpoint.is_hopeless(TimePoint(now.time_since_epoch()))) << "it has answered";
  EXPECT_TRUE(endpoint.failing()) << "but not well";
  answer(Outcome::ok());
  EXPECT_FALSE(endpoint.failing());
}

TEST_F(EndpointStory, TheNextOwnerGoesOnWithItsFailuresOrForgivesThem) {
  const Failing before{.since = TimePoint(1s), .count = 3};
  endpoint.keep_failing(before);
  EXPECT_EQ(endpoint.failing(), before);
  endpoint.forgive();
  EXPECT_EQ(endpoint.failing(), std::nullopt);
}

TEST_F(EndpointStory, KeepsOnlyItsSettingsWhenCleared) {
  endpoint.sent();
  endpoint.break_at_once(now);
  endpoint.keep_failing({});
  endpoint.clear();
  EXPECT_EQ(endpoint.in_flight(), 0U);
  EXPECT_FALSE(endpoint.is_broken());
  EXPECT_EQ(endpoint.failing(), std::nullopt);
}

TEST_F(EndpointStory, IsHandedInAdvanceWhatEndedMeanwhile) {
  endpoint = Endpoint(settings, true);
  endpoint.exchange_began();
  for (int i = 0; i < 3; ++i) {
    endpoint.sent();
    endpoint.ended();
  }
  endpoint.exchange_ended();
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(endpoint.has_place(now));
    endpoint.sent();
  }
  EXPECT_FALSE(endpoint.has_place(now)) << "two places, and three in advance";
}

TEST_F(EndpointStory, HasNoMoreThanSoManyInAdvance) {
  endpoint = Endpoint(limited_to(1), true);
  answer(Outcome::ok());
  endpoint.exchange_began();
  for (int i = 0; i < 10'000; ++i) {
    endpoint.sent();
    endpoint.ended();
    answer(Outcome::ok());
  }
  endpoint.exchange_ended();
  std::size_t count = 0;
  for (; endpoint.has_place(now); ++count) endpoint.sent();
  EXPECT_EQ(count, 513U);
}

}  // namespace
}  // namespace makegood::core
