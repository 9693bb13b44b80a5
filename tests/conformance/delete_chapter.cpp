// What somebody with a shell may delete from the log: judged by what the last turn says, not by who asks (I8).
#include "tests/conformance/delete_suite.hpp"

namespace makegood::conformance {
namespace {

constexpr Clean at_once{.retention = {}, .dead_retention = {}, .rows_max = 100};

}  // namespace

TEST_P(DeleteSuite, AMessageThatNobodyHasReadStays) {
  enqueue(a_message("m1"));
  EXPECT_TRUE(is_refused("DELETE FROM makegood_outbox"));
  EXPECT_EQ(log(), Names({"m1"}));
}

TEST_P(DeleteSuite, AMessageBeyondThePositionStays) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[0]}});
  EXPECT_TRUE(is_refused("DELETE FROM makegood_outbox")) << "all or nothing";
  EXPECT_EQ(log(), Names({"m1", "m2"}));
  EXPECT_FALSE(is_refused("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(n[0])));
  EXPECT_EQ(log(), Names({"m2"}));
}

TEST_P(DeleteSuite, AMessageThatIsUnderWayStays) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[1], .open = {}, .under_way = {{"fn:a", {n[0]}}}}});
  EXPECT_TRUE(is_refused("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(n[0])));
  owner.commit({.position = {.reached = n[1]}});
  EXPECT_FALSE(is_refused("DELETE FROM makegood_outbox"));
}

TEST_P(DeleteSuite, AMessageThatASideLaneHasNotReadStays) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  SideLane side{.scope = {"fn:a"}, .why = SideLane::Why::paused};
  side.reached = n[0];
  owner.commit({.position = {.reached = n[1], .sides = {side}}});
  EXPECT_TRUE(is_refused("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(n[1])));
  EXPECT_FALSE(is_refused("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(n[0])));
}

TEST_P(DeleteSuite, AMessageThatAParkedDeliveryNeedsStays) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[2]},
                .parked = {a_parked(n[0], "fn:a").dead(), a_parked(n[1], "fn:a").waiting_until(clock().now())}});
  EXPECT_TRUE(is_refused("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(n[0])));
  EXPECT_TRUE(is_refused("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(n[1])));
  EXPECT_TRUE(is_refused("DELETE FROM makegood_outbox"));
  EXPECT_FALSE(is_refused("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(n[2])));
}

TEST_P(DeleteSuite, ADoneExceptionNeedsItsMessageNoMore) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = sequence}, .parked = {a_parked(sequence, "fn:a").done()}});
  EXPECT_FALSE(is_refused("DELETE FROM makegood_outbox"));
}

TEST_P(DeleteSuite, TheAnchorStaysAlthoughItWasDelivered) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[1]}, .mark = {.anchor = n[1], .anchor_event = "m2", .counter = n[1]}});
  EXPECT_TRUE(is_refused("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(n[1])));
  EXPECT_FALSE(is_refused("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(n[0])));
}

TEST_P(DeleteSuite, ACancelledDeliveryNeedsItsMessageNoMore) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  Turn::Change cancelled = a_parked(sequence, "fn:a");
  cancelled.row.state = ParkedState::quarantined;
  cancelled.row.error_code = to_string(Errc::cancelled);
  owner.commit({.position = {.reached = sequence}, .parked = {cancelled}});
  EXPECT_FALSE(is_refused("DELETE FROM makegood_outbox"));
}

TEST_P(DeleteSuite, TheCleanerMayGoAsFarAsItsOwnTurn) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[0]}});
  clock().advance(1s);
  owner.commit({.position = {.reached = n[1]}, .parked = {a_parked(n[0], "fn:a").dead()}, .clean = at_once});
  EXPECT_EQ(log(), Names({"m2"})) << "and what a dead letter needs is kept elsewhere";
}

TEST_P(DeleteSuite, RowsOfARewoundPositionStay) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[1]}});
  owner.commit({.position = {.reached = 0}});
  EXPECT_TRUE(is_refused("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(n[0])));
}

}  // namespace makegood::conformance
