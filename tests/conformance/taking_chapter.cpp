// A lane has one owner at a time; who comes next is handed everything that the last one knew.
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

/// Reached 9, with an open number and deliveries under way at two destinations.
Position a_position() { return {.reached = 9, .open = {4, 7}, .under_way = {{"fn:a", {2, 3, 8}}, {"fn:b", {8}}}}; }

}  // namespace

TEST_P(StoreSuite, ALaneThatNobodyEverOwnedIsFree) {
  const auto taken = value_of(store().take("a", lease, {}));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->position, Position{});
  EXPECT_GT(taken->turn, 0);
  EXPECT_EQ(to_milliseconds(taken->now), to_milliseconds(clock().now()));
  EXPECT_TRUE(taken->blocking.empty());
  EXPECT_TRUE(taken->next_due.empty());
}

TEST_P(StoreSuite, AnOwnedLaneIsNotTaken) {
  take("a");
  const auto other = connect();
  EXPECT_FALSE(value_of(other->take("b", lease, {})));
  clock().advance(lease - 1ms);
  EXPECT_FALSE(value_of(other->take("b", lease, {})));
}

TEST_P(StoreSuite, ALaneIsFreeWhenTheLeaseIsOver) {
  take("a");
  const auto other = connect();
  clock().advance(lease);
  EXPECT_TRUE(value_of(other->take("b", lease, {})));
}

TEST_P(StoreSuite, TheTakersOwnLeaseHoldsToo) {
  take("a");
  expire_lease();
  const auto other = connect();
  take(*other, "b");
  clock().advance(lease - 1ms);
  EXPECT_FALSE(value_of(store().take("c", lease, {})));
}

TEST_P(StoreSuite, EveryTurnRenewsTheLease) {
  LaneOwner owner = take("a");
  const auto other = connect();
  clock().advance(lease - 1ms);
  owner.commit({});
  clock().advance(lease - 1ms);
  EXPECT_FALSE(value_of(other->take("b", lease, {})));
}

TEST_P(StoreSuite, ALaneGivenUpIsFreeAtOnce) {
  LaneOwner owner = take("a");
  owner.commit({.position = a_position(), .lease = 0s});
  const auto other = connect();
  const LaneOwner next = take(*other, "b");
  EXPECT_EQ(next.taken().position, a_position());
}

TEST_P(StoreSuite,
       ALeaseTooFarAheadCountsAsOver) {  // The clock was set back: nobody waits an hour for a lease of 10 s.
  take("a");
  clock().shift_wall(-1h);
  const auto other = connect();
  EXPECT_TRUE(value_of(other->take("b", lease, {})));
}

TEST_P(StoreSuite, ALeaseAsFarAheadAsALeaseCanBeStillHolds) {
  take("a");
  const auto other = connect();
  EXPECT_FALSE(value_of(other->take("b", lease, {})));
}

TEST_P(StoreSuite, AFormerIdOfOursIsTakenFromAtOnce) {
  take("a");
  const LaneOwner anew = take(store(), "a2", "a");
  EXPECT_EQ(anew.name(), "a2");
}

TEST_P(StoreSuite, AFormerIdThatIsNotTheOwnerDoesNotHelp) {
  take("a");
  expire_lease();
  const auto other = connect();
  take(*other, "b");
  EXPECT_FALSE(value_of(store().take("a2", lease, "a")));
}

TEST_P(StoreSuite, ARefusedTakingLeavesTheOwnerInPeace) {  // I3
  LaneOwner owner = take("a");
  const auto other = connect();
  ASSERT_FALSE(value_of(other->take("b", lease, {})));
  EXPECT_TRUE(owner.try_commit({}));
}

TEST_P(StoreSuite, TurnsRise) {
  LaneOwner owner = take("a");
  const TurnNumber taking = owner.turn();
  const TurnNumber first = owner.commit({}).turn;
  const TurnNumber second = owner.commit({}).turn;
  EXPECT_LT(taking, first);
  EXPECT_LT(first, second);
}

