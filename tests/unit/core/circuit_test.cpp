// Whether a destination is up: when the circuit opens, how it probes, and how the load grows again.
#include "core/circuit.hpp"

#include <gtest/gtest.h>

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime start(1h);

class CircuitStory : public testing::Test {
 protected:
  void fail(int times, bool was_probe = false) {
    for (int i = 0; i < times; ++i) circuit.failed(policy, was_probe, now);
  }
  void break_it() { fail(static_cast<int>(policy.failures_max)); }
  bool has_place(std::size_t in_flight = 0) const { return circuit.has_place(in_flight, in_flight_max, now); }
  /// How long from now until the next probe.
  Duration wait() const { return circuit.probe_at() - now; }
  void probe_fails() {
    now = circuit.probe_at();
    ASSERT_TRUE(circuit.sent());
    fail(1, true);
  }

  CircuitPolicy policy{.failures_max = 3, .wait_min = 1s, .wait_max = 5s};
  std::size_t in_flight_max = 8;
  Circuit circuit;
  MonotonicTime now = start;
};

TEST_F(CircuitStory, OpensAfterSoManyFailuresInARow) {
  fail(2);
  EXPECT_FALSE(circuit.is_open());
  fail(1);
  EXPECT_TRUE(circuit.is_open());
}

TEST_F(CircuitStory, AnyDefiniteAnswerBetweenFailuresKeepsItClosed) {
  for (int round = 0; round < 5; ++round) {
    fail(2);
    circuit.answered();
  }
  EXPECT_FALSE(circuit.is_open());
}

TEST_F(CircuitStory, NeverOpensWithoutALimit) {
  policy.failures_max = 0;
  fail(1000);
  EXPECT_FALSE(circuit.is_open());
}

TEST_F(CircuitStory, LetsNothingPassBeforeTheProbesTime) {
  break_it();
  EXPECT_FALSE(has_place());
  now += 1s - 1us;
  EXPECT_FALSE(has_place());
  now += 1us;
  EXPECT_TRUE(has_place());
}

TEST_F(CircuitStory, OneProbeIsUnderWayAtATime) {
  break_it();
  now += 1s;
  EXPECT_TRUE(circuit.sent());
  EXPECT_TRUE(circuit.is_probing());
  EXPECT_FALSE(has_place());
  EXPECT_EQ(circuit.probe_at(), MonotonicTime::max());
}

TEST_F(CircuitStory, ProbesEvenWhenAllPlacesAreTakenByWhatWasSentBefore) {
  break_it();
  now += 1s;
  EXPECT_TRUE(has_place(in_flight_max));
}

TEST_F(CircuitStory, WhatIsSentWhileItIsClosedIsNoProbe) { EXPECT_FALSE(circuit.sent()); }

TEST_F(CircuitStory, TheWaitDoublesWithEachProbeThatFailsUpToItsLimit) {
  break_it();
  EXPECT_EQ(wait(), 1s);
  for (const Duration expected : {2s, 4s, 5s, 5s}) {
    probe_fails();
    EXPECT_EQ(wait(), expected);
  }
}

TEST_F(CircuitStory, FailuresOfWhatWasSentBeforeItOpenedTellNothingNew) {
  break_it();
  now += 300ms;
  fail(10);
  EXPECT_EQ(wait(), 700ms);
  EXPECT_FALSE(circuit.is_probing());
}

TEST_F(CircuitStory, AFailureFromBeforeDoesNotEndAProbe) {
  break_it();
  now += 1s;
  circuit.sent();
  fail(1);
  EXPECT_TRUE(circuit.is_probing());
}

TEST_F(CircuitStory, AnAnswerToTheProbeClosesIt) {
  break_it();
  now += 1s;
  circuit.sent();
  circuit.answered();
  EXPECT_FALSE(circuit.is_open());
  EXPECT_FALSE(circuit.is_probing());
}

TEST_F(CircuitStory, ALateAnswerToWhatWasSentBeforeClosesItToo) {
  break_it();
  circuit.answered();
  EXPECT_FALSE(circuit.is_open());
}

TEST_F(CircuitStory, TheLoadGrowsWithTheAnswers) {
  break_it();
  circuit.answered();
  EXPECT_TRUE(has_place(1));
  EXPECT_FALSE(has_place(2));
  circuit.answered();
  EXPECT_TRUE(has_place(2));
  EXPECT_FALSE(has_place(3));
  for (int i = 0; i < 20; ++i) circuit.answered();
  EXPECT_TRUE(has_place(in_flight_max - 1));
  EXPECT_FALSE(has_place(in_flight_max)) << "never above the destination's own limit";
}

TEST_F(CircuitStory, TheSlowStartEnds) {
  in_flight_max = 1'000'000;
  break_it();
  for (int i = 0; i < 100'000; ++i) circuit.answered();
  EXPECT_TRUE(has_place(in_flight_max - 1));
}

TEST_F(CircuitStory, BreaksAgainAsEasilyAndWaitsFromTheBeginning) {
  break_it();
  probe_fails();
  probe_fails();
  circuit.answered();
  break_it();
  EXPECT_TRUE(circuit.is_open());
  EXPECT_EQ(wait(), 1s);
}

TEST_F(CircuitStory, ANewOwnerOfAnOutageProbesAtOnce) {
  circuit.open_at_once(policy, now);
  EXPECT_TRUE(circuit.is_open());
  EXPECT_TRUE(has_place());
  probe_fails();
  EXPECT_EQ(wait(), 2s);
}

TEST_F(CircuitStory, WaitsWhenThereWasNothingToProbeWith) {
  break_it();
  now += 30s;
  circuit.postpone(policy, now);
  EXPECT_EQ(wait(), 1s);
}

TEST_F(CircuitStory, IsForgotten) {
  break_it();
  circuit.clear();
  EXPECT_FALSE(circuit.is_open());
  EXPECT_TRUE(has_place(in_flight_max - 1));
}

TEST_F(CircuitStory, OpensAtOnceForOneWhoSaysWhenToComeBack) {
  circuit.failed(policy, false, now, 30s);
  EXPECT_TRUE(circuit.is_open());
  EXPECT_EQ(wait(), 30s);
}

TEST_F(CircuitStory, IsToldWhenToComeBackByAnyAnswer) {
  break_it();
  circuit.failed(policy, false, now, 30s);
  EXPECT_EQ(wait(), 30s) << "although it was sent before the circuit opened";
}

TEST_F(CircuitStory, StaysClosedWithoutALimitWhateverItIsTold) {
  policy.failures_max = 0;
  circuit.failed(policy, false, now, 30s);
  EXPECT_FALSE(circuit.is_open());
}

TEST_F(CircuitStory, BeginsWithAFewAndGrowsWithTheAnswers) {
  in_flight_max = 1000;
  EXPECT_TRUE(has_place(first_places - 1));
  EXPECT_FALSE(has_place(first_places));
  circuit.answered();
  EXPECT_TRUE(has_place(first_places));
  EXPECT_FALSE(has_place(first_places + 1));
}

}  // namespace
}  // namespace makegood::core
