// Parked deliveries: what could not be delivered at once is kept with its attempts, and comes back when it is due.
#include <algorithm>

#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Names = std::vector<std::string>;

void expect_same(const Parked& got, const Parked& wanted) {
  EXPECT_EQ(got.sequence, wanted.sequence);
  EXPECT_EQ(got.destination, wanted.destination);
  EXPECT_EQ(got.tenant_id, wanted.tenant_id);
  EXPECT_EQ(got.dispatch_key, wanted.dispatch_key);
  EXPECT_EQ(got.state, wanted.state);
  EXPECT_EQ(got.blocks, wanted.blocks);
  EXPECT_EQ(got.attempts, wanted.attempts);
  EXPECT_EQ(got.answered, wanted.answered);
  EXPECT_EQ(got.deaths, wanted.deaths);
  EXPECT_EQ(got.replay, wanted.replay);
  EXPECT_EQ(got.due_at, wanted.due_at);
  EXPECT_EQ(got.error_code, wanted.error_code);
  EXPECT_EQ(got.last_error, wanted.last_error);
}

/// The moment in whole milliseconds, as stores keep it.
TimePoint whole(TimePoint moment) { return from_milliseconds(to_milliseconds(moment)); }

}  // namespace

TEST_P(StoreSuite, GivesEveryFieldOfAParkedDeliveryBack) {
  const Sequence sequence = enqueue(a_message("m1").of_tenant("acme").with_key("k"));
  LaneOwner owner = take();
  const Parked parked = a_parked(sequence)
                            .of_tenant("acme")
                            .with_key("k")
                            .waiting_until(whole(clock().now()))
                            .blocking()
                            .after_attempts(3)
                            .answered(2)
                            .after_deaths(2)
                            .of_replay(9'000'000'000)
                            .with_error("TX.TIMEOUT", "no answer within 30 s; größe 🚚");
  owner.commit({.parked = {{.row = parked}}});
  const auto due = owner.due("fn:a");
  ASSERT_EQ(due.size(), 1U);
  expect_same(due[0].parked, parked);
  EXPECT_EQ(name_of(*due[0].message), "m1");
  EXPECT_EQ(due[0].message->sequence, sequence);
}

TEST_P(StoreSuite, KeepsEveryStateApart) {  // I7
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4"), a_message("m5")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[4]},
                .parked = {a_parked(n[0]).waiting_until(clock().now()), a_parked(n[1]).held(), a_parked(n[2]).dead(),
                           a_parked(n[3]).quarantined(), a_parked(n[4]).done()}});
  EXPECT_EQ(names(owner.due("fn:a")), Names({"m1"}));
  const auto letters = value_of(view()->list_dead({}, {}, 100));
  ASSERT_EQ(letters.size(), 2U);
  EXPECT_EQ(letters[0].parked.state, ParkedState::dead);
  EXPECT_EQ(letters[1].parked.state, ParkedState::quarantined);
}

TEST_P(StoreSuite, OneRowPerMessageAndDestination) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.parked = {a_parked(sequence, "fn:a").waiting_until(clock().now()),
                           a_parked(sequence, "fn:b").waiting_until(clock().now())}});
  owner.commit({.parked = {a_parked(sequence, "fn:a").dead().after_attempts(5)}});
  EXPECT_TRUE(owner.due("fn:a").empty());
  EXPECT_EQ(owner.due("fn:b").size(), 1U);
  const auto letters = value_of(view()->list_dead({}, {}, 100));
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_EQ(letters[0].parked.attempts, 5U);
}

TEST_P(StoreSuite, AReplayedDeliveryBeginsWithoutAnError) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = sequence},
                .parked = {a_parked(sequence).dead().after_attempts(5).with_error("TX.TIMEOUT", "no answer")}});
  owner.commit({.position = {.reached = sequence},
                .parked = {a_parked(sequence)
                               .waiting_until(clock().now())
                               .noting({.attempt = 0, .at = clock().now(), .outcome = "replayed", .owner = "a"})}});
  const auto due = owner.due("fn:a");
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].parked.error_code, "");
  EXPECT_EQ(due[0].parked.last_error, "");
  EXPECT_EQ(value_of(view()->story(sequence)).summary.last_error, "");
}

