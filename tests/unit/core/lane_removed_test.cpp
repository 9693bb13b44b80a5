// A destination that an operator removes: what is in flight may end, and nothing else waits for it in silence.
#include "tests/unit/core/lane_registry.hpp"

namespace makegood::core {
namespace {

class LaneRemoved : public LaneRegistryStory {
 protected:
  std::string remove(const std::string& name = "fn:a") { return configure(removes(name)); }
};

constexpr const char* removed = "dead TX.NO_ROUTE";

TEST_F(LaneRemoved, TakesItsRoutesAlong) {
  take_with({named("fn:a"), named("fn:b")});
  EXPECT_EQ(remove(), "done");
  EXPECT_EQ(newest().routes, std::vector<Route>({{"*", "fn:b"}}));
  enqueue(1);
  run();
  EXPECT_EQ(received("fn:a"), Numbers());
  EXPECT_EQ(received("fn:b"), Numbers({1}));
}

TEST_F(LaneRemoved, WhatIsInFlightMayEnd) {
  take_with({named("fn:a")});
  enqueue(1);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  remove();
  succeeds(1);
  run();
  EXPECT_EQ(parked_count(), 0U);
  EXPECT_TRUE(position().under_way.empty());
}

TEST_F(LaneRemoved, WhatWasInFlightAndFailedIsDeadWhenItIsDue) {  // I1
  take_with({named("fn:a")});
  enqueue(1);
  exchange();
  sent();
  remove();
  fails(1);
  run();
  EXPECT_EQ(state_of(1), "waiting TX.TIMEOUT");
  run_for(1s);
  EXPECT_EQ(state_of(1), removed);
  EXPECT_EQ(parked(1)->last_error, "Its destination was removed; register it again, then replay.");
}

TEST_F(LaneRemoved, WhatSaidThatItIsGoneIsDead) {
  take_with({named("fn:a")});
  enqueue(1);
  exchange();
  sent();
  remove();
  relay().answer(1, "fn:a", Outcome::gone("HTTP.410"));
  run();
  EXPECT_EQ(state_of(1), removed);
  EXPECT_FALSE(side(all_of_a)) << "there is nobody to disable";
}

TEST_F(LaneRemoved, FailuresAfterItOpenNoCircuit) {
  take_with({named("fn:a")});
  enqueue(4);
  exchange();
  sent();
  remove();
  for (Sequence number = 1; number <= 4; ++number) fails(number);
  run();
  EXPECT_FALSE(side(all_of_a));
  EXPECT_EQ(lane().figures().open_circuit_count, 0U);
}

TEST_F(LaneRemoved, WhatIsInHandAndNotSentIsDead) {
  Destination narrow = named("fn:a");
  narrow.in_flight_max = 1;
  take_with({narrow});
  enqueue(2, message("k"));
  enqueue(2);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  remove();
  EXPECT_EQ(sent(), Numbers());
  run();
  for (Sequence number = 2; number <= 4; ++number) EXPECT_EQ(state_of(number), removed) << number;
  succeeds(1);
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1}));
  EXPECT_TRUE(position().under_way.empty());
}

TEST_F(LaneRemoved, ARetryThatWasTakenInAndNotSentIsDead) {
  Destination narrow = named("fn:a");
  narrow.rate_max = 0.001;
  take_with({narrow});
  enqueue(1);
  exchange();
  ASSERT_EQ(sent(), Numbers({1}));
  fails(1);
  exchange();
  pass(1s);
  exchange();
  ASSERT_TRUE(parked(1)->under_way);
  ASSERT_EQ(sent(), Numbers()) << "its rate forbids it";
  remove();
  run();
  EXPECT_EQ(state_of(1), removed);
  EXPECT_EQ(parked(1)->attempts, 1U);
}

