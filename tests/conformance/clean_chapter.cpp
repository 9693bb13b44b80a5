// The cleaner: below every hole, by the clock of turns, in small steps, and never what is still needed (I8).
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Names = std::vector<std::string>;

constexpr Clean after_an_hour{.retention = 1h, .dead_retention = {}, .rows_max = 100};
constexpr Duration more_than_an_hour = 1h + 1s;

NewRequest replay_of(Sequence sequence) {
  return {.kind = RequestKind::replay, .sequence = sequence, .destination = "fn:a", .operator_name = "ann"};
}

}  // namespace

TEST_P(StoreSuite, CleansWhatWasSettledLongAgo) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[1]}});
  clock().advance(more_than_an_hour);
  EXPECT_EQ(owner.commit({.position = {.reached = n[1]}, .clean = after_an_hour}).cleaned, 2U);
  EXPECT_TRUE(log().empty());
}

TEST_P(StoreSuite, CleansOnlyWhenAsked) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = sequence}});
  clock().advance(1000h);
  EXPECT_EQ(owner.commit({.position = {.reached = sequence}}).cleaned, 0U);
  EXPECT_EQ(log(), Names({"m1"}));
}

TEST_P(StoreSuite, GoesByTheClockOfTurnsNotByTheAgeOfTheRow) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  clock().advance(1000h);
  owner.commit({.position = {.reached = sequence}});  // Delivered only now.
  clock().advance(30min);
  EXPECT_EQ(owner.commit({.position = {.reached = sequence}, .clean = after_an_hour}).cleaned, 0U);
  EXPECT_EQ(log(), Names({"m1"}));
  clock().advance(more_than_an_hour);
  EXPECT_EQ(owner.commit({.position = {.reached = sequence}, .clean = after_an_hour}).cleaned, 1U);
}

TEST_P(StoreSuite, CleansOnlyAsFarAsAnOldTurnHadSettled) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[0]}});
  clock().advance(50min);
  owner.commit({.position = {.reached = n[1]}});
  clock().advance(20min);
  owner.commit({.position = {.reached = n[2]}, .clean = after_an_hour});
  EXPECT_EQ(log(), Names({"m2", "m3"}));
}

TEST_P(StoreSuite, NeverCleansAboveAHole) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4")});
  LaneOwner owner = take();
  const Position with_a_hole{.reached = n[3], .open = {}, .under_way = {{"fn:a", {n[1]}}}};
  owner.commit({.position = with_a_hole});
  clock().advance(more_than_an_hour);
  owner.commit({.position = with_a_hole, .clean = after_an_hour});
  EXPECT_EQ(log(), Names({"m2", "m3", "m4"}));
}

TEST_P(StoreSuite, NeverCleansAboveAnOpenNumber) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LaneOwner owner = take();
  const Position with_an_open_number{.reached = n[2], .open = {n[1]}};
  owner.commit({.position = with_an_open_number});
  clock().advance(more_than_an_hour);
  owner.commit({.position = with_an_open_number, .clean = after_an_hour});
  EXPECT_EQ(log(), Names({"m2", "m3"}));
}

TEST_P(StoreSuite,
       NeverCleansAboveThePositionOfItsOwnTurn) {  // After a rewind old turns had settled more than this one.
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[1]}});
  clock().advance(more_than_an_hour);
  owner.commit({.position = {.reached = n[0]}, .clean = after_an_hour});
  EXPECT_EQ(log(), Names({"m2"}));
}

TEST_P(StoreSuite, CleansInBoundedStepsFromTheLowEnd) {
  std::vector<NewMessage> messages;
  messages.reserve(10);
  for (int number = 0; number < 10; ++number) messages.push_back(a_message("m" + std::to_string(number)));
  const Sequence last = value_of(store().enqueue(messages)).back().sequence;
  LaneOwner owner = take();
  owner.commit({.position = {.reached = last}});
  clock().advance(more_than_an_hour);
  const Said step{.position = {.reached = last}, .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 4}};
  EXPECT_EQ(owner.commit(step).cleaned, 4U);
  EXPECT_EQ(log(), Names({"m4", "m5", "m6", "m7", "m8", "m9"}));
  EXPECT_EQ(owner.commit(step).cleaned, 4U);
  EXPECT_EQ(owner.commit(step).cleaned, 2U);
  EXPECT_EQ(owner.commit(step).cleaned, 0U);
  EXPECT_TRUE(log().empty());
}

