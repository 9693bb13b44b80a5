// Side lanes: what has left the lane is read from a position of its own, in the same snapshot as the rest.
#include <algorithm>

#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<Sequence>;

/// What acme has at fn:a, with room for all.
LookFor::Side acme_at_a(Sequence reached, Sequence until, std::vector<Sequence> numbers = {}) {
  return {.reached = reached,
          .until = until,
          .numbers = std::move(numbers),
          .rows_max = 1000,
          .bytes_max = std::size_t{1} << 20,
          .passed_max = 0,
          .filter = {.routes = {{"orders.*", "fn:a"}}, .scope = Scope{.destination = "fn:a", .tenant_id = "acme"}}};
}

/// A look for nothing but these side lanes; the main lane has reached the end.
Found look_aside(OutboxStore& store, std::vector<LookFor::Side> sides, NumberSet open = {}) {
  const Sequence end = value_of(store.look({.owner = "a"})).counter;
  return value_of(store.look({.owner = "a", .reached = end, .open = std::move(open), .sides = std::move(sides)}));
}

}  // namespace

TEST_P(StoreSuite, ASideLaneReadsWhatItCarriesUpToItsEnd) {
  const auto n =
      enqueue_all({of_acme("a1"), a_message("m1"), of_acme("a2"), of_acme("elsewhere").with_topic("stock.low"),
                   of_acme("a3"), a_message("m2"), of_acme("a4")});
  const Found found = look_aside(store(), {acme_at_a(n[0], n[5])});
  ASSERT_EQ(found.sides.size(), 1U);
  EXPECT_EQ(names(found.sides[0].rows), Names({"a2", "a3"}));
  EXPECT_EQ(found.sides[0].looked_to, n[5]);
  EXPECT_TRUE(found.sides[0].unread.empty());
  EXPECT_TRUE(found.rows.empty()) << "the main lane asked for nothing";
}

TEST_P(StoreSuite, ASideLaneThatHasReachedItsEndReadsNothing) {
  const Sequence last = enqueue(of_acme("a1"));
  const Found found = look_aside(store(), {acme_at_a(last, last)});
  EXPECT_TRUE(found.sides.at(0).rows.empty());
  EXPECT_EQ(found.sides.at(0).looked_to, last);
  EXPECT_FALSE(found.is_more);
}

TEST_P(StoreSuite, ASideLaneReadsItsNumbersFirstWhateverItsFilterSays) {  // I1, I4: holes that a taker has not read.
  const auto n = enqueue_all({a_message("m1"), of_acme("a1"), a_message("m2"), of_acme("a2")});
  const Found found = look_aside(store(), {acme_at_a(n[2], n[3], {n[0], n[1]})});
  EXPECT_EQ(names(found.sides.at(0).rows), Names({"m1", "a1", "a2"}));
  EXPECT_EQ(found.sides.at(0).looked_to, n[3]);
}

TEST_P(StoreSuite, ASideLaneNeverReadsANumberThatWasOpenUntilNow) {  // I1: main hands it over, else it comes twice.
  const auto n = enqueue_all({of_acme("a1"), of_acme("late"), of_acme("a3")});
  LookFor wanted = late_and_beyond(n[2], {n[1]});
  wanted.sides = {acme_at_a(0, n[2])};
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), numbers_may_stay_open() ? Names({"late"}) : Names());
  EXPECT_EQ(names(found.sides.at(0).rows), Names({"a1", "a3"}));
}

TEST_P(StoreSuite, ASideLaneDoesNotSeeWhatIsNotCommitted) {  // I2
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  const Sequence drawn = value_of(slow->enqueue(of_acme("late"))).sequence;
  const Sequence last = enqueue(of_acme("a2"));
  const Found before = look_aside(store(), {acme_at_a(0, last)}, {drawn});
  EXPECT_EQ(names(before.sides.at(0).rows), Names({"a2"}));
  must(slow->commit());
  const Found after = look_aside(store(), {acme_at_a(0, last)}, {drawn});
  EXPECT_EQ(names(after.sides.at(0).rows), Names({"a2"}));
}

TEST_P(StoreSuite, ASideLaneStopsAtItsRows) {  // I10
  const auto n = enqueue_all({of_acme("a1"), a_message("m1"), of_acme("a2"), a_message("m2"), of_acme("a3")});
  LookFor::Side side = acme_at_a(0, n[4]);
  side.rows_max = 2;
  const Found found = look_aside(store(), {side});
  EXPECT_EQ(names(found.sides.at(0).rows), Names({"a1", "a2"}));
  EXPECT_EQ(found.sides.at(0).looked_to, n[2]);
  EXPECT_TRUE(found.is_more);
}