TEST_P(StoreSuite, ADeliveryThatArrivedShowsNoErrorAndKeepsItsStory) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = sequence},
                .parked = {a_parked(sequence)
                               .waiting_until(clock().now())
                               .after_attempts(1)
                               .with_error("TX.TIMEOUT", "no answer")
                               .noting({.attempt = 1,
                                        .at = clock().now(),
                                        .outcome = "retry",
                                        .code = "TX.TIMEOUT",
                                        .error = "no answer",
                                        .owner = "a"})}});
  EXPECT_EQ(value_of(view()->story(sequence)).summary.last_error, "no answer");
  owner.commit({.position = {.reached = sequence}, .parked = {a_parked(sequence).done().after_attempts(2)}});
  const MessageView arrived = value_of(view()->story(sequence));
  EXPECT_EQ(arrived.summary.last_error, "");
  ASSERT_EQ(arrived.deliveries.size(), 1U);
  EXPECT_EQ(arrived.deliveries[0].error_code, "");
  EXPECT_EQ(arrived.deliveries[0].last_error, "");
  ASSERT_FALSE(arrived.deliveries[0].story.empty());
  EXPECT_EQ(arrived.deliveries[0].story[0].error, "no answer");
  EXPECT_EQ(value_of(view()->list({}, std::nullopt, 10)).messages.at(0).last_error, "");
}

TEST_P(StoreSuite, AChangedDueTimeReplacesTheOld) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.parked = {a_parked(sequence).waiting_until(clock().now())}});
  owner.commit({.parked = {a_parked(sequence).waiting_until(clock().now() + 5s)}});
  EXPECT_TRUE(owner.due("fn:a").empty());
  clock().advance(5s);
  EXPECT_EQ(owner.due("fn:a").size(), 1U);
}

TEST_P(StoreSuite, AChangeWithoutAnErrorLeavesTheLastErrorStanding) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.parked = {a_parked(sequence).waiting_until(clock().now()).with_error("TX.TIMEOUT", "no answer")}});
  owner.commit({.parked = {a_parked(sequence).waiting_until(clock().now()).after_attempts(2)}});
  auto due = owner.due("fn:a");
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].parked.attempts, 2U);
  EXPECT_EQ(due[0].parked.error_code, "TX.TIMEOUT");
  EXPECT_EQ(due[0].parked.last_error, "no answer");

  owner.commit({.parked = {a_parked(sequence).waiting_until(clock().now()).with_error("TX.REJECTED", "")}});
  due = owner.due("fn:a");
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].parked.error_code, "TX.REJECTED");
  EXPECT_EQ(due[0].parked.last_error, "") << "a new code never keeps an old text";
}

TEST_P(StoreSuite, ADeliveryIsDueAtItsTimeAndNotBefore) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.parked = {a_parked(sequence).waiting_until(whole(clock().now()) + 3s)}});
  clock().advance(3s - 2ms);
  EXPECT_TRUE(owner.due("fn:a").empty());
  clock().advance(2ms);
  EXPECT_EQ(owner.due("fn:a").size(), 1U);
}

TEST_P(StoreSuite, RetriesFollowAClockThatIsSetBack) {
  const auto n = enqueue_all({a_message("retry"), a_message("due"), a_message("later")});
  LaneOwner owner = take();
  const TimePoint now = whole(clock().now());
  owner.commit({.position = {.reached = n[2], .clock = now},
                .parked = {a_parked(n[0]).waiting_until(now + 3s).after_attempts(1),
                           a_parked(n[1]).waiting_until(now).after_attempts(0),
                           a_parked(n[2]).waiting_until(now + 3s).after_attempts(0)}});
  clock().shift_wall(-1h);
  EXPECT_TRUE(owner.due("fn:a").empty());
  owner.commit({.position = {.reached = n[2], .clock = now - 1h}, .set_back = 1h});
  EXPECT_EQ(names(owner.due("fn:a")), Names({"due"}));
  clock().advance(3s);
  EXPECT_EQ(names(owner.due("fn:a")), Names({"due", "retry"})) << "a message for later waits for its time";
}

TEST_P(StoreSuite, WhatATurnParksIsNotMovedWithTheClockThatItHasFound) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  clock().shift_wall(-1h);
  const TimePoint now = whole(clock().now());
  owner.commit({.position = {.reached = sequence, .clock = now},
                .parked = {a_parked(sequence).waiting_until(now + 3s).after_attempts(1)},
                .set_back = 1h});
  EXPECT_TRUE(owner.due("fn:a").empty());
  clock().advance(3s);
  EXPECT_EQ(owner.due("fn:a").size(), 1U);
}

