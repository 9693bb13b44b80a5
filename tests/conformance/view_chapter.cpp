// What operators see of messages: their state, and filters that are only text.
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Numbers = std::vector<Sequence>;

Numbers found_by(OutboxView& view, const MessageFilter& filter) {
  Numbers numbers;
  for (const MessageSummary& summary : value_of(view.list(filter, {}, 100)).messages) {
    numbers.push_back(summary.sequence);
  }
  return numbers;
}

MessageSummary summary_of(OutboxView& view, Sequence sequence) {
  const auto page = value_of(view.list({}, sequence + 1, 1));
  if (page.messages.empty() || page.messages[0].sequence != sequence) throw std::runtime_error("no such message");
  return page.messages[0];
}

MessageState state_of(OutboxView& view, Sequence sequence) { return summary_of(view, sequence).state; }

Routing all_to_a() {
  return {.version = 1, .from = 0, .routes = {{"orders.*", "fn:a"}}, .destinations = {{.name = "fn:a"}}};
}

}  // namespace

TEST_P(StoreSuite, AnEmptyOutboxHasNoMessagesToShow) {
  const MessagePage page = value_of(view()->list({}, {}, 100));
  EXPECT_TRUE(page.messages.empty());
  EXPECT_FALSE(page.next);
}

TEST_P(StoreSuite, ShowsAMessageAsItWasEnqueued) {
  const TimePoint later = clock().now() + 5min;
  const Sequence sequence =
      enqueue(of_acme("m1").with_key("order-7").with_topic("orders.paid").with_priority(3).available_at(later));
  const MessageSummary summary = summary_of(*view(), sequence);
  EXPECT_EQ(summary.event_id, event_id_for("m1"));
  EXPECT_EQ(summary.tenant_id, "acme");
  EXPECT_EQ(summary.topic, "orders.paid");
  EXPECT_EQ(summary.dispatch_key, "order-7");
  EXPECT_EQ(summary.priority, 3);
  EXPECT_EQ(summary.state, MessageState::pending);
  EXPECT_EQ(summary.attempts, 0U);
  EXPECT_EQ(summary.created_at, clock().now());
  EXPECT_EQ(summary.available_at, later);
  EXPECT_FALSE(summary.published_at);
  EXPECT_EQ(summary.last_error, "");
}

TEST_P(StoreSuite, AMessageIsPendingUntilItIsReadAndDoneWhenItIsThrough) {
  const Sequence sequence = enqueue(a_message("m1"));
  const auto view = this->view();
  EXPECT_EQ(state_of(*view, sequence), MessageState::pending);
  LaneOwner owner = take();
  EXPECT_EQ(state_of(*view, sequence), MessageState::pending);
  owner.commit({.position = {.reached = sequence, .under_way = {{"fn:a", {sequence}}}}});
  EXPECT_EQ(state_of(*view, sequence), MessageState::leased);
  EXPECT_EQ(summary_of(*view, sequence).attempts, 1U);
  clock().advance(3s);
  owner.commit({.position = {.reached = sequence}});
  const TimePoint done_at = clock().now();
  clock().advance(3s);
  owner.commit({.position = {.reached = sequence}});
  const MessageSummary done = summary_of(*view, sequence);
  EXPECT_EQ(done.state, MessageState::done);
  EXPECT_EQ(done.attempts, 1U);
  EXPECT_EQ(done.published_at, done_at);
}

TEST_P(StoreSuite, TheStateOfAMessageIsThatOfItsWorstDelivery) {
  const Sequence s = enqueue(a_message("m1"));
  LaneOwner owner = take();
  const auto view = this->view();
  const auto state_with = [&](std::vector<Turn::Change> parked, Position position) {
    owner.commit({.position = std::move(position), .parked = std::move(parked)});
    return state_of(*view, s);
  };
  const Position through{.reached = s};
  EXPECT_EQ(state_with({a_parked(s, "fn:a").done()}, through), MessageState::done);
  EXPECT_EQ(state_with({a_parked(s, "fn:b").waiting_until(clock().now())}, through), MessageState::pending);
  EXPECT_EQ(state_with({a_parked(s, "fn:b").held()}, through), MessageState::pending);
  EXPECT_EQ(state_with({a_parked(s, "fn:b").waiting_until(clock().now()).under_way()}, through), MessageState::leased);
  EXPECT_EQ(state_with({a_parked(s, "fn:c").quarantined()}, through), MessageState::quarantined);
  EXPECT_EQ(state_with({a_parked(s, "fn:d").dead()}, {.reached = s, .under_way = {{"fn:e", {s}}}}), MessageState::dead);
}

