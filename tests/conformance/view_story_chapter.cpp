// One message with its whole story: to where, each attempt, by which owner, and what operators have asked about it.
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Strings = std::vector<std::string>;

Routing to_a_and_b(std::int64_t version = 1, Sequence from = 0) {
  return {.version = version,
          .from = from,
          .routes = {{"orders.*", "fn:b"}, {"orders.placed", "fn:a"}, {"*", "fn:b"}, {"stock.*", "fn:c"}},
          .destinations = {{.name = "fn:a"}, {.name = "fn:b"}, {.name = "fn:c"}}};
}

/// `fn:a delivered`, for each.
Strings fates(const MessageView& view) {
  Strings fates;
  for (const DeliveryView& delivery : view.deliveries) fates.push_back(delivery.destination + " " + delivery.state);
  return fates;
}

/// `2 retry TX.TIMEOUT by a: no answer`, for each.
Strings lines(const DeliveryView& delivery) {
  Strings lines;
  for (const AttemptNote& note : delivery.story) {
    lines.push_back(std::to_string(note.attempt) + " " + note.outcome + " " + note.code + " by " + note.owner +
                    (note.error.empty() ? "" : ": " + note.error));
  }
  return lines;
}

}  // namespace

TEST_P(StoreSuite, AMessageThatIsNotThereHasNoStory) {
  EXPECT_EQ(code_of(view()->story(1)), Errc::not_found);
  enqueue(a_message("m1"));
  EXPECT_EQ(code_of(view()->story(2)), Errc::not_found);
}

TEST_P(StoreSuite, TheStoryHoldsTheMessageItself) {
  const Sequence sequence = enqueue(of_acme("m1").with_header("x-kind", "test").with_key("k"));
  const MessageView view = value_of(this->view()->story(sequence));
  EXPECT_EQ(view.summary.sequence, sequence);
  EXPECT_EQ(view.summary.tenant_id, "acme");
  ASSERT_TRUE(view.message);
  EXPECT_EQ(view.message->content, "\"m1\"");
  EXPECT_EQ(view.message->headers, R"({"x-kind":"test"})");
  EXPECT_TRUE(view.deliveries.empty()) << "nothing is known of routes yet";
  EXPECT_TRUE(view.requests.empty());
}

TEST_P(StoreSuite, AMessageDeliveredAtOnceHasOneAttemptAndItsOwner) {
  const Sequence sequence = enqueue(a_message("m1").with_topic("stock.low"));
  LaneOwner first = take("a");
  first.commit({.position = {}, .routing = Routing{.version = 1, .from = 0, .routes = {{"stock.*", "fn:c"}}}});
  EXPECT_EQ(fates(value_of(view()->story(sequence))), Strings({"fn:c pending"}));
  first.commit({.position = {.reached = sequence, .under_way = {{"fn:c", {sequence}}}}});
  EXPECT_EQ(fates(value_of(view()->story(sequence))), Strings({"fn:c under_way"}));
  clock().advance(2s);
  first.commit({.position = {.reached = sequence}});
  const TimePoint delivered_at = clock().now();
  clock().advance(1s);
  take(store(), "b", "a").commit({.position = {.reached = sequence}});
  const MessageView view = value_of(this->view()->story(sequence));
  EXPECT_EQ(view.summary.state, MessageState::done);
  ASSERT_EQ(fates(view), Strings({"fn:c delivered"}));
  EXPECT_EQ(view.deliveries[0].attempts, 1U);
  EXPECT_EQ(lines(view.deliveries[0]), Strings({"1 ok  by a"}));
  EXPECT_EQ(view.deliveries[0].story.at(0).at, delivered_at);
}