TEST_P(StoreSuite, ShowsWhatIsDueInOrder) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4")});
  LaneOwner owner = take();
  const TimePoint now = clock().now();
  owner.commit({.position = {.reached = n[3]},
                .parked = {a_parked(n[0]).waiting_until(now - 1s), a_parked(n[1]).waiting_until(now - 3s),
                           a_parked(n[3]).waiting_until(now - 2s), a_parked(n[2]).waiting_until(now - 2s)}});
  EXPECT_EQ(names(owner.due("fn:a")), Names({"m2", "m3", "m4", "m1"}));
}

TEST_P(StoreSuite, ShowsOnlyTheDestinationsAskedFor) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  for (const char* destination : {"fn:a", "fn:b", "fn:c"}) {
    owner.commit({.parked = {a_parked(sequence, destination).waiting_until(clock().now())}});
  }
  const Found found = owner.look({.owner = {}, .due = {{"fn:c", 10}, {"fn:a", 10}}});
  ASSERT_EQ(found.due.size(), 2U);
  for (const DueDelivery& due : found.due) EXPECT_NE(due.parked.destination, "fn:b");
  EXPECT_TRUE(owner.look({.owner = {}}).due.empty());
}

TEST_P(StoreSuite, LimitsWhatIsDuePerDestination) {  // I10
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LaneOwner owner = take();
  const TimePoint now = whole(clock().now());
  Said said{.position = {.reached = n[2]}};
  for (std::size_t index = 0; index < 3; ++index) {
    const TimePoint due_at = now - 10s + std::chrono::seconds(index);
    said.parked.push_back(a_parked(n[index], "fn:a").waiting_until(due_at));
    said.parked.push_back(a_parked(n[index], "fn:b").waiting_until(due_at));
  }
  owner.commit(said);
  const Found found = owner.look({.owner = {}, .due = {{"fn:a", 2}, {"fn:b", 1}}});
  EXPECT_EQ(std::ranges::count(found.due, "fn:a", [](const DueDelivery& due) { return due.parked.destination; }), 2);
  EXPECT_EQ(std::ranges::count(found.due, "fn:b", [](const DueDelivery& due) { return due.parked.destination; }), 1);
  EXPECT_TRUE(found.is_more);
}

TEST_P(StoreSuite, TellsTheEarliestThatItDidNotReturn) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LaneOwner owner = take();
  const TimePoint now = whole(clock().now());
  owner.commit({.position = {.reached = n[2]},
                .parked = {a_parked(n[0], "fn:a").waiting_until(now), a_parked(n[1], "fn:a").waiting_until(now + 4s),
                           a_parked(n[2], "fn:a").waiting_until(now + 9s), a_parked(n[0], "fn:b").waiting_until(now)}});
  const Found found = owner.look({.owner = {}, .due = {{"fn:a", 10}, {"fn:b", 10}}});
  EXPECT_EQ(found.due.size(), 2U);
  ASSERT_EQ(found.next_due.size(), 1U) << "nothing is left at fn:b";
  EXPECT_EQ(found.next_due[0].destination, "fn:a");
  EXPECT_EQ(found.next_due[0].due_at, now + 4s);
}

TEST_P(StoreSuite, TellsOfWhatIsDueButDidNotFit) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  const TimePoint now = whole(clock().now());
  owner.commit({.position = {.reached = n[1]},
                .parked = {a_parked(n[0]).waiting_until(now - 2s), a_parked(n[1]).waiting_until(now - 1s)}});
  const Found found = owner.look({.owner = {}, .due = {{"fn:a", 1}}});
  EXPECT_EQ(names(found.due), Names({"m1"}));
  ASSERT_EQ(found.next_due.size(), 1U);
  EXPECT_EQ(found.next_due[0].due_at, now - 1s);
}

TEST_P(StoreSuite, HidesWhatIsUnderWayFromItsOwner) {  // I6: it would be sent twice.
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[1]},
                .parked = {a_parked(n[0]).waiting_until(clock().now()).under_way().after_attempts(2),
                           a_parked(n[1]).waiting_until(clock().now())}});
  const Found found = owner.look({.owner = {}, .due = {{"fn:a", 10}}});
  EXPECT_EQ(names(found.due), Names({"m2"}));
  EXPECT_TRUE(found.next_due.empty()) << "what is in hand is not waited for";
}