TEST_F(LaneRemoved, WhatWaitsAndWhatIsHeldBehindItIsDeadWhenItIsDue) {
  take_with({named("fn:a")});
  enqueue(3, message("k"));
  exchange();
  sent();
  fails(1);
  run();
  ASSERT_EQ(state_of(2), "held ");
  remove();
  run();
  EXPECT_EQ(state_of(1), "waiting TX.TIMEOUT") << "registered again, it would go on";
  run_for(1s);
  for (Sequence number = 1; number <= 3; ++number) EXPECT_EQ(state_of(number), removed) << number;
  EXPECT_EQ(lane().figures().parked_count, 0U);
}

TEST_F(LaneRemoved, WhatIsHeldBehindADeadHeadIsDead) {
  Destination strict = named("fn:a");
  strict.ordering = Ordering::block_on_dead;
  take_with({strict});
  enqueue(3, message("k"));
  exchange();
  sent();
  relay().answer(1, "fn:a", Outcome::fail("NO"));
  run();
  ASSERT_TRUE(parked(1)->blocks);
  ASSERT_EQ(state_of(2), "held ");
  remove();
  run();
  EXPECT_EQ(state_of(1), "dead NO");
  EXPECT_FALSE(parked(1)->blocks);
  EXPECT_EQ(state_of(2), removed);
  EXPECT_EQ(state_of(3), removed);
}

TEST_F(LaneRemoved, WhatIsDelayedIsDeadWhenItIsDue) {
  take_with({named("fn:a")});
  NewMessage later = message();
  later.available_at = TimePoint(database().access().state().turns.rbegin()->second.at) + 1h;
  enqueue(later);
  run();
  remove();
  run();
  EXPECT_EQ(state_of(1), "waiting ");
  run_for(2h);
  EXPECT_EQ(state_of(1), removed);
}

TEST_F(LaneRemoved, APausedSideLaneComesToTheSameEnd) {
  take_with({named("fn:a"), named("fn:b")});
  run();
  pause("fn:a");
  enqueue(5);
  run();
  ASSERT_TRUE(side(all_of_a));
  remove();
  run();
  EXPECT_FALSE(side(all_of_a));
  for (Sequence number = 1; number <= 5; ++number) EXPECT_EQ(state_of(number), removed) << number;
  EXPECT_EQ(received("fn:a"), Numbers());
  EXPECT_EQ(received("fn:b"), Numbers({1, 2, 3, 4, 5}));
}

TEST_F(LaneRemoved, ASideLaneOfATenantDoesSo) {
  take_with({named("fn:a")});
  run();
  pause("fn:a", "acme");
  enqueue(2, message("k", "acme"));
  run();
  remove();
  run();
  EXPECT_FALSE(side(acme_at_a));
  EXPECT_EQ(state_of(2), removed);
}

TEST_F(LaneRemoved, RetriesOfAPausedTenantDoSo) {
  take_with({named("fn:a")});
  enqueue(1, message("k", "acme"));
  exchange();
  sent();
  fails(1);
  exchange();
  pause("fn:a", "acme");
  run_for(5s);
  remove();
  run();
  EXPECT_EQ(state_of(1), removed);
}

TEST_F(LaneRemoved, ABrokenSideLaneDoesSo) {
  take_with({named("fn:a")});
  down = {"fn:a"};
  enqueue(8);
  run_for(2s);
  ASSERT_EQ(side(all_of_a)->why, Why::broken);
  remove();
  run_for(10min);
  EXPECT_FALSE(side(all_of_a));
  for (Sequence number = 1; number <= 8; ++number) EXPECT_EQ(state_of(number), removed) << number;
}

TEST_F(LaneRemoved, ADisabledSideLaneDoesSo) {
  take_with({named("fn:a")});
  enqueue(3);
  exchange();
  sent();
  relay().answer(1, "fn:a", Outcome::gone("HTTP.410"));
  exchange();
  ASSERT_EQ(side(all_of_a)->why, Why::disabled);
  succeeds(2);
  succeeds(3);
  remove();
  run();
  EXPECT_FALSE(side(all_of_a));
  EXPECT_EQ(state_of(1), removed);
}

