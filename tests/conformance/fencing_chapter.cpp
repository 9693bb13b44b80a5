// Every write of an owner follows the very turn it remembers, or nothing of it is written (I3).
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

/// Everything that a turn can carry, so that nothing of it can slip through.
Said a_full_turn(Sequence sequence, std::int64_t request, TimePoint due_at) {
  return {.position = {.reached = 99},
          .parked = {a_parked(sequence).waiting_until(due_at).with_key("k").blocking()},
          .answers = {{.id = request, .result = "done"}},
          .clean = Clean{.retention = 1ms, .dead_retention = {}, .rows_max = 100}};
}

}  // namespace

TEST_P(StoreSuite, FencesAFormerOwner) {
  LaneOwner slow = take("a");
  expire_lease();
  const auto other = connect();
  LaneOwner fast = take(*other, "b");
  EXPECT_EQ(code_of(slow.try_commit({})), Errc::fenced);
  EXPECT_TRUE(fast.try_commit({}));
}

TEST_P(StoreSuite, FencesAFormerOwnerAfterMoreTurns) {
  LaneOwner slow = take("a");
  slow.commit({});
  LaneOwner fast = take(store(), "b", "a");
  fast.commit({});
  EXPECT_EQ(code_of(slow.try_commit({})), Errc::fenced);
}

TEST_P(StoreSuite, FencesTheSameOwnerWithAnOlderTurn) {  // The owner is right; its memory is not.
  LaneOwner owner = take("a");
  const TurnNumber old = owner.turn();
  owner.commit({});
  owner.remember(old);
  EXPECT_EQ(code_of(owner.try_commit({})), Errc::fenced);
}

TEST_P(StoreSuite, FencesATurnThatTheStoreHasForgotten) {  // After a failover the store may know less than the owner.
  LaneOwner owner = take("a");
  owner.remember(owner.turn() + 1);
  EXPECT_EQ(code_of(owner.try_commit({})), Errc::fenced);
}

TEST_P(StoreSuite, FencesAStrangerWhoGuessedTheTurn) {
  LaneOwner owner = take("a");
  LaneOwner stranger(store(), "b", owner.taken());
  EXPECT_EQ(code_of(stranger.try_commit({})), Errc::fenced);
  EXPECT_TRUE(owner.try_commit({}));
}

TEST_P(StoreSuite, FencesWhoNeverTookTheLane) {
  LaneOwner stranger(store(), "b", Taken{});
  EXPECT_EQ(code_of(stranger.try_commit({})), Errc::fenced);
}

TEST_P(StoreSuite, StaysFencedUntilTakenAnew) {
  LaneOwner slow = take("a");
  take(store(), "b", "a");
  EXPECT_EQ(code_of(slow.try_commit({})), Errc::fenced);
  EXPECT_EQ(code_of(slow.try_commit({})), Errc::fenced);
  EXPECT_TRUE(take(store(), "a2", "b").try_commit({}));
}

TEST_P(StoreSuite, AnExpiredOwnerMayWriteWhileNobodyElseHas) {  // The chain decides, not the clock.
  LaneOwner owner = take("a");
  expire_lease();
  EXPECT_TRUE(owner.try_commit({}));
}

TEST_P(StoreSuite, WritesNothingWhenFenced) {
  const Sequence sequence = enqueue(a_message("m1").with_key("k"));
  const auto operators = view();
  const auto request =
      value_of(operators->request({.sequence = sequence, .destination = "fn:a", .operator_name = "op"}));
  LaneOwner slow = take("a");
  slow.commit({.position = {.reached = sequence}});
  LaneOwner fast = take(store(), "b", "a");
  clock().advance(1s);

  ASSERT_EQ(code_of(slow.try_commit(a_full_turn(sequence, request, clock().now()))), Errc::fenced);

  EXPECT_TRUE(fast.due("fn:a").empty());
  EXPECT_EQ(value_of(operators->answer_to(request)), std::nullopt);
  EXPECT_EQ(log(), std::vector<std::string>({"m1"}));
  const LaneOwner next = take(store(), "c", "b");
  EXPECT_EQ(next.taken().position, Position{.reached = sequence});
  EXPECT_TRUE(next.taken().blocking.empty());
}

TEST_P(StoreSuite, WritesAllOfATurnThatFollows) {  // The same turn as above: it would have had effects.
  const Sequence sequence = enqueue(a_message("m1").with_key("k"));
  const auto operators = view();
  const auto request =
      value_of(operators->request({.sequence = sequence, .destination = "fn:a", .operator_name = "op"}));
  LaneOwner owner = take("a");
  owner.commit({.position = {.reached = sequence}});
  clock().advance(1s);

  Said said = a_full_turn(sequence, request, clock().now());
  said.position = {.reached = sequence};
  EXPECT_EQ(owner.commit(said).cleaned, 1U);

  EXPECT_EQ(owner.due("fn:a").size(), 1U);
  EXPECT_EQ(value_of(operators->answer_to(request)), "done");
  EXPECT_TRUE(log().empty());
  EXPECT_EQ(take(store(), "c", "a").taken().blocking.size(), 1U);
}

}  // namespace makegood::conformance