TEST_P(StoreSuite, ShowsWhatWasUnderWayToTheNextOwner) {  // I1, I6: with the attempt that was counted.
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take("a");
  owner.commit({.position = {.reached = sequence},
                .parked = {a_parked(sequence).waiting_until(clock().now()).under_way().after_attempts(2)}});
  const LaneOwner next = take(store(), "b", "a");
  ASSERT_EQ(next.taken().next_due.size(), 1U);
  const auto due = next.due("fn:a");
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].parked.attempts, 2U);
  EXPECT_TRUE(due[0].parked.under_way);
}

TEST_P(StoreSuite, KeepsTheErrorWhenATurnBringsNone) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take("a");
  const auto waits = a_parked(sequence).waiting_until(clock().now());
  owner.commit({.position = {.reached = sequence}, .parked = {a_parked(sequence).with_error("NO", "Not now.")}});
  owner.commit({.position = {.reached = sequence}, .parked = {waits}});
  const auto due = owner.due("fn:a");
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].parked.error_code, "NO");
  EXPECT_EQ(due[0].parked.last_error, "Not now.");
}

TEST_P(StoreSuite, ShowsItAgainWhenItIsNoLongerUnderWay) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take("a");
  owner.commit({.parked = {a_parked(sequence).waiting_until(clock().now()).under_way()}});
  owner.commit({.parked = {a_parked(sequence).waiting_until(clock().now())}});
  EXPECT_EQ(owner.due("fn:a").size(), 1U);
}

TEST_P(StoreSuite, HandsWhatBlocksItsKeyToTheNextTaker) {  // I4
  const auto n = enqueue_all({a_message("m1").with_key("k"), a_message("m2").with_key("k"),
                              a_message("m3").with_key("x"), a_message("m4").with_key("y"), a_message("m5")});
  LaneOwner owner = take("a");
  const Parked head =
      a_parked(n[0]).with_key("k").waiting_until(whole(clock().now()) + 5s).blocking().after_attempts(1);
  const Parked held = a_parked(n[1]).with_key("k").held().blocking();
  const Parked dead = a_parked(n[2]).with_key("x").dead().blocking();
  owner.commit({.position = {.reached = n[4]},
                .parked = {{.row = held},
                           {.row = head},
                           {.row = dead},
                           a_parked(n[3]).with_key("y").dead(),
                           a_parked(n[4]).waiting_until(clock().now() + 9s)}});
  auto blocking = take(store(), "b", "a").taken().blocking;
  std::ranges::sort(blocking, {}, &Parked::sequence);
  ASSERT_EQ(blocking.size(), 3U);
  expect_same(blocking[0], head);
  expect_same(blocking[1], held);
  expect_same(blocking[2], dead);
}

TEST_P(StoreSuite, WhatNoLongerBlocksIsNotHandedOver) {  // I4
  const Sequence sequence = enqueue(a_message("m1").with_key("k"));
  LaneOwner owner = take("a");
  owner.commit({.parked = {a_parked(sequence).with_key("k").waiting_until(clock().now()).blocking()}});
  owner.commit({.parked = {a_parked(sequence).with_key("k").done()}});
  EXPECT_TRUE(take(store(), "b", "a").taken().blocking.empty());
}

TEST_P(StoreSuite, HandsTheEarliestDueOfEachDestinationToATaker) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LaneOwner owner = take("a");
  const TimePoint now = whole(clock().now());
  owner.commit(
      {.position = {.reached = n[2]},
       .parked = {a_parked(n[0], "fn:a").waiting_until(now + 8s), a_parked(n[1], "fn:a").waiting_until(now + 2s),
                  a_parked(n[2], "fn:b").waiting_until(now - 1h), a_parked(n[2], "fn:c").dead(),
                  a_parked(n[2], "fn:d").held()}});
  auto next_due = take(store(), "b", "a").taken().next_due;
  std::ranges::sort(next_due, {}, &NextDue::destination);
  ASSERT_EQ(next_due.size(), 2U);
  EXPECT_EQ(next_due[0].destination, "fn:a");
  EXPECT_EQ(next_due[0].due_at, now + 2s);
  EXPECT_EQ(next_due[1].destination, "fn:b");
  EXPECT_EQ(next_due[1].due_at, now - 1h);
}

TEST_P(StoreSuite, DeliversTheExactBytesOfAParkedMessage) {  // I9
  const std::string body("\0\xff{\"", 4);
  const Sequence sequence = enqueue(a_message("m1").with_body(body).with_header("h", "v"));
  LaneOwner owner = take();
  owner.commit({.parked = {a_parked(sequence).waiting_until(clock().now())}});
  const auto due = owner.due("fn:a");
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].message->content, body);
  EXPECT_FALSE(due[0].message->is_json);
  EXPECT_EQ(due[0].message->topic, "orders.placed");
  EXPECT_FALSE(due[0].message->headers.empty());
}