TEST_P(StoreSuite, EachDestinationHasAStoryOfItsOwn) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take("a");
  owner.commit({.position = {.reached = sequence, .under_way = {{"fn:a", {sequence}}, {"fn:b", {sequence}}}},
                .routing = to_a_and_b()});
  clock().advance(1s);
  owner.commit({.position = {.reached = sequence, .under_way = {{"fn:b", {sequence}}}}});
  const TimePoint first_through = clock().now();
  const MessageView half = value_of(view()->story(sequence));
  EXPECT_EQ(fates(half), Strings({"fn:a delivered", "fn:b under_way"}));
  EXPECT_EQ(half.summary.state, MessageState::leased);
  clock().advance(1s);
  LaneOwner next = take(store(), "b", "a");
  next.commit({.position = {.reached = sequence},
               .parked = {a_parked(sequence, "fn:b").dead().with_error("TX.REJECTED", "no")}});
  const MessageView view = value_of(this->view()->story(sequence));
  EXPECT_EQ(fates(view), Strings({"fn:a delivered", "fn:b dead"}));
  EXPECT_EQ(lines(view.deliveries[0]), Strings({"1 ok  by a"}));
  EXPECT_EQ(view.deliveries[0].story[0].at, first_through) << "not when the other one ended";
  EXPECT_EQ(view.deliveries[1].error_code, "TX.REJECTED");
  EXPECT_EQ(view.deliveries[1].last_error, "no");
}

TEST_P(StoreSuite, TheStoryOfARetriedDeliveryNamesTheOwnerOfEachAttempt) {
  const Sequence sequence = enqueue(a_message("m1"));
  const TimePoint due_at = clock().now() + 1min;
  LaneOwner owner = take("a");
  const Position through{.reached = sequence};
  const auto waiting = a_parked(sequence).waiting_until(due_at).blocking();
  owner.commit({.position = through,
                .parked = {ParkedBuilder(waiting).after_attempts(1).noting({.attempt = 1,
                                                                            .at = clock().now(),
                                                                            .outcome = "retry",
                                                                            .code = "TX.TIMEOUT",
                                                                            .error = "no \"answer\"\n",
                                                                            .owner = "a"})}});
  const DeliveryView first = value_of(view()->story(sequence)).deliveries.at(0);
  EXPECT_EQ(first.state, "waiting");
  EXPECT_EQ(first.due_at, due_at);
  EXPECT_TRUE(first.blocks);
  EXPECT_EQ(first.attempts, 1U);

  LaneOwner next = take(store(), "b", "a");
  next.commit({.position = through, .parked = {ParkedBuilder(waiting).after_attempts(2).under_way()}});
  EXPECT_EQ(fates(value_of(view()->story(sequence))), Strings({"fn:a under_way"}));
  next.commit({.position = through,
               .parked = {a_parked(sequence).done().after_attempts(2).noting(
                   {.attempt = 2, .at = clock().now() + 1min, .outcome = "ok", .owner = "b"})}});
  const DeliveryView done = value_of(view()->story(sequence)).deliveries.at(0);
  EXPECT_EQ(done.state, "done");
  EXPECT_FALSE(done.due_at);
  EXPECT_EQ(lines(done), Strings({"1 retry TX.TIMEOUT by a: no \"answer\"\n", "2 ok  by b"}));
  EXPECT_EQ(done.story[1].at, clock().now() + 1min);
}

