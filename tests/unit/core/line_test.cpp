// One caller's line to an endpoint, alone and beside others: places, probes, turns, and what the others hear.
#include "core/line.hpp"

#include <gtest/gtest.h>

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

DestinationPtr limited_to(std::size_t in_flight_max, double rate_max = 0) {
  return std::make_shared<Destination>(
      Destination{.name = "http:a", .in_flight_max = in_flight_max, .rate_max = rate_max});
}

class LineStory : public testing::Test {
 protected:
  void answer(const Outcome& outcome) {
    const auto place = line.take_place(now);
    if (place) line.answered(outcome, place->is_probe, now, TimePoint(now.time_since_epoch()));
    now = std::max(now, line.next_send(now));
  }

  DestinationPtr settings = limited_to(2);
  Line line = Line(settings);
  MonotonicTime now = MonotonicTime(1h);
};

TEST_F(LineStory, NobodyThereSpendsNoAttempt) {
  EXPECT_FALSE(line.spends(Outcome::unreachable("X"), now));
  EXPECT_TRUE(line.spends(Outcome::retry("X"), now));
}

TEST_F(LineStory, SilenceSpendsAnAttemptOnlyBesideAnswers) {
  EXPECT_FALSE(line.spends(Outcome::silent("X"), now));
  now += 1s;
  answer(Outcome::ok());
  EXPECT_TRUE(line.spends(Outcome::silent("X"), now - 1s)) << "others were answered meanwhile";
  EXPECT_FALSE(line.spends(Outcome::silent("X"), now));
}

TEST_F(LineStory, IsHopelessWhenItHasAnsweredNothingForSoLong) {
  const Duration patience = settings->retry.unreachable_for;
  const MonotonicTime first = now;
  while (now < first + patience) {
    answer(Outcome::unreachable("X"));
    now += patience / 20;
  }
  EXPECT_FALSE(line.is_hopeless(TimePoint(first.time_since_epoch()) + patience - 1us));
  const TimePoint end = TimePoint(first.time_since_epoch()) + patience;
  EXPECT_TRUE(line.is_hopeless(end));
  answer(Outcome::retry("X"));
  EXPECT_FALSE(line.is_hopeless(end)) << "it has answered";
  EXPECT_TRUE(line.failing(end)) << "but not well";
  answer(Outcome::ok());
  EXPECT_FALSE(line.failing(end));
}

TEST_F(LineStory, TheNextOwnerGoesOnWithItsFailuresOrForgivesThem) {
  const Failing before{.since = TimePoint(1s), .count = 3};
  line.keep_failing(before);
  EXPECT_EQ(line.failing({}), before);
  line.forgive();
  EXPECT_EQ(line.failing({}), std::nullopt);
}

TEST_F(LineStory, KeepsOnlyItsSettingsWhenCleared) {
  EXPECT_TRUE(line.take_place(now));
  line.break_at_once(now);
  line.keep_failing({});
  line.clear();
  EXPECT_EQ(line.in_flight(), 0U);
  EXPECT_FALSE(line.is_broken());
  EXPECT_EQ(line.failing({}), std::nullopt);
}

TEST_F(LineStory, IsHandedInAdvanceWhatEndedMeanwhile) {
  Line ahead(settings, true);
  ahead.exchange_began();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(ahead.take_place(now));
    ahead.ended();
  }
  ahead.exchange_ended();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(ahead.take_place(now));
  EXPECT_FALSE(ahead.take_place(now)) << "two places, and three in advance";
}

TEST_F(LineStory, HasNoMoreThanSoManyInAdvance) {
  Line ahead(limited_to(1), true);
  ahead.exchange_began();
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(ahead.take_place(now));
    ahead.answered(Outcome::ok(), false, now, {});
  }
  ahead.exchange_ended();
  std::size_t count = 0;
  while (ahead.take_place(now)) ++count;
  EXPECT_EQ(count, 513U);
}

class Sign final : public Waker {
 public:
  void place_freed() override { ++places; }
  void circuit_changed() override { ++circuits; }
  int places = 0;
  int circuits = 0;
};

