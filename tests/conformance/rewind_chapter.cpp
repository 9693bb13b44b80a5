// Whole stories of logs that were emptied or numbered anew: a lane over the store, from the first delivery to what an
// operator has to say.
#include "tests/conformance/log_mark_suite.hpp"

namespace makegood::conformance {

TEST_P(LogMarkSuite, ARewindDeliversWhatWasEnqueuedBeforeIt) {  // 0 of 10, when it went to the counter.
  RelayByHand lane = a_relay();
  for (int number = 1; number <= 100; ++number) enqueue(a_message("old" + std::to_string(number)));
  ASSERT_TRUE(lane.take());
  deliver(lane);
  ASSERT_EQ(delivered_.size(), 100U);
  hand_from_outside().empty_log();
  hand_from_outside().set_counter(0);
  enqueue_in_spite(10);
  clock().advance(1s);
  deliver(lane);
  EXPECT_EQ(new_count(), 0U);
  rewind(lane);
  EXPECT_EQ(new_count(), 10U);
}

TEST_P(LogMarkSuite,
       ARewindDeliversAllOfALogThatWasFilledBeyondThePosition) {  // TRUNCATE … RESTART IDENTITY and 150 rows: 50.
  RelayByHand lane = a_relay();
  for (int number = 1; number <= 100; ++number) enqueue(a_message("old" + std::to_string(number)));
  ASSERT_TRUE(lane.take());
  deliver(lane);
  hand_from_outside().empty_log();
  hand_from_outside().set_counter(0);
  enqueue_in_spite(150);
  clock().advance(1s);
  deliver(lane);
  EXPECT_EQ(new_count(), 0U) << "some, and the others lost, would be worse";
  rewind(lane);
  EXPECT_EQ(new_count(), 150U);
}

TEST_P(LogMarkSuite, ARewindDeliversAllThatGotNumbersOfDeliveredOnes) {  // Set back by 40, 60 enqueued: 20.
  RelayByHand lane = a_relay();
  for (int number = 1; number <= 100; ++number) enqueue(a_message("old" + std::to_string(number)));
  ASSERT_TRUE(lane.take());
  deliver(lane);
  pass_hours(lane);
  hand_from_outside().set_counter(60);
  enqueue_in_spite(60);
  lane.lane().forget();
  expire_lease();
  ASSERT_TRUE(lane.take());
  deliver(lane);
  const bool draws_below = store().features().name != "sqlite";  // Its counter never falls below the highest row.
  EXPECT_EQ(new_count(), draws_below ? 0U : 60U);
  if (draws_below) rewind(lane);
  EXPECT_EQ(new_count(), 60U);
}

TEST_P(LogMarkSuite,
       AfterARewindNothingWaitsForMessagesThatAreGone) {  // Another had their numbers, and was held by them.
  const auto n = enqueue_all(
      {a_message("m1").with_key("k"), a_message("m2").with_key("k"), a_message("m3").with_key("x"), a_message("m4")});
  LaneOwner owner = take("a");
  owner.commit({.position = {.reached = n[3]},
                .parked = {a_parked(n[0]).with_key("k").waiting_until(clock().now() + 9s).blocking(),
                           a_parked(n[1]).with_key("k").held().blocking(),
                           a_parked(n[2]).with_key("x").dead().blocking(), a_parked(n[3]).done()}});
  hand_from_outside().empty_log();
  owner.commit({.position = {.reached = 0}, .is_rewind = true});
  const Taken taken = take(store(), "b", "a").taken();
  EXPECT_TRUE(taken.blocking.empty());
  EXPECT_TRUE(taken.next_due.empty());
  const auto letters = value_of(view()->list_dead({}, {}, 100));
  ASSERT_EQ(letters.size(), 3U);
  EXPECT_EQ(letters[0].parked.state, ParkedState::dead);
  EXPECT_EQ(letters[0].parked.error_code, to_string(Errc::not_found));
}

TEST_P(LogMarkSuite, AfterARewindWhatIsReadAgainBeginsAnew) {
  const auto n = enqueue_all({a_message("m1").with_key("k"), a_message("m2").with_key("k"), a_message("m3"),
                              a_message("m4"), a_message("m5")});
  LaneOwner owner = take("a");
  owner.commit({.position = {.reached = n[4]},
                .parked = {a_parked(n[0]).with_key("k").dead().blocking(),
                           a_parked(n[1]).with_key("k").waiting_until(clock().now()).blocking(), a_parked(n[2]).dead(),
                           a_parked(n[3]).quarantined()}});
  owner.commit({.position = {.reached = n[0]}, .is_rewind = true});
  EXPECT_EQ(take(store(), "b", "a").taken().blocking.size(), 1U) << "the first is not read again";
  const auto letters = value_of(view()->list_dead({}, {}, 100));
  ASSERT_EQ(letters.size(), 2U);
  EXPECT_EQ(letters[0].parked.sequence, n[0]);
  EXPECT_EQ(letters[1].parked.state, ParkedState::quarantined) << "an operator wants it so";
}

TEST_P(LogMarkSuite, ARewindSendsNothingThatAnOperatorHasPutAway) {
  RelayByHand lane = a_relay();
  for (int number = 1; number <= 3; ++number) enqueue(a_message("old" + std::to_string(number)));
  const Sequence cancelled = enqueue(a_message("new1"));
  enqueue(a_message("new2"));
  value_of(view()->request({.kind = RequestKind::cancel_message,
                            .sequence = cancelled,
                            .destination = {},
                            .operator_name = "olga",
                            .reason = "a mistake"}));
  ASSERT_TRUE(lane.take());
  deliver(lane);
  ASSERT_EQ(new_count(), 1U);
  hand_from_outside().set_counter(0);
  clock().advance(1s);
  deliver(lane);
  rewind(lane);
  EXPECT_FALSE(delivered_.contains("new1"));
  EXPECT_EQ(delivered_.size(), 4U);
}

TEST_P(LogMarkSuite, AnIdleLogKeepsOneEmptyRowAndFewTurns) {
  RelayByHand lane = a_relay();
  enqueue(a_message("old1"));
  ASSERT_TRUE(lane.take());
  deliver(lane);
  for (int round = 0; round < 5; ++round) pass_hours(lane);
  const auto rows = value_of(store().look(all_beyond(0))).rows;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]->topic, "makegood.anchor");
  EXPECT_TRUE(value_of(view()->list_dead({}, {}, 10)).empty());
}

}  // namespace makegood::conformance