TEST_P(StoreSuite, ASideLaneStopsAtItsBytesButReadsOneRowHoweverBig) {  // I1, I10
  const auto n = enqueue_all({a_message("m1"), of_acme("a1").with_body(std::string(10'000, 'x')), a_message("m2"),
                              of_acme("a2").with_body(std::string(10'000, 'x'))});
  LookFor::Side side = acme_at_a(0, n[3]);
  side.bytes_max = 15'000;
  Found found = look_aside(store(), {side});
  EXPECT_EQ(sequences(found.sides.at(0).rows), Numbers({n[1]}));
  EXPECT_EQ(found.sides.at(0).looked_to, n[2]);
  EXPECT_TRUE(found.is_more);
  side.bytes_max = 10;
  found = look_aside(store(), {side});
  EXPECT_EQ(sequences(found.sides.at(0).rows), Numbers({n[1]}));
}

TEST_P(StoreSuite, ASideLanePassesNoMoreRowsThanAllowed) {  // I10
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), of_acme("a1")});
  LookFor::Side side = acme_at_a(0, n[3]);
  side.passed_max = 2;
  Found found = look_aside(store(), {side});
  EXPECT_TRUE(found.sides.at(0).rows.empty());
  EXPECT_EQ(found.sides.at(0).looked_to, n[1]);
  EXPECT_TRUE(found.is_more);
  side.reached = n[1];
  found = look_aside(store(), {side});
  EXPECT_EQ(names(found.sides.at(0).rows), Names({"a1"}));
  EXPECT_EQ(found.sides.at(0).looked_to, n[3]);
  EXPECT_FALSE(found.is_more);
}

TEST_P(StoreSuite, ASideLaneNamesTheNumbersItHadNoRoomFor) {  // I1, I10
  const auto n = enqueue_all({of_acme("a1"), of_acme("a2"), of_acme("a3"), of_acme("a4")});
  LookFor::Side side = acme_at_a(n[2], n[3], {n[0], n[1], n[2]});
  side.rows_max = 2;
  const Found found = look_aside(store(), {side});
  EXPECT_EQ(names(found.sides.at(0).rows), Names({"a1", "a2"}));
  EXPECT_EQ(found.sides.at(0).unread, Numbers({n[2]}));
  EXPECT_EQ(found.sides.at(0).looked_to, n[2]) << "while numbers are unread, nothing beyond is read";
  EXPECT_TRUE(found.is_more);
}

TEST_P(StoreSuite, ASideLaneWithoutRoomReadsNothing) {
  const auto n = enqueue_all({of_acme("a1"), of_acme("a2")});
  LookFor::Side side = acme_at_a(n[0], n[1], {n[0]});
  side.rows_max = 0;
  const Found found = look_aside(store(), {side});
  EXPECT_TRUE(found.sides.at(0).rows.empty());
  EXPECT_EQ(found.sides.at(0).looked_to, n[0]);
  EXPECT_EQ(found.sides.at(0).unread, Numbers({n[0]}));
}

TEST_P(StoreSuite, EachSideLaneHasItsOwnLimitsAndItsOwnAnswer) {
  const auto n = enqueue_all({of_acme("a1"), a_message("b1").of_tenant("b"), of_acme("a2"),
                              a_message("b2").of_tenant("b"), a_message("b3").of_tenant("b")});
  LookFor::Side first = acme_at_a(0, n[4]);
  first.rows_max = 1;
  LookFor::Side second = acme_at_a(n[1], n[4]);
  second.filter.scope->tenant_id = "b";
  LookFor::Side third = acme_at_a(0, n[1]);
  const Found found = look_aside(store(), {first, second, third});
  ASSERT_EQ(found.sides.size(), 3U);
  EXPECT_EQ(names(found.sides[0].rows), Names({"a1"}));
  EXPECT_EQ(names(found.sides[1].rows), Names({"b2", "b3"}));
  EXPECT_EQ(names(found.sides[2].rows), Names({"a1"}));
  EXPECT_EQ(found.sides[1].looked_to, n[4]);
  EXPECT_EQ(found.sides[2].looked_to, n[1]);
}

TEST_P(StoreSuite, ASideLaneLeavesWhatALaneInsideItCarries) {
  const auto n = enqueue_all({of_acme("k1").with_key("k"), of_acme("l1").with_key("l"), of_acme("free")});
  LookFor::Side side = acme_at_a(0, n[2]);
  side.filter.elsewhere = {{.destination = "fn:a", .tenant_id = "acme", .dispatch_key = "k"}};
  EXPECT_EQ(names(look_aside(store(), {side}).sides.at(0).rows), Names({"l1", "free"}));
}

TEST_P(StoreSuite, MainAndSideLanesShareTheLogAmongThem) {  // I1: each delivery is carried by exactly one of them.
  const auto n =
      enqueue_all({of_acme("a1"), a_message("m1"), of_acme("nowhere").with_topic("x"), of_acme("a2"), a_message("m2")});
  LookFor wanted = all_beyond(0);
  wanted.filter = Filter{.routes = {{"orders.*", "fn:a"}}, .elsewhere = {{.destination = "fn:a", .tenant_id = "acme"}}};
  wanted.sides = {acme_at_a(0, n[4])};
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), Names({"m1", "nowhere", "m2"}));
  EXPECT_EQ(names(found.sides.at(0).rows), Names({"a1", "a2"}));
}

TEST_P(StoreSuite, AReplayOfHistoryLeavesOutWhatIsParkedAndNotDone) {
  const auto n = enqueue_all({of_acme("done"), of_acme("waits"), of_acme("held"), of_acme("dead"), of_acme("set aside"),
                              of_acme("plain"), of_acme("dead elsewhere")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[6]},
                .parked = {a_parked(n[0]).done(), a_parked(n[1]).waiting_until(clock().now()), a_parked(n[2]).held(),
                           a_parked(n[3]).dead(), a_parked(n[4]).quarantined(), a_parked(n[6], "fn:b").dead()}});
  LookFor::Side side = acme_at_a(0, n[6]);
  EXPECT_EQ(look_aside(store(), {side}).sides.at(0).rows.size(), 7U);
  side.filter.is_history = true;
  EXPECT_EQ(names(look_aside(store(), {side}).sides.at(0).rows), Names({"done", "plain", "dead elsewhere"}));
}