TEST_P(StoreSuite, LeavesOutWhatIsDueForSomeTenants) {  // They are paused, and hold nobody up.
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4"), a_message("m5")});
  LaneOwner owner = take();
  const TimePoint now = whole(clock().now());
  owner.commit({.position = {.reached = n[4]},
                .parked = {a_parked(n[0]).of_tenant("acme").waiting_until(now - 5s),
                           a_parked(n[1]).of_tenant("b").waiting_until(now - 4s),
                           a_parked(n[2]).of_tenant("acme").waiting_until(now + 1s),
                           a_parked(n[3]).of_tenant("c").waiting_until(now - 3s),
                           a_parked(n[4]).of_tenant("d").waiting_until(now + 2s)}});
  Found found = owner.look({.owner = {}, .reached = n.back(), .due = {{"fn:a", 10, {"acme", "c"}}}});
  EXPECT_EQ(names(found.due), Names({"m2"}));
  ASSERT_EQ(found.next_due.size(), 1U);
  EXPECT_EQ(found.next_due[0].due_at, now + 2s);
  EXPECT_FALSE(found.is_more);
  found = owner.look({.owner = {}, .reached = n.back(), .due = {{"fn:a", 10, {"acme", "b", "c", "d"}}}});
  EXPECT_TRUE(found.due.empty());
  EXPECT_TRUE(found.next_due.empty());
}

TEST_P(StoreSuite, LeavesOutWhatIsUnderWayBesideTheTenants) {  // I6
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[2]},
                .parked = {a_parked(n[0]).of_tenant("b").waiting_until(clock().now()).under_way(),
                           a_parked(n[1]).of_tenant("acme").waiting_until(clock().now()),
                           a_parked(n[2]).of_tenant("b").waiting_until(clock().now())}});
  const Found found = owner.look({.owner = {}, .reached = n.back(), .due = {{"fn:a", 10, {"acme"}}}});
  EXPECT_EQ(names(found.due), Names({"m3"}));
}

TEST_P(StoreSuite, TheLimitOfWhatIsDueDoesNotCountTheTenantsLeftOut) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LaneOwner owner = take();
  const TimePoint now = clock().now();
  owner.commit({.position = {.reached = n[2]},
                .parked = {a_parked(n[0]).of_tenant("acme").waiting_until(now - 3s),
                           a_parked(n[1]).waiting_until(now - 2s), a_parked(n[2]).waiting_until(now - 1s)}});
  const Found found = owner.look({.owner = {}, .reached = n.back(), .due = {{"fn:a", 1, {"acme"}}}});
  EXPECT_EQ(names(found.due), Names({"m2"}));
  EXPECT_TRUE(found.is_more);
}

TEST_P(StoreSuite, TellsATakerHowManyAreWaitingOrHeld) {  // Delayed, dead and ended ones do not count.
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4")});
  LaneOwner owner = take("a");
  const TimePoint later = clock().now() + 1h;
  owner.commit({.position = {.reached = n[3]},
                .parked = {a_parked(n[0], "fn:a").waiting_until(later).after_attempts(1), a_parked(n[1], "fn:a").held(),
                           a_parked(n[2], "fn:a").waiting_until(later), a_parked(n[3], "fn:a").dead().after_attempts(9),
                           a_parked(n[0], "fn:b").held().after_attempts(2), a_parked(n[1], "fn:c").waiting_until(later),
                           a_parked(n[1], "fn:d").done().after_attempts(2),
                           a_parked(n[2], "fn:d").quarantined().after_attempts(1)}});
  auto counts = take(store(), "b", "a").taken().parked_counts;
  std::ranges::sort(counts, {}, &ParkedCount::destination);
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].destination, "fn:a");
  EXPECT_EQ(counts[0].count, 2U);
  EXPECT_EQ(counts[1].destination, "fn:b");
  EXPECT_EQ(counts[1].count, 1U);
}

TEST_P(StoreSuite, KeepsTheDeathsOfADelivery) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.parked = {a_parked(sequence).waiting_until(clock().now())}});
  owner.commit({.parked = {a_parked(sequence).dead().after_deaths(3)}});
  EXPECT_EQ(value_of(view()->inspect("", sequence, "fn:a")).parked.deaths, 3U);
}

}  // namespace makegood::conformance