TEST_F(LaneRemoved, AReplayOfHistoryEnds) {
  Destination slow = named("fn:a");
  slow.rate_max = 0.001;
  take_with({named("fn:a")});
  enqueue(5);
  run();
  ASSERT_EQ(configure({.destinations = {slow}}), "done");
  ASSERT_EQ(replay_history(1, 5), "done");
  run();
  ASSERT_TRUE(history(all_of_a));
  forget_received();
  remove();
  run();
  EXPECT_FALSE(history(all_of_a));
  EXPECT_EQ(received("fn:a"), Numbers());
  EXPECT_EQ(parked_count(), 0U) << "it had been delivered once";
}

TEST_F(LaneRemoved, ALateRowThatAnOlderVersionLedThereIsDead) {
  take_with({named("fn:a")});
  const auto late = begin_transaction();
  ASSERT_TRUE(late->enqueue(message()));
  enqueue(1);
  run();
  remove();
  ASSERT_TRUE(late->commit());
  run();
  EXPECT_EQ(received("fn:a"), Numbers({2}));
  EXPECT_EQ(state_of(1), removed);
}

TEST_F(LaneRemoved, AHoleOfTheLastOwnerIsDead) {
  take_with({named("fn:a")});
  enqueue(1);
  exchange();
  sent();
  remove();
  die_and_take_over();
  run();
  EXPECT_EQ(state_of(1), removed);
}

TEST_F(LaneRemoved, WhatWaitsIsDeadWhenItIsDueUnderTheNextOwner) {
  take_with({named("fn:a")});
  enqueue(2, message("k"));
  exchange();
  sent();
  fails(1);
  run();
  remove();
  die_and_take_over();
  run_for(2s);
  EXPECT_EQ(state_of(1), removed);
  EXPECT_EQ(state_of(2), removed);
}

TEST_F(LaneRemoved, RegisteredAgainInTimeItsRetriesGoOnInOrder) {  // I4
  take_with({named("fn:a")});
  enqueue(2, message("k"));
  exchange();
  sent();
  fails(1);
  run();
  remove();
  run();
  ASSERT_EQ(configure(adds("fn:a")), "done");
  enqueue(1, message("k"));
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1})) << "those behind it wait";
  run_for(1s);
  EXPECT_EQ(received("fn:a"), Numbers({1, 1, 2, 3}));
}

TEST_F(LaneRemoved, WhatFailedAfterItStillBlocksItsKeyWhenItIsRegisteredAgain) {  // I4
  take_with({named("fn:a")});
  enqueue(1, message("k"));
  exchange();
  sent();
  remove();
  fails(1);
  exchange();
  ASSERT_EQ(configure(adds("fn:a")), "done");
  enqueue(1, message("k"));
  run();
  EXPECT_EQ(state_of(2), "held ");
  run_for(1s);
  EXPECT_EQ(received("fn:a"), Numbers({1, 1, 2}));
}

TEST_F(LaneRemoved, RegisteredAgainItsDeadCanBeReplayed) {
  take_with({named("fn:a")});
  pause("fn:a");
  enqueue(1);
  run();
  remove();
  run();
  const NewRequest replay{.kind = RequestKind::replay, .sequence = 1, .destination = "fn:a", .operator_name = {}};
  EXPECT_EQ(ask(replay), "refused: its destination is not registered here");
  ASSERT_EQ(configure(adds("fn:a")), "done");
  EXPECT_EQ(ask(replay), "done");
  run();
  EXPECT_EQ(received("fn:a"), Numbers({1}));
}

TEST_F(LaneRemoved, RegisteredAgainItBeginsInGoodHealth) {
  take_with({named("fn:a")});
  down = {"fn:a"};
  enqueue(8);
  run_for(2s);
  ASSERT_TRUE(lane().is_broken("fn:a"));
  remove();
  ASSERT_EQ(configure(adds("fn:a")), "done");
  EXPECT_FALSE(lane().is_broken("fn:a"));
  down.clear();
  run_for(10s);
  EXPECT_EQ(parked_count() > 0 ? state_of(1) : "done ", "done TX.UNAVAILABLE");
}

}  // namespace
}  // namespace makegood::core