TEST_P(StoreSuite, TellsAttemptsErrorAndWhenItIsDueOfAParkedMessage) {
  const Sequence sequence = enqueue(a_message("m1"));
  const TimePoint due_at = clock().now() + 30s;
  take().commit({.position = {.reached = sequence},
                 .parked = {a_parked(sequence).waiting_until(due_at).after_attempts(4).with_error("E", "refused")}});
  const MessageSummary summary = summary_of(*view(), sequence);
  EXPECT_EQ(summary.attempts, 4U);
  EXPECT_EQ(summary.last_error, "refused");
  EXPECT_EQ(summary.available_at, due_at);
  EXPECT_FALSE(summary.published_at);
}

TEST_P(StoreSuite, ARetriedMessageIsPublishedWhenItsLastDeliveryEnded) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.position = {.reached = sequence}, .parked = {a_parked(sequence).waiting_until(clock().now())}});
  clock().advance(7s);
  owner.commit({.position = {.reached = sequence}, .parked = {a_parked(sequence).done().after_attempts(2)}});
  const MessageSummary summary = summary_of(*view(), sequence);
  EXPECT_EQ(summary.state, MessageState::done);
  EXPECT_EQ(summary.published_at, clock().now());
  EXPECT_EQ(summary.attempts, 2U);
}

TEST_P(StoreSuite, WhatASideLaneHasNotReachedIsPending) {
  const auto n = enqueue_all(
      {of_acme("a1"), a_message("m1"), of_acme("a2"), of_acme("a3"), of_acme("elsewhere").with_topic("stock.low")});
  Position position{.reached = n[4]};
  position.sides = {{.scope = {.destination = "fn:a", .tenant_id = "acme"}, .reached = n[2], .under_way = {n[2]}}};
  take().commit({.position = position, .routing = all_to_a()});
  const auto view = this->view();
  EXPECT_EQ(state_of(*view, n[0]), MessageState::done);
  EXPECT_EQ(state_of(*view, n[1]), MessageState::done);
  EXPECT_EQ(state_of(*view, n[2]), MessageState::leased);
  EXPECT_EQ(state_of(*view, n[3]), MessageState::pending);
  EXPECT_EQ(state_of(*view, n[4]), MessageState::done) << "no route leads it into the side lane";
  EXPECT_EQ(found_by(*view, {.state = MessageState::pending}), Numbers({n[3]}));
}

TEST_P(StoreSuite, TheInnermostSideLaneTellsWhetherAMessageIsThrough) {
  const auto n = enqueue_all({of_acme("k").with_key("k"), of_acme("l").with_key("l")});
  Position position{.reached = n[1]};
  position.sides = {{.scope = {.destination = "fn:a"}, .reached = 0},
                    {.scope = {"fn:a", "acme", "k"}, .why = SideLane::Why::crowded, .reached = n[1]}};
  take().commit({.position = position, .routing = all_to_a()});
  EXPECT_EQ(found_by(*view(), {.state = MessageState::pending}), Numbers({n[1]}));
}

TEST_P(StoreSuite, AReplayOfHistoryChangesNoState) {
  const Sequence sequence = enqueue(a_message("m1"));
  Position position{.reached = sequence};
  position.sides = {{.scope = {.destination = "fn:a"},
                     .why = SideLane::Why::history,
                     .reached = sequence,
                     .under_way = {sequence},
                     .begin = 0,
                     .end = sequence,
                     .routing = 1}};
  take().commit({.position = position, .routing = all_to_a()});
  EXPECT_EQ(state_of(*view(), sequence), MessageState::done);
}