TEST_P(StoreSuite, TheStoryOfAReplayedDeadLetterGoesOn) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take("a");
  const Position through{.reached = sequence};
  owner.commit({.position = through,
                .parked = {a_parked(sequence).dead().noting(
                    {.attempt = 1, .at = clock().now(), .outcome = "fail", .code = "TX.REJECTED", .owner = "a"})}});
  const std::int64_t replay = value_of(view()->request({.kind = RequestKind::replay,
                                                        .sequence = sequence,
                                                        .destination = "fn:a",
                                                        .operator_name = "olga",
                                                        .reason = "it is fixed"}));
  const TimePoint asked_at = clock().now();
  clock().advance(1s);
  owner.commit({.position = through,
                .parked = {a_parked(sequence)
                               .waiting_until(clock().now())
                               .noting({.attempt = 0, .at = clock().now(), .outcome = "replayed"})},
                .answers = {{.id = replay, .result = "done"}}});
  const std::int64_t note = value_of(view()->request({.kind = RequestKind::annotate,
                                                      .sequence = sequence,
                                                      .destination = "fn:a",
                                                      .operator_name = "otto",
                                                      .reason = "ticket 17"}));
  value_of(view()->request(
      {.kind = RequestKind::replay, .sequence = sequence + 1, .destination = "fn:a", .operator_name = "olga"}));
  const MessageView view = value_of(this->view()->story(sequence));
  EXPECT_EQ(lines(view.deliveries.at(0)), Strings({"1 fail TX.REJECTED by a", "0 replayed  by "}));
  ASSERT_EQ(view.requests.size(), 2U);
  EXPECT_EQ(view.requests[0].id, replay);
  EXPECT_EQ(view.requests[0].asked.operator_name, "olga");
  EXPECT_EQ(view.requests[0].asked.reason, "it is fixed");
  EXPECT_EQ(view.requests[0].created_at, asked_at);
  EXPECT_EQ(view.requests[0].done_at, clock().now());
  EXPECT_EQ(view.requests[0].result, "done");
  EXPECT_EQ(view.requests[1].id, note);
  EXPECT_EQ(view.requests[1].asked.kind, RequestKind::annotate);
  EXPECT_FALSE(view.requests[1].done_at);
  EXPECT_EQ(view.requests[1].result, "");
}

TEST_P(StoreSuite, AMessageWithoutARouteHasADeadDeliveryToNowhere) {
  LaneOwner owner = take();
  owner.commit({.messages = {{.topic = "makegood.lost", .payload = "{}"}}});
  const Sequence sequence = owner.look({}).counter;
  owner.commit({.position = {.reached = sequence},
                .parked = {a_parked(sequence, std::string(unrouted)).dead().with_error("TX.NO_ROUTE", "no route")},
                .routing = to_a_and_b()});
  EXPECT_EQ(fates(value_of(view()->story(sequence))), Strings({"- dead"}));
}

TEST_P(StoreSuite, AMessageGoesByTheRoutesOfItsNumber) {
  const auto n = enqueue_all({a_message("m1").with_topic("stock.low"), a_message("m2").with_topic("stock.low")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[0]}, .routing = to_a_and_b()});
  owner.commit(
      {.position = {.reached = n[0]}, .routing = Routing{.version = 2, .from = n[0], .routes = {{"stock.*", "fn:d"}}}});
  EXPECT_EQ(fates(value_of(view()->story(n[0]))), Strings({"fn:b delivered", "fn:c delivered"}));
  EXPECT_EQ(fates(value_of(view()->story(n[1]))), Strings({"fn:d pending"}));
}

TEST_P(StoreSuite, TheCleanerKeepsTheRoutesOfWhatIsStillInTheLog) {
  const auto n = enqueue_all({a_message("m1").with_topic("stock.low"), a_message("m2").with_topic("stock.low")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[0]}, .routing = to_a_and_b()});
  owner.commit(
      {.position = {.reached = n[1]}, .routing = Routing{.version = 2, .from = n[0], .routes = {{"stock.*", "fn:d"}}}});
  const Said cleaning{.position = {.reached = n[1]},
                      .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 1},
                      .oldest_routing = 2};
  owner.commit(cleaning);
  EXPECT_EQ(fates(value_of(view()->story(n[0]))), Strings({"fn:b delivered", "fn:c delivered"}));
  EXPECT_EQ(take(store(), "b", "a").taken().routings.size(), 1U) << "lanes are not troubled with them";
}