TEST_P(StoreSuite, KeepsWhatAParkedDeliveryNeeds) {  // I1, I9
  const auto n = enqueue_all(
      {a_message("waits"), a_message("held"), a_message("dead"), a_message("set aside"), a_message("delivered")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[4]},
                .parked = {a_parked(n[0]).waiting_until(clock().now() + 3h), a_parked(n[1]).held(),
                           a_parked(n[2]).dead(), a_parked(n[3]).quarantined()}});
  clock().advance(more_than_an_hour);
  owner.commit({.position = {.reached = n[4]}, .clean = after_an_hour});
  EXPECT_TRUE(log().empty());

  const auto operators = view();
  EXPECT_EQ(value_of(operators->list_dead({}, {}, 100)).size(), 2U);
  EXPECT_EQ(value_of(operators->inspect("", n[2], "fn:a")).event_id, event_id_for("dead"));
  clock().advance(3h);
  EXPECT_EQ(names(owner.due("fn:a")), Names({"waits"}));
  owner.commit({.position = {.reached = n[4]},
                .parked = {a_parked(n[1]).waiting_until(clock().now()), a_parked(n[2]).waiting_until(clock().now()),
                           a_parked(n[3]).waiting_until(clock().now())}});
  EXPECT_EQ(owner.due("fn:a").size(), 4U);
}

TEST_P(StoreSuite, KeepsAMessageWhileOneOfItsDestinationsNeedsIt) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit(
      {.position = {.reached = sequence},
       .parked = {a_parked(sequence, "fn:a").done(), a_parked(sequence, "fn:b").waiting_until(clock().now())}});
  clock().advance(more_than_an_hour);
  owner.commit({.position = {.reached = sequence}, .clean = after_an_hour});
  EXPECT_EQ(names(owner.due("fn:b")), Names({"m1"}));
}

TEST_P(StoreSuite, KeepsEveryFieldOfWhatItKeeps) {  // I9
  const std::string body("\0\x01\xff", 3);
  const Sequence sequence =
      enqueue(a_message("m1").with_body(body).with_key("k").of_tenant("acme").with_header("h", "v"));
  const auto before = value_of(store().look(all_beyond(0))).rows.at(0);
  LaneOwner owner = take();
  owner.commit({.position = {.reached = sequence},
                .parked = {a_parked(sequence).of_tenant("acme").with_key("k").waiting_until(clock().now())}});
  clock().advance(more_than_an_hour);
  ASSERT_EQ(owner.commit({.position = {.reached = sequence}, .clean = after_an_hour}).cleaned, 1U);
  const auto due = owner.due("fn:a");
  ASSERT_EQ(due.size(), 1U);
  const Message& after = *due[0].message;
  EXPECT_EQ(after.sequence, before->sequence);
  EXPECT_EQ(after.event_id, before->event_id);
  EXPECT_EQ(after.tenant_id, before->tenant_id);
  EXPECT_EQ(after.topic, before->topic);
  EXPECT_EQ(after.dispatch_key, before->dispatch_key);
  EXPECT_EQ(after.content, before->content);
  EXPECT_EQ(after.is_json, before->is_json);
  EXPECT_EQ(after.content_type, before->content_type);
  EXPECT_EQ(after.headers, before->headers);
  EXPECT_EQ(after.created_at, before->created_at);
  EXPECT_EQ(after.available_at, before->available_at);
}

TEST_P(StoreSuite, KeepsDeadLettersForEverByDefault) {  // I7
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = sequence}, .parked = {a_parked(sequence).dead()}});
  for (int step = 0; step < 3; ++step) {
    clock().advance(10'000h);
    owner.commit({.position = {.reached = sequence}, .clean = after_an_hour});
  }
  EXPECT_TRUE(view()->inspect("", sequence, "fn:a"));
}