TEST_P(StoreSuite, EachStateIsFoundByItsFilter) {
  const auto n = enqueue_all({a_message("done"), a_message("dead"), a_message("set aside"), a_message("waits"),
                              a_message("again"), a_message("under way"), a_message("unread")});
  take().commit(
      {.position = {.reached = n[5], .under_way = {{"fn:a", {n[5]}}}},
       .parked = {a_parked(n[1]).dead(), a_parked(n[2]).quarantined(), a_parked(n[3]).waiting_until(clock().now()),
                  a_parked(n[4]).waiting_until(clock().now()).under_way()}});
  const auto view = this->view();
  EXPECT_EQ(found_by(*view, {}), Numbers({n[6], n[5], n[4], n[3], n[2], n[1], n[0]}));
  EXPECT_EQ(found_by(*view, {.state = MessageState::done}), Numbers({n[0]}));
  EXPECT_EQ(found_by(*view, {.state = MessageState::dead}), Numbers({n[1]}));
  EXPECT_EQ(found_by(*view, {.state = MessageState::quarantined}), Numbers({n[2]}));
  EXPECT_EQ(found_by(*view, {.state = MessageState::pending}), Numbers({n[6], n[3]}));
  EXPECT_EQ(found_by(*view, {.state = MessageState::leased}), Numbers({n[5], n[4]}));
}

TEST_P(StoreSuite, FiltersOfMessagesCombine) {
  const auto n = enqueue_all(
      {of_acme("a1").with_key("k").with_topic("orders.placed"), of_acme("a2").with_key("k").with_topic("orders.paid"),
       of_acme("a3").with_key("l").with_topic("orders.paid"), a_message("m1").with_key("k").with_topic("orders.paid")});
  take().commit({.position = {.reached = n[3]}, .parked = {a_parked(n[1]).dead(), a_parked(n[3]).dead()}});
  const auto view = this->view();
  EXPECT_EQ(found_by(*view, {.tenant_id = "acme"}), Numbers({n[2], n[1], n[0]}));
  EXPECT_EQ(found_by(*view, {.tenant_id = "acme", .topic = "orders.paid"}), Numbers({n[2], n[1]}));
  EXPECT_EQ(found_by(*view, {.topic = "orders.*", .dispatch_key = "k"}), Numbers({n[3], n[1], n[0]}));
  EXPECT_EQ(found_by(*view, {.tenant_id = "acme", .topic = "*.paid", .dispatch_key = "k"}), Numbers({n[1]}));
  EXPECT_EQ(found_by(*view, {.tenant_id = "acme", .state = MessageState::dead}), Numbers({n[1]}));
  EXPECT_EQ(found_by(*view, {.tenant_id = "default", .dispatch_key = "k", .state = MessageState::dead}),
            Numbers({n[3]}));
  EXPECT_EQ(found_by(*view, {.event_id = event_id_for("a2")}), Numbers({n[1]}));
  EXPECT_EQ(found_by(*view, {.tenant_id = "acme", .event_id = event_id_for("a2")}), Numbers({n[1]}));
  EXPECT_TRUE(found_by(*view, {.tenant_id = "acme", .event_id = event_id_for("m1")}).empty());
  EXPECT_TRUE(found_by(*view, {.topic = "orders.placed", .event_id = event_id_for("a2")}).empty());
}

TEST_P(StoreSuite, FindsMessagesByWhenTheyWereCreated) {
  const TimePoint start = clock().now();
  const Sequence first = enqueue(a_message("m1"));
  clock().advance(1s);
  const Sequence second = enqueue(a_message("m2"));
  clock().advance(1s);
  const Sequence third = enqueue(a_message("m3"));
  const auto view = this->view();
  EXPECT_EQ(found_by(*view, {.created_from = start + 1s}), Numbers({third, second})) << "this moment included";
  EXPECT_EQ(found_by(*view, {.created_until = start + 1s}), Numbers({first})) << "this moment not included";
  EXPECT_EQ(found_by(*view, {.created_from = start + 500ms, .created_until = start + 1500ms}), Numbers({second}));
}