/// Two callers with the same settings.
class LinesStory : public testing::Test {
 protected:
  LinesStory() {
    one.configure(settings);
    other.configure(settings);
  }
  void break_it() {
    while (!one.is_broken()) {
      EXPECT_TRUE(one.take_place(now));
      one.answered(Outcome::unreachable("X"), false, now, store_now);
    }
  }

  DestinationPtr settings = limited_to(2);
  Endpoints endpoints;
  Sign sign;
  Sign others_sign;
  Line one = Line(settings, false, {&endpoints, &sign});
  Line other = Line(settings, false, {&endpoints, &others_sign});
  MonotonicTime now = MonotonicTime(1h);
  TimePoint store_now = TimePoint(2h);
};

TEST_F(LinesStory, ShareTheirPlaces) {
  EXPECT_TRUE(one.take_place(now));
  EXPECT_TRUE(other.take_place(now));
  EXPECT_FALSE(one.has_place(now));
  EXPECT_FALSE(other.take_place(now));
}

TEST_F(LinesStory, ShareOneRate) {
  settings = limited_to(2, 10);
  one.configure(settings);
  other.configure(settings);
  EXPECT_TRUE(one.take_place(now));
  EXPECT_FALSE(other.take_place(now));
  EXPECT_EQ(other.next_place(now), now + 100ms);
}

TEST_F(LinesStory, OfOtherSettingsOrToAFunctionAreStrangers) {
  Line third(settings, false, {&endpoints, nullptr});
  third.configure(limited_to(3));
  EXPECT_TRUE(one.take_place(now) && other.take_place(now));
  EXPECT_TRUE(third.take_place(now));

  const auto function = std::make_shared<Destination>(Destination{.name = "fn:a", .in_flight_max = 1});
  Line here(function, false, {&endpoints, nullptr});
  Line there(function, false, {&endpoints, nullptr});
  here.configure(function);
  there.configure(function);
  EXPECT_TRUE(here.take_place(now) && there.take_place(now)) << "each process part has its own functions";
}

TEST_F(LinesStory, WhoWaitsIsWokenByAFreePlaceAndComesFirst) {
  EXPECT_TRUE(one.take_place(now) && one.take_place(now));
  other.wait_for_place(now);
  one.ended();
  EXPECT_EQ(others_sign.places, 1);
  EXPECT_FALSE(one.has_place(now)) << "the other has fewer";
  EXPECT_TRUE(other.take_place(now));
  other.ended();
  EXPECT_EQ(sign.places, 0) << "it did not wait";
}

TEST_F(LinesStory, TakeTurnsForTheOnlyPlace) {
  settings = limited_to(1);
  one.configure(settings);
  other.configure(settings);
  Line* having = &one;
  Line* waiting = &other;
  EXPECT_TRUE(having->take_place(now));
  for (int turn = 0; turn < 5; ++turn) {
    waiting->wait_for_place(now);
    having->ended();
    EXPECT_FALSE(having->take_place(now));
    EXPECT_TRUE(waiting->take_place(now));
    std::swap(having, waiting);
  }
}

TEST_F(LinesStory, AWishThatIsNotFollowedLapses) {
  EXPECT_TRUE(one.take_place(now) && one.take_place(now));
  other.wait_for_place(now);
  now += 1h;
  one.answered(Outcome::ok(), false, now, store_now);
  EXPECT_FALSE(one.has_place(now));
  const MonotonicTime lapses = one.next_place(now);
  EXPECT_LE(lapses, now + 1s);
  EXPECT_TRUE(one.has_place(lapses));
}

TEST_F(LinesStory, OwnPlacesThatEndLeaveNoWishBehind) {
  EXPECT_TRUE(other.take_place(now) && one.take_place(now));
  other.wait_for_place(now);
  other.ended();  // And nothing to send any more.
  now += 1h;
  EXPECT_TRUE(one.has_place(now));
}

TEST_F(LinesStory, AllHearOfAnOutageAndOfItsEnd) {
  break_it();
  EXPECT_EQ(others_sign.circuits, 1);
  EXPECT_FALSE(other.is_broken()) << "not in the middle of a decision";
  EXPECT_TRUE(other.hear(store_now));
  EXPECT_TRUE(other.is_broken());
  now = other.next_place(now);
  const auto probe = other.take_place(now);
  EXPECT_TRUE(probe && probe->is_probe);
  EXPECT_FALSE(one.take_place(now)) << "one probe at a time, whoever sends it";
  other.answered(Outcome::ok(), true, now, store_now);
  EXPECT_FALSE(other.is_broken());
  EXPECT_EQ(sign.circuits, 1);
  EXPECT_TRUE(one.hear(store_now));
  EXPECT_FALSE(one.is_broken());
}