TEST_P(StoreSuite, HandsThePositionToTheNextTaker) {  // I1
  LaneOwner owner = take("a");
  owner.commit({.position = a_position()});
  expire_lease();
  const auto other = connect();
  const LaneOwner next = take(*other, "b");
  EXPECT_EQ(next.taken().position, a_position());
  EXPECT_GT(next.taken().turn, owner.turn());
}

TEST_P(StoreSuite, HandsOverTheLastPositionOfMany) {
  LaneOwner owner = take("a");
  for (Sequence reached = 1; reached <= 50; ++reached) owner.commit({.position = {.reached = reached}});
  owner.commit({.position = {.reached = 50, .open = {}, .under_way = {{"fn:a", {50}}}}});
  EXPECT_EQ(take(store(), "b", "a").taken().position,
            (Position{.reached = 50, .open = {}, .under_way = {{"fn:a", {50}}}}));
}

TEST_P(StoreSuite, APositionSurvivesTakersThatDieAtOnce) {  // I1: a taking turn repeats what it took over.
  LaneOwner owner = take("a");
  owner.commit({.position = a_position()});
  take(store(), "b", "a");
  take(store(), "c", "b");
  EXPECT_EQ(take(store(), "d", "c").taken().position, a_position());
}

TEST_P(StoreSuite, KeepsAPositionWithManyHoles) {
  Position position{.reached = 10'000};
  for (Sequence number = 1; number <= 10'000; number += 2) position.under_way["fn:a"].push_back(number);
  for (Sequence number = 2; number <= 10'000; number += 4) position.open.append(number);
  take("a").commit({.position = position});
  EXPECT_EQ(take(store(), "b", "a").taken().position, position);
}

TEST_P(StoreSuite, TheFirstTakerComesAfterNobodysDeath) {
  const LaneOwner owner = take("a");
  EXPECT_FALSE(owner.taken().is_after_death);
  EXPECT_EQ(owner.taken().fruitless_takings, 0U);
}

TEST_P(StoreSuite, WhoTakesAnExpiredLaneComesAfterADeath) {
  LaneOwner owner = take("a");
  owner.commit({});
  expire_lease();
  EXPECT_TRUE(take(*connect(), "b").taken().is_after_death);
}

TEST_P(StoreSuite, WhoTakesALaneThatWasGivenUpDoesNot) {
  take("a").commit({.lease = 0s});
  EXPECT_FALSE(take(*connect(), "b").taken().is_after_death);
}

TEST_P(StoreSuite, WhoTakesALaneFromItselfDoesNot) {
  LaneOwner owner = take("a");
  owner.commit({});
  EXPECT_FALSE(take(store(), "a2", "a").taken().is_after_death);
}

TEST_P(StoreSuite, ADeathBeforeAnotherOwnerGaveUpIsForgotten) {
  take("a");
  expire_lease();
  const auto other = connect();
  take(*other, "b").commit({.lease = 0s});
  EXPECT_FALSE(take(store(), "c").taken().is_after_death);
}

TEST_P(StoreSuite, CountsTheTakersThatSaidNoMore) {
  LaneOwner owner = take("a");
  owner.commit({});
  EXPECT_EQ(take(store(), "b", "a").taken().fruitless_takings, 0U) << "the last one said something";
  EXPECT_EQ(take(store(), "c", "b").taken().fruitless_takings, 1U);
  LaneOwner last = take(store(), "d", "c");
  EXPECT_EQ(last.taken().fruitless_takings, 2U);
  last.commit({});
  EXPECT_EQ(take(store(), "e", "d").taken().fruitless_takings, 0U);
}

TEST_P(StoreSuite, CountsTakersFromTheVeryFirst) {
  take("a");
  EXPECT_EQ(take(store(), "b", "a").taken().fruitless_takings, 1U);
  EXPECT_EQ(take(store(), "c", "b").taken().fruitless_takings, 2U);
}

}  // namespace makegood::conformance