TEST_P(StoreSuite, AStarAloneShowsWhatMakegoodTellsOfItselfToo) {
  const Sequence first = enqueue(a_message("m1"));
  take().commit({.messages = {{.topic = "makegood.destination.disabled.v1", .payload = "{}"}}});
  const auto view = this->view();
  EXPECT_EQ(found_by(*view, {.topic = "*"}), Numbers({first + 1, first}));
  EXPECT_EQ(found_by(*view, {.topic = "makegood.*"}), Numbers({first + 1}));
  EXPECT_TRUE(found_by(*view, {.topic = "*.v1"}).empty()) << "as in a route";
}

TEST_P(StoreSuite, OddTextsInFiltersAreOnlyText) {
  const std::vector<std::string> texts = {"o'rder",
                                          "100%",
                                          "a_b",
                                          "Ärger \xE2\x82\xAC",
                                          "[a-z]",
                                          "?",
                                          "\"q\"",
                                          "x\\y",
                                          "'; DROP TABLE makegood_outbox; --",
                                          "{outbox}",
                                          "?1",
                                          "axb",
                                          "ordinary"};
  std::vector<Sequence> numbers;
  for (const std::string& text : texts) {
    numbers.push_back(enqueue(a_message(text)
                                  .of_tenant("t" + text)
                                  .with_key("k" + text)
                                  .with_topic("x" + text)
                                  .with_payload("1")
                                  .with_event_id("e" + text)));
  }
  const auto view = this->view();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Numbers expected = {numbers[i]};
    EXPECT_EQ(found_by(*view, {.tenant_id = "t" + texts[i]}), expected) << texts[i];
    EXPECT_EQ(found_by(*view, {.topic = "x" + texts[i]}), expected) << texts[i];
    EXPECT_EQ(found_by(*view, {.dispatch_key = "k" + texts[i]}), expected) << texts[i];
    EXPECT_EQ(found_by(*view, {.event_id = "e" + texts[i]}), expected) << texts[i];
    EXPECT_EQ(value_of(view->find_event("", "e" + texts[i])), numbers[i]) << texts[i];
  }
  EXPECT_TRUE(found_by(*view, {.tenant_id = "t%"}).empty());
  EXPECT_TRUE(found_by(*view, {.dispatch_key = "ka?b"}).empty());
  EXPECT_TRUE(found_by(*view, {.topic = "xa\n*"}).empty());
  EXPECT_TRUE(found_by(*view, {.event_id = std::string("e\0", 2)}).empty());
}

TEST_P(StoreSuite, WhatWasKeptOfTheLogIsStillListed) {
  const auto n = enqueue_all({a_message("dead"), a_message("done"), a_message("new")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[1]}, .parked = {a_parked(n[0]).dead()}});
  clock().advance(2h);
  owner.commit({.position = {.reached = n[1]}, .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 100}});
  ASSERT_EQ(log(), std::vector<std::string>({"new"}));
  const auto view = this->view();
  EXPECT_EQ(found_by(*view, {}), Numbers({n[2], n[0]}));
  EXPECT_EQ(found_by(*view, {.state = MessageState::dead}), Numbers({n[0]}));
  EXPECT_EQ(found_by(*view, {.event_id = event_id_for("dead")}), Numbers({n[0]}));
  EXPECT_EQ(value_of(view->find_event("default", event_id_for("dead"))), n[0]);
  EXPECT_EQ(code_of(view->find_event("default", event_id_for("done"))), Errc::not_found);
}

TEST_P(StoreSuite, AnEventIsFoundInItsTenantOrWhereverThereIsOnlyOne) {
  const auto n = enqueue_all(
      {of_acme("m1").with_event_id("e1"), a_message("m2").with_event_id("e1"), of_acme("m3").with_event_id("e2")});
  const auto view = this->view();
  EXPECT_EQ(value_of(view->find_event("acme", "e1")), n[0]);
  EXPECT_EQ(value_of(view->find_event("default", "e1")), n[1]);
  EXPECT_EQ(value_of(view->find_event("", "e2")), n[2]);
  EXPECT_EQ(code_of(view->find_event("", "e1")), Errc::conflict);
  EXPECT_EQ(code_of(view->find_event("default", "e2")), Errc::not_found) << "a tenant never sees another's";
  EXPECT_EQ(code_of(view->find_event("", "e3")), Errc::not_found);
}

}  // namespace makegood::conformance