TEST_P(StoreSuite, WhatAReplayOfHistoryLeavesOutIsPassed) {  // I10
  const auto n = enqueue_all({of_acme("d1"), of_acme("d2"), of_acme("d3"), of_acme("plain")});
  take().commit(
      {.position = {.reached = n[3]}, .parked = {a_parked(n[0]).dead(), a_parked(n[1]).dead(), a_parked(n[2]).dead()}});
  LookFor::Side side = acme_at_a(0, n[3]);
  side.filter.is_history = true;
  side.passed_max = 2;
  EXPECT_EQ(look_aside(store(), {side}).sides.at(0).looked_to, n[1]);
}

TEST_P(StoreSuite, ALookAtALogThatIsNotReadStillAnswersForEachSideLane) {
  const Sequence last = enqueue(of_acme("a1"));
  take().commit({.position = {.reached = last + 100}});
  LookFor wanted = all_beyond(last + 100);
  wanted.sides = {acme_at_a(last + 50, last + 100), acme_at_a(last + 60, last + 100)};
  EXPECT_EQ(value_of(store().look(wanted)).sides.size(), 2U);
}

TEST_P(StoreSuite, TheNextTakerGetsTheSideLanesOfThePosition) {  // I1
  Position position{.reached = 9, .open = {7}};
  position.sides = {{.scope = {"fn:a", "acme", "k"}, .why = SideLane::Why::crowded, .reached = 5, .under_way = {2, 3}},
                    {.scope = {.destination = "fn:b", .priority = 3}, .is_paused = true, .reached = 9}};
  position.suspects = {{"fn:a", {{2, 1}, {3, 2}}}};
  position.alone = Position::Alone{.destination = "fn:a", .sequence = 3};
  take("a").commit({.position = position});
  EXPECT_EQ(take(store(), "b", "a").taken().position, position);
}

TEST_P(StoreSuite, NeverCleansWhatASideLaneHasNotReached) {  // I8
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4")});
  LaneOwner owner = take();
  Position position{.reached = n[3]};
  position.sides = {{.scope = {.destination = "fn:a"}, .reached = n[2], .under_way = {n[1]}}};
  owner.commit({.position = position});
  clock().advance(2h);
  owner.commit({.position = position, .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 100}});
  EXPECT_EQ(log(), Names({"m2", "m3", "m4"}));
}

}  // namespace makegood::conformance
