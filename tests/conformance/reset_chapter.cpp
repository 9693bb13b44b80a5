// A turn that empties the outbox, for test fixtures.
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Names = std::vector<std::string>;

Turn resetting(const LaneOwner& owner, Sequence reached) {
  Turn turn{.owner = owner.name(), .after = owner.turn(), .position = {.reached = reached}};
  turn.is_reset = true;
  return turn;
}

}  // namespace

TEST_P(StoreSuite, AResetLeavesNothingOfAnyMessage) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  value_of(
      view()->request({.kind = RequestKind::replay, .sequence = n[0], .destination = "fn:a", .operator_name = "ann"}));
  owner.commit({.position = {.reached = n[0]}, .parked = {a_parked(n[0], "fn:a").dead()}});
  owner.look(all_beyond(n[0]));
  value_of(store().commit(resetting(owner, n[1])));
  EXPECT_TRUE(log().empty());
  EXPECT_TRUE(value_of(view()->list_dead({}, {}, 10)).empty());
  LaneOwner next = take("b");
  EXPECT_EQ(next.taken().position, (Position{.reached = n[1]}));
  EXPECT_FALSE(next.taken().is_after_death) << "the lane was given up";
  EXPECT_TRUE(next.look(all_beyond(n[1])).requests.empty());
}

TEST_P(StoreSuite, NumbersGoOnAfterAReset) {
  const Sequence first = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.look(all_beyond(0));
  value_of(store().commit(resetting(owner, first)));
  EXPECT_GT(enqueue(a_message("m1")), first) << "and its event is a new one";
  EXPECT_EQ(names(take("b").look(all_beyond(first)).rows), Names({"m1"}));
}

TEST_P(StoreSuite, AResetRefusesWhatCameAfterItsPosition) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  owner.look(all_beyond(0));
  EXPECT_EQ(code_of(store().commit(resetting(owner, n[0]))), Errc::conflict);
  EXPECT_EQ(log(), Names({"m1", "m2"}));
}

TEST_P(StoreSuite, AResetOfAFormerOwnerIsFenced) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.look(all_beyond(0));
  expire_lease();
  const auto other = connect();
  take(*other, "b");
  EXPECT_EQ(code_of(store().commit(resetting(owner, sequence))), Errc::fenced);
  EXPECT_EQ(log(), Names({"m1"}));
}

TEST_P(StoreSuite, HandsAMessageToWhoeverIsToCancelIt) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit(
      {.position = {.reached = sequence},
       .parked = {a_parked(sequence, "fn:a").dead(), a_parked(sequence, "fn:b").waiting_until(clock().now())}});
  for (const Sequence asked : {sequence, sequence + 1}) {
    value_of(view()->request(
        {.kind = RequestKind::cancel_message, .sequence = asked, .destination = "", .operator_name = "ann"}));
  }
  const Found found = owner.look(all_beyond(sequence));
  ASSERT_EQ(found.requests.size(), 2U);
  EXPECT_EQ(name_of(*found.requests[0].message), "m1");
  ASSERT_EQ(found.requests[0].rows.size(), 2U);
  EXPECT_EQ(found.requests[0].rows[0].destination + found.requests[0].rows[1].destination, "fn:afn:b");
  EXPECT_EQ(found.requests[1].message, nullptr);
}

TEST_P(StoreSuite, AReplayOfHistoryPassesWhatWasCancelledUnread) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  Turn::Change cancelled = a_parked(n[0], std::string(unrouted));
  cancelled.row.state = ParkedState::quarantined;
  cancelled.row.error_code = to_string(Errc::cancelled);
  owner.commit({.position = {.reached = n[1], .cancelled = {{"-", {n[0]}}}}, .parked = {cancelled}});
  EXPECT_EQ(take(store(), "b", "a").taken().position.cancelled.at("-"), NumberSet({n[0]}));
  LookFor wanted{.owner = "b", .reached = n[1]};
  wanted.sides = {{.reached = 0,
                   .until = n[1],
                   .rows_max = 10,
                   .bytes_max = 1000000,
                   .filter = {.routes = {{"*", "fn:a"}}, .scope = Scope{"fn:a"}, .is_history = true}}};
  EXPECT_EQ(names(value_of(store().look(wanted)).sides.at(0).rows), Names({"m2"}));
}

}  // namespace makegood::conformance
