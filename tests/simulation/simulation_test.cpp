// A short run of the simulator with every change. The long ones: makegood-sim --minutes N.
#include "sim/world.hpp"

#include <algorithm>

#include "sim/runner.hpp"

namespace makegood::sim {
namespace {

constexpr std::uint64_t seeds = 300;
constexpr std::uint64_t steps = 1000;

Summary run(std::uint64_t seed, std::uint64_t count) { return World({.seed = seed, .steps = count}).run(); }

TEST(Simulation, KeepsEveryPromiseUnderFaultsAndSeesEverySituation) {
  Totals totals;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Summary summary = run(seed, steps);
    ASSERT_EQ(summary.violations, std::vector<std::string>())
        << "repeat it with: " << command_for({.seed = seed, .steps = steps});
    add(totals, summary);
  }
  // A run in which something never happened shows nothing about it.
  for (const Site site : totals.sum.sites.missed()) ADD_FAILURE() << "never happened: " << to_string(site);
}

/// In a world whose program registers the destinations, as all did when these seeds were found.
Summary run_without_registry(std::uint64_t seed, std::uint64_t count) {
  Chance chance(seed);
  return World({.seed = seed, .steps = count, .faults = Faults::draw(chance)}).run();
}

Summary run_with_registry(std::uint64_t seed, std::uint64_t count) {
  Chance chance(seed);
  Faults faults = Faults::draw(chance);
  faults.set(Fault::registers, true);
  return World({.seed = seed, .steps = count, .faults = faults}).run();
}

/// Seeds that once showed a defect, with what they needed to show it; each stays.
TEST(Simulation, KeepsEveryPromiseForTheSeedsThatOnceFailed) {
  for (const std::uint64_t seed :
       {1006U, 1022U, 1128U, 1258U, 2001U, 2127U, 3048U, 3168U,  3236U,  3679U,  4042U,   4069U,
        5020U, 5109U, 5246U, 6002U, 6005U, 6026U, 6615U, 12258U, 21010U, 21335U, 100919U, 101925U}) {
    EXPECT_EQ(run_without_registry(seed, 2000).violations, std::vector<std::string>()) << "seed " << seed;
  }
}

TEST(Simulation, KeepsEveryPromiseForTheSeedsThatFailedWithARegistryInTheStore) {
  for (const std::uint64_t seed : {209U, 1029U, 3523U, 6756U, 8894U, 12265U, 13200U, 19859U, 23973U, 25562U, 77994U,
                                   100712U, 200326U, 300532U, 403810U, 3004075U}) {
    EXPECT_EQ(run_with_registry(seed, 2000).violations, std::vector<std::string>()) << "seed " << seed;
  }
}

/// An attempt that is given back is no failure, a small step back of the clock is remembered, a suspect is not blamed
/// for a death before it was sent, and a replay of what had no delivery goes by the newest routes.
TEST(Simulation, KeepsEveryPromiseForTheSeedsThatFailedWithWhatTheyDrewThemselves) {
  for (const std::uint64_t seed : {913UL, 3533UL, 4008UL, 6982UL, 894528856209UL, 1794971300240UL}) {
    EXPECT_EQ(run(seed, 2000).violations, std::vector<std::string>()) << "seed " << seed;
  }
}

/// Two messages that are kept had the same number, and both were due at once.
TEST(Simulation, ForgetsNoneOfTwoThatAreDueUnderOneNumber) {
  EXPECT_EQ(run(2000016390, 2000).violations, std::vector<std::string>());
  EXPECT_EQ(run(3000015026, 2000).violations, std::vector<std::string>());
  EXPECT_EQ(run(777000042, 2000).violations, std::vector<std::string>()) << "what was said to another of its number";
}

/// The one before it in its key went back to a side lane, and nobody called up what was left in hand.
TEST(Simulation, SendsAReplayOfHistoryWhenTheOneBeforeItInItsKeyGoesBack) {
  EXPECT_EQ(run(812, 2000).violations, std::vector<std::string>());
}

/// Numbers were drawn again between a look and its turn, and the cleaner took one of them for a message that it had
/// read long ago.
TEST(Simulation, CleansNothingThatWasDrawnAgainSinceTheLook) {
  EXPECT_EQ(run(4000027203, 2000).violations, std::vector<std::string>());
  EXPECT_EQ(run(4000030937, 2000).violations, std::vector<std::string>());
}

/// A replay of history had failed where a replay of the message itself led as well.
TEST(Simulation, LeadsAReplayOnlyWhereItDoesNotWaitAlready) {
  EXPECT_EQ(run(8230000471, 2000).violations, std::vector<std::string>());
}

/// A replay of history had it in hand, or read it, when it was put away for all destinations.
TEST(Simulation, SendsNoHistoryOfWhatIsPutAway) {
  EXPECT_EQ(run(8240024595, 2000).violations, std::vector<std::string>());
  EXPECT_EQ(run(8240034707, 2000).violations, std::vector<std::string>());
}

/// Another message had its number before, and its failures counted as those of this one.
TEST(Simulation, CountsAttemptsByMessageAndNotByNumber) {
  EXPECT_EQ(run(8250049673, 2000).violations, std::vector<std::string>());
}

/// A small side lane had one in hand that waited for a retry, which waited for the numbers that had gone back.
TEST(Simulation, ReadsWhatWentBackAlthoughASideLaneIsFull) {
  EXPECT_EQ(run(8250012632, 2000).violations, std::vector<std::string>());
  EXPECT_EQ(run(8260011023, 2000).violations, std::vector<std::string>()) << "and no more than that";
}

/// It was named while its owner was frozen, and sent two seconds later.
TEST(Simulation, CountsTheTimeOfASuspectFromWhenItIsSent) {
  EXPECT_EQ(run(4000031284, 2000).violations, std::vector<std::string>());
}

/// The checker took for rest what its owner did not know to be unfinished.
TEST(Simulation, DoesNotCallItRestWhileTheLastTurnOfTheOwnerIsForgotten) {
  EXPECT_EQ(run_without_registry(4760, 2000).violations, std::vector<std::string>());
  EXPECT_EQ(run_with_registry(7767, 2000).violations, std::vector<std::string>());
}

/// What was in the log before is promised nothing any more, and shares numbers with what comes after.
TEST(Simulation, StopsAndGoesOnAfterARewindWhenTheLogIsTamperedWith) {
  Faults faults;
  faults.set(Fault::tampering, true);
  std::uint64_t stops = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Summary summary = World({.seed = seed, .steps = 2000, .faults = faults}).run();
    EXPECT_EQ(summary.violations, std::vector<std::string>()) << "seed " << seed;
    stops += summary.sites.count(Site::rewound);
  }
  EXPECT_GT(stops, 0U);
}

TEST(Simulation, RepeatsARunExactly) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) EXPECT_EQ(run(seed, 1000).trace, run(seed, 1000).trace) << seed;
  EXPECT_NE(run(1, 1000).trace, run(2, 1000).trace);
}

TEST(Simulation, LeavesTheOtherStepsAsTheyWereWhenOneIsSkipped) {
  const Summary whole = World({.seed = 4, .steps = 10, .faults = Faults()}).run();
  const Summary without = World({.seed = 4, .steps = 11, .faults = Faults(), .skipped = {10}}).run();
  EXPECT_EQ(whole.trace, without.trace);
}

TEST(Simulation, TellsTheStoryOfAMessage) {
  const Summary summary = World({.seed = 1, .steps = 500, .faults = Faults(), .watched = "e3"}).run();
  ASSERT_FALSE(summary.story.empty());
  const auto is_commit = [](const std::string& line) { return line.find("committed as number") != std::string::npos; };
  EXPECT_TRUE(std::ranges::any_of(summary.story, is_commit)) << summary.story.front();
}

}  // namespace
}  // namespace makegood::sim