TEST_P(StoreSuite, DropsDeadLettersAfterTheirOwnRetention) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = sequence}, .parked = {a_parked(sequence).dead()}});
  const Said step{.position = {.reached = sequence},
                  .clean = Clean{.retention = 1h, .dead_retention = 24h, .rows_max = 100}};
  clock().advance(23h);
  owner.commit(step);
  EXPECT_EQ(value_of(view()->list_dead({}, {}, 100)).size(), 1U);
  clock().advance(2h);
  owner.commit(step);
  EXPECT_TRUE(value_of(view()->list_dead({}, {}, 100)).empty());
  EXPECT_EQ(code_of(view()->inspect("", sequence, "fn:a")), Errc::not_found);
}

TEST_P(StoreSuite, NeverDropsWhatWaitsAsADeadLetter) {  // I1
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = sequence}, .parked = {a_parked(sequence).waiting_until(clock().now())}});
  clock().advance(1000h);
  owner.commit(
      {.position = {.reached = sequence}, .clean = Clean{.retention = 1h, .dead_retention = 1h, .rows_max = 100}});
  EXPECT_EQ(names(owner.due("fn:a")), Names({"m1"}));
}

TEST_P(StoreSuite, NeverDeletesTheLastTurn) {  // I3: the chain would break and the position be lost.
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take("a");
  const Position position{.reached = sequence};
  for (int step = 0; step < 5; ++step) {
    clock().advance(1000h);
    owner.commit({.position = position, .clean = after_an_hour});
  }
  clock().advance(1000h);
  ASSERT_TRUE(owner.try_commit({.position = position}));
  EXPECT_EQ(take(store(), "b", "a").taken().position, position);
}

TEST_P(StoreSuite, KeepsCountingTurnsAndNumbersAfterCleaning) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = sequence}});
  clock().advance(more_than_an_hour);
  const TurnNumber before = owner.turn();
  owner.commit({.position = {.reached = sequence}, .clean = after_an_hour});
  EXPECT_GT(owner.turn(), before);
  EXPECT_EQ(value_of(store().look(all_beyond(sequence))).counter, sequence);
  EXPECT_GT(enqueue(a_message("m2")), sequence) << "a number is never drawn twice";
}

TEST_P(StoreSuite, AnEventIdMayBeUsedAgainWhenItsRowIsGone) {
  const Sequence first = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = first}});
  clock().advance(more_than_an_hour);
  owner.commit({.position = {.reached = first}, .clean = after_an_hour});
  const NewMessage again = a_message("m1").with_payload("\"other\"");
  const Enqueued second = value_of(store().enqueue({&again, 1})).at(0);
  EXPECT_FALSE(second.was_there);
  EXPECT_GT(second.sequence, first);
}

TEST_P(StoreSuite, CleansRequestsThatWereAnsweredLongAgo) {
  const auto operators = view();
  const auto ask = [&] { return value_of(operators->request(replay_of(1))); };
  LaneOwner owner = take();
  const std::int64_t open = ask();
  const std::int64_t old = ask();
  owner.commit({.answers = {{.id = old, .result = "done"}}});
  clock().advance(more_than_an_hour);
  const std::int64_t recent = ask();
  owner.commit({.answers = {{.id = recent, .result = "done"}}, .clean = after_an_hour});
  EXPECT_EQ(code_of(operators->answer_to(old)), Errc::not_found);
  EXPECT_EQ(value_of(operators->answer_to(recent)), "done");
  EXPECT_EQ(value_of(operators->answer_to(open)), std::nullopt);
}

TEST_P(StoreSuite, CleansRequestsInSmallSteps) {
  const auto operators = view();
  LaneOwner owner = take();
  for (int i = 0; i < 5; ++i) {
    const std::int64_t id = value_of(operators->request(replay_of(1)));
    owner.commit({.answers = {{.id = id, .result = "done"}}});
  }
  clock().advance(more_than_an_hour);
  const auto left_after_a_step = [&] {
    owner.commit({.clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 2}});
    return value_of(view()->list_requests({}, 100)).size();
  };
  EXPECT_EQ(left_after_a_step(), 3U);
  EXPECT_EQ(left_after_a_step(), 1U);
  EXPECT_EQ(left_after_a_step(), 0U);
}

}  // namespace makegood::conformance