TEST_P(StoreSuite, OfRoutesThatNobodyKnowsAnyMoreNothingIsClaimed) {
  const Sequence sequence = enqueue(a_message("m1"));
  take().commit({.position = {.reached = sequence}, .routing = to_a_and_b(7, sequence)});
  EXPECT_TRUE(value_of(view()->story(sequence)).deliveries.empty());
}

TEST_P(StoreSuite, ADeliveryInASideLaneIsPendingOrUnderWayAndLaterDelivered) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2")});
  LaneOwner owner = take("a");
  Position position{.reached = n[1]};
  position.sides = {
      {.scope = {.destination = "fn:b"}, .why = SideLane::Why::broken, .reached = n[0], .under_way = {n[0]}}};
  owner.commit({.position = position, .routing = to_a_and_b()});
  EXPECT_EQ(fates(value_of(view()->story(n[0]))), Strings({"fn:a delivered", "fn:b under_way"}));
  EXPECT_EQ(fates(value_of(view()->story(n[1]))), Strings({"fn:a delivered", "fn:b pending"}));
  const TimePoint before = clock().now();
  clock().advance(1h);
  owner.commit({.position = {.reached = n[1]}});
  const MessageView view = value_of(this->view()->story(n[1]));
  EXPECT_EQ(fates(view), Strings({"fn:a delivered", "fn:b delivered"}));
  EXPECT_EQ(view.deliveries[0].story.at(0).at, before);
  EXPECT_EQ(view.deliveries[1].story.at(0).at, clock().now());
}

TEST_P(StoreSuite, TheStoryOfAMessageThatLeftTheLogIsToldFromWhatWasKept) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit(
      {.position = {.reached = sequence}, .parked = {a_parked(sequence, "fn:b").dead()}, .routing = to_a_and_b()});
  clock().advance(2h);
  owner.commit(
      {.position = {.reached = sequence}, .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 100}});
  ASSERT_TRUE(log().empty());
  const MessageView view = value_of(this->view()->story(sequence));
  EXPECT_EQ(name_of(*view.message), "m1");
  EXPECT_EQ(fates(view), Strings({"fn:a delivered", "fn:b dead"}));
  EXPECT_TRUE(view.deliveries[0].story.empty()) << "the turns that told when are gone";
}

TEST_P(StoreSuite, ListsRequestsNewestFirstPageByPage) {
  const auto operators = view();
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(value_of(operators->request({.kind = RequestKind::configure,
                                               .destination = "",
                                               .operator_name = "olga",
                                               .document = R"({"n":)" + std::to_string(i) + "}"})));
  }
  take().commit({.answers = {{.id = ids[1], .result = "refused: no such destination"}}});
  const auto view = this->view();
  const auto page = value_of(view->list_requests({}, 2));
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0].id, ids[4]);
  EXPECT_EQ(page[0].asked.kind, RequestKind::configure);
  EXPECT_EQ(page[0].asked.document, R"({"n":4})");
  EXPECT_EQ(page[1].id, ids[3]);
  const auto rest = value_of(view->list_requests(ids[3], 10));
  ASSERT_EQ(rest.size(), 3U);
  EXPECT_EQ(rest[1].result, "refused: no such destination");
  EXPECT_TRUE(rest[1].done_at);
  EXPECT_TRUE(value_of(view->list_requests(ids[0], 10)).empty());
  EXPECT_TRUE(value_of(view->list_requests({}, 0)).empty());
}

TEST_P(StoreSuite, AnOwnerGetsTheDocumentOfARequest) {
  LaneOwner owner = take();
  value_of(view()->request(
      {.kind = RequestKind::configure, .destination = "", .operator_name = "olga", .document = R"({"routes":[]})"}));
  const Found found = owner.look({.owner = {}});
  ASSERT_EQ(found.requests.size(), 1U);
  EXPECT_EQ(found.requests[0].asked.kind, RequestKind::configure);
  EXPECT_EQ(found.requests[0].asked.document, R"({"routes":[]})");
}

}  // namespace makegood::conformance
