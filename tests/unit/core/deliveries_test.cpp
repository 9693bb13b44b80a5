// Where a delivery in hand is, and how many there are.
#include "core/deliveries.hpp"

#include <gtest/gtest.h>

#include "core/parked_changes.hpp"
#include "core/reports.hpp"
#include "tests/support/committed_message.hpp"

namespace makegood::core {
namespace {

using Queue = std::deque<CarriedIndex>;

class DeliveriesStory : public testing::Test {
 protected:
  CarriedIndex admits(Sequence sequence, Carried carried = {}) {
    carried.message = testing_support::committed_message({}, sequence);
    carried.destination = at_a;
    return deliveries.admit(std::move(carried));
  }
  CarriedIndex readies(Sequence sequence, Carried carried = {}) {
    const CarriedIndex index = admits(sequence, std::move(carried));
    deliveries.make_ready(index);
    return index;
  }
  static Carried retry() { return {.message = {}, .is_parked = true}; }
  static Carried suspect(unsigned deaths) { return {.message = {}, .deaths = deaths}; }
  static Carried of(Side& side) { return {.message = {}, .side = &side}; }
  /// One owner has died with the first message, and another before.
  void begins_with_a_suspect() {
    Taken taken{};
    taken.position.suspects["fn:a"][1] = 2;
    suspects.begin(taken);
  }
  const Queue& ready() { return destinations[at_a].ready; }
  void TearDown() override {
    deliveries.assert_consistent();
    suspects.assert_consistent();
  }

  Window window;
  Destinations destinations;
  const DestinationIndex at_a = destinations.at("fn:a");
  SideLanes sides;
  Suspects suspects{window, destinations, sides};
  Deliveries deliveries{window, destinations, sides, suspects};
};

TEST_F(DeliveriesStory, ARetryGoesBeforeAllOthers) {
  const CarriedIndex first = readies(1);
  const CarriedIndex second = readies(2);
  const CarriedIndex again = readies(3, retry());
  EXPECT_EQ(ready(), Queue({again, first, second}));
}

TEST_F(DeliveriesStory, ASuspectIsNotReadyButWaitsToBeAlone) {
  const CarriedIndex waiting = readies(1, suspect(alone_from));
  EXPECT_TRUE(ready().empty());
  EXPECT_EQ(suspects.choose({}), waiting);
}

TEST_F(DeliveriesStory, IsAllSentWhenTheRestWaitsForItsTurn) {
  const CarriedIndex first = readies(1);
  readies(2);
  EXPECT_FALSE(deliveries.is_all_sent(0));
  deliveries.take_from_queues(first);
  deliveries.sent(first, {}, {});
  EXPECT_EQ(deliveries.in_flight_count(), 1U);
  EXPECT_TRUE(deliveries.is_all_sent(1)) << "the second one has its answer";
}

TEST_F(DeliveriesStory, WhatASideLaneHasInHandIsNotTheMainLanes) {
  Side& side = sides.add({.scope = {"fn:a"}}, at_a);
  readies(1, of(side));
  readies(2);
  EXPECT_EQ(deliveries.main_count(), 1U);
  EXPECT_EQ(side.ready.size(), 1U);
}

TEST_F(DeliveriesStory, OneThatMovesIsReadyNowhere) {
  Side& side = sides.add({.scope = {"fn:a"}}, at_a);
  const CarriedIndex index = readies(1);
  deliveries.move(index, &side);
  EXPECT_TRUE(ready().empty());
  EXPECT_EQ(side.in_hand, 1U);
  EXPECT_EQ(deliveries.main_count(), 0U);
}

TEST_F(DeliveriesStory, AllOfASideLaneGoOnInTheMainLane) {
  Side& side = sides.add({.scope = {"fn:a"}}, at_a);
  const CarriedIndex aside = readies(1, of(side));
  const CarriedIndex index = readies(2);
  deliveries.move_all(side, nullptr);
  sides.remove(side);
  EXPECT_EQ(ready(), Queue({index, aside}));
  EXPECT_EQ(deliveries.main_count(), 2U);
}

TEST_F(DeliveriesStory, ASuspectThatHasEndedIsAcquitted) {
  begins_with_a_suspect();
  deliveries.end(admits(1, suspect(2)));
  EXPECT_EQ(suspects.deaths_of(at_a, 1), 0U);
  EXPECT_EQ(window.count(), 0U);
}

TEST_F(DeliveriesStory, ASuspectThatGoesBackStaysASuspect) {
  begins_with_a_suspect();
  deliveries.drop(admits(1, suspect(2)));
  EXPECT_EQ(suspects.deaths_of(at_a, 1), 2U);
}

/// A change of parked rows: what the turn says, and what is known of the destination without reading them.
TEST_F(DeliveriesStory, WhatIsParkedIsCountedOnceAndDueAtTheEarliest) {
  const Ownership ownership{.owner = "one"};
  ParkedChanges parked(destinations, ownership);
  Parked row = new_row(*testing_support::committed_message({}, 1), "fn:a");
  row.attempts = 1;
  row.due_at = TimePoint(std::chrono::seconds(9));
  parked.park(row, {}, false);
  row.due_at = TimePoint(std::chrono::seconds(5));
  parked.park(row, parked.note(row, "retry", {}), true);
  EXPECT_EQ(destinations[at_a].parked_count, 1U);
  EXPECT_EQ(destinations[at_a].next_due, row.due_at);
  EXPECT_TRUE(parked.has(1, "fn:a"));
  EXPECT_FALSE(parked.has(1, "fn:b"));
  EXPECT_EQ(parked.take().back().note->owner, "one");
  EXPECT_EQ(parked.count(), 0U);
}

TEST(Reports, CountWhatIsReadWhenItsTurnIsCommitted) {
  Reports reports;
  reports.fresh(testing_support::committed_message({}, 1));
  EXPECT_TRUE(reports.take_enqueued().empty());
  reports.committed();
  EXPECT_EQ(reports.take_enqueued().size(), 1U);
  reports.fresh(testing_support::committed_message({}, 2));
  reports.forget_fresh();
  reports.committed();
  EXPECT_TRUE(reports.take_enqueued().empty()) << "the turn was lost";
}

}  // namespace
}  // namespace makegood::core