TEST_F(LinesStory, WhoForgetsGivesItsOwnPlacesBackAndNoOthers) {
  EXPECT_TRUE(one.take_place(now) && other.take_place(now));
  other.wait_for_place(now);
  one.clear();
  EXPECT_EQ(others_sign.places, 1);
  EXPECT_TRUE(other.take_place(now));
  EXPECT_FALSE(other.take_place(now));
  EXPECT_EQ(other.in_flight(), 2U);
}

TEST_F(LinesStory, WhoForgetsGivesItsOwnProbeBackAndNoOthers) {
  break_it();
  now = one.next_place(now);
  EXPECT_TRUE(one.take_place(now));
  other.clear();
  EXPECT_FALSE(other.take_place(now)) << "the probe of the first is under way";
  EXPECT_TRUE(other.is_broken()) << "the first still knows it";
  one.clear();
  EXPECT_TRUE(other.take_place(now));
}

TEST_F(LinesStory, OneThatTakesOverAnOutageBelievesThoseWhoCall) {
  EXPECT_TRUE(other.take_place(now));
  one.break_at_once(now);
  EXPECT_FALSE(one.is_broken());
  other.clear();
  one.break_at_once(now);
  EXPECT_TRUE(one.is_broken());
}

TEST_F(LinesStory, KeepTheirOwnRecordOfItsHealthAndHearOfTheOthers) {
  other.keep_failing({.since = TimePoint(1h), .count = 2, .unanswered_since = TimePoint(1h), .unanswered = 2});
  EXPECT_TRUE(one.take_place(now));
  one.answered(Outcome::retry("X"), false, now, store_now);
  ASSERT_TRUE(other.failing(TimePoint(5h)));
  EXPECT_EQ(other.failing(TimePoint(5h))->since, TimePoint(1h));
  EXPECT_EQ(other.failing(TimePoint(5h))->unanswered, 0U) << "somebody is there";
  EXPECT_EQ(one.failing(store_now)->since, store_now);
  EXPECT_TRUE(one.take_place(now));
  one.answered(Outcome::ok(), false, now, store_now);
  EXPECT_FALSE(other.failing(TimePoint(5h)));
}

TEST_F(LinesStory, ATenthFailureIsCountedWhoeverHasIt) {
  const Duration patience = settings->retry.unreachable_for;
  for (TimePoint at = store_now; at <= store_now + patience; at += patience / 20) {
    now = std::max(now, one.next_place(now));
    const auto place = one.take_place(now);
    one.answered(Outcome::unreachable("X"), place->is_probe, now, at);
    other.hear(at);
  }
  EXPECT_TRUE(one.is_hopeless(store_now + patience));
  EXPECT_TRUE(other.is_hopeless(store_now + patience));
}

TEST_F(LinesStory, NewSettingsTakeAlongWhatIsKnownAndUnderWay) {
  break_it();
  now = one.next_place(now);
  EXPECT_TRUE(one.take_place(now));
  const DestinationPtr larger = limited_to(3);
  one.configure(larger);
  EXPECT_TRUE(one.is_broken());
  EXPECT_FALSE(one.take_place(now)) << "its probe is still under way";
  EXPECT_TRUE(other.take_place(now)) << "and at the others' place no more";
  other.ended();
  other.configure(larger);
  EXPECT_FALSE(other.take_place(now));
  one.answered(Outcome::ok(), true, now, store_now);
  EXPECT_TRUE(other.take_place(now));
}

TEST_F(LinesStory, ADestinationThatIsRemovedIsForgottenByItsCallerAlone) {
  break_it();
  one.remove();
  EXPECT_FALSE(one.is_broken());
  other.hear(store_now);
  EXPECT_TRUE(other.is_broken());
  one.configure(settings);
  EXPECT_TRUE(one.is_broken()) << "it is back, and the others know";
}

}  // namespace
}  // namespace makegood::core
