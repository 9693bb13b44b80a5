// What operators see, and how what they ask for reaches the owner of the lane and comes back answered.
#include <rapidjson/document.h>

#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Numbers = std::vector<Sequence>;

Numbers numbers_of(const std::vector<DeadLetter>& letters) {
  Numbers numbers;
  for (const DeadLetter& letter : letters) numbers.push_back(letter.parked.sequence);
  return numbers;
}

NewRequest a_replay_of(Sequence sequence) {
  return {.kind = RequestKind::replay,
          .sequence = sequence,
          .destination = "fn:a",
          .operator_name = "olga",
          .reason = "the receiver is fixed"};
}

}  // namespace

TEST_P(StoreSuite, AnOwnerSeesWhatWasAskedFor) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  const std::int64_t id = value_of(view()->request(a_replay_of(sequence)));
  const Found found = owner.look({.owner = {}, .reached = sequence});
  ASSERT_EQ(found.requests.size(), 1U);
  const Request& request = found.requests[0];
  EXPECT_EQ(request.id, id);
  EXPECT_EQ(request.asked.kind, RequestKind::replay);
  EXPECT_EQ(request.asked.sequence, sequence);
  EXPECT_EQ(request.asked.destination, "fn:a");
  EXPECT_EQ(request.asked.operator_name, "olga");
  EXPECT_EQ(request.asked.reason, "the receiver is fixed");
  EXPECT_FALSE(request.row) << "there is no such parked delivery";
}

TEST_P(StoreSuite, EveryKindOfRequestArrivesInOrder) {
  const auto operators = view();
  LaneOwner owner = take();
  using enum RequestKind;
  const std::vector<RequestKind> kinds = {rewind, release, quarantine, replay, pause, resume, unblock, history, cancel};
  for (const RequestKind kind : kinds) {
    value_of(operators->request({.kind = kind, .sequence = 1, .destination = "fn:a", .operator_name = "olga"}));
  }
  const Found found = owner.look({.owner = {}});
  ASSERT_EQ(found.requests.size(), kinds.size());
  for (std::size_t index = 0; index < kinds.size(); ++index) EXPECT_EQ(found.requests[index].asked.kind, kinds[index]);
}

TEST_P(StoreSuite, ARequestComesWithTheRowItSpeaksOf) {
  const Sequence sequence = enqueue(a_message("m1"));
  LaneOwner owner = take();
  owner.commit({.parked = {a_parked(sequence, "fn:a").dead().after_attempts(4).with_error("TX.REJECTED", "no"),
                           a_parked(sequence, "fn:b").dead().after_attempts(9)}});
  value_of(view()->request(a_replay_of(sequence)));
  const Found found = owner.look({.owner = {}});
  ASSERT_EQ(found.requests.size(), 1U);
  ASSERT_TRUE(found.requests[0].row);
  EXPECT_EQ(found.requests[0].row->destination, "fn:a");
  EXPECT_EQ(found.requests[0].row->state, ParkedState::dead);
  EXPECT_EQ(found.requests[0].row->attempts, 4U);
  EXPECT_EQ(found.requests[0].row->error_code, "TX.REJECTED");
}

TEST_P(StoreSuite, ARequestIsShownUntilItIsAnswered) {
  const auto operators = view();
  LaneOwner owner = take("a");
  const std::int64_t id = value_of(operators->request(a_replay_of(1)));
  EXPECT_EQ(owner.look({.owner = {}}).requests.size(), 1U);
  owner.commit({});
  LaneOwner next = take(store(), "b", "a");
  EXPECT_EQ(next.look({.owner = {}}).requests.size(), 1U) << "a take-over must not lose it";
  next.commit({.answers = {{.id = id, .result = "done"}}});
  EXPECT_TRUE(next.look({.owner = {}}).requests.empty());
}

TEST_P(StoreSuite, AnOperatorReadsTheAnswer) {
  const auto operators = view();
  LaneOwner owner = take();
  const std::int64_t first = value_of(operators->request(a_replay_of(1)));
  const std::int64_t second = value_of(operators->request(a_replay_of(2)));
  EXPECT_EQ(value_of(operators->answer_to(first)), std::nullopt);
  owner.commit({.answers = {{.id = second, .result = "It is not dead."}}});
  EXPECT_EQ(value_of(operators->answer_to(first)), std::nullopt);
  EXPECT_EQ(value_of(operators->answer_to(second)), "It is not dead.");
}

TEST_P(StoreSuite, TheFirstAnswerStands) {
  const auto operators = view();
  LaneOwner owner = take();
  const std::int64_t id = value_of(operators->request(a_replay_of(1)));
  owner.commit({.answers = {{.id = id, .result = "done"}}});
  owner.commit({.answers = {{.id = id, .result = "something else"}}});
  EXPECT_EQ(value_of(operators->answer_to(id)), "done");
}

TEST_P(StoreSuite, ARequestNobodyMadeHasNoAnswer) { EXPECT_EQ(code_of(view()->answer_to(12'345)), Errc::not_found); }

TEST_P(StoreSuite, ListsDeadAndQuarantinedByNumber) {  // I7
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4")});
  LaneOwner owner = take();
  owner.commit({.position = {.reached = n[3]},
                .parked = {a_parked(n[2]).dead(), a_parked(n[0]).quarantined(), a_parked(n[1]).held(),
                           a_parked(n[3]).waiting_until(clock().now()).after_attempts(99)}});
  EXPECT_EQ(numbers_of(value_of(view()->list_dead({}, {}, 100))), Numbers({n[0], n[2]}));
}

TEST_P(StoreSuite, ListsDeadLettersPageByPage) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LaneOwner owner = take();
  owner.commit(
      {.position = {.reached = n[2]}, .parked = {a_parked(n[0]).dead(), a_parked(n[1]).dead(), a_parked(n[2]).dead()}});
  const auto operators = view();
  EXPECT_EQ(numbers_of(value_of(operators->list_dead({}, {}, 2))), Numbers({n[0], n[1]}));
  EXPECT_EQ(numbers_of(value_of(operators->list_dead({}, {n[1], "fn:a"}, 2))), Numbers({n[2]}));
  EXPECT_TRUE(value_of(operators->list_dead({}, {n[2], "fn:a"}, 2)).empty());
}

TEST_P(StoreSuite, ADeadLetterTellsItsStory) {
  const Sequence sequence = enqueue(a_message("m1").of_tenant("acme").with_key("k").with_topic("orders.paid"));
  LaneOwner owner = take();
  const Parked waiting = a_parked(sequence).of_tenant("acme").with_key("k").waiting_until(clock().now());
  const Parked dead = a_parked(sequence).of_tenant("acme").with_key("k").dead().after_attempts(2).with_error(
      "NO_FUNDS", "none \"left\"");
  owner.commit({.parked = {{.row = waiting, .note = AttemptNote{1, clock().now(), "retry", "TX.TIMEOUT"}}}});
  clock().advance(3s);
  owner.commit({.parked = {{.row = dead, .note = AttemptNote{2, clock().now(), "fail", "NO_FUNDS"}}}});

  const DeadLetter letter = value_of(view()->inspect("acme", sequence, "fn:a"));
  EXPECT_EQ(letter.topic, "orders.paid");
  EXPECT_EQ(letter.event_id, event_id_for("m1"));
  EXPECT_EQ(letter.parked.tenant_id, "acme");
  EXPECT_EQ(letter.parked.dispatch_key, "k");
  EXPECT_EQ(letter.parked.attempts, 2U);
  EXPECT_EQ(letter.parked.error_code, "NO_FUNDS");
  EXPECT_EQ(letter.parked.last_error, "none \"left\"");
  EXPECT_EQ(to_milliseconds(letter.changed_at), to_milliseconds(clock().now()));

  rapidjson::Document story;
  story.Parse(letter.story.data(), letter.story.size());
  ASSERT_TRUE(story.IsArray()) << letter.story;
  ASSERT_EQ(story.Size(), 2U) << letter.story;
  EXPECT_EQ(story[0]["attempt"].GetInt(), 1);
  EXPECT_STREQ(story[0]["outcome"].GetString(), "retry");
  EXPECT_STREQ(story[0]["code"].GetString(), "TX.TIMEOUT");
  EXPECT_EQ(story[1]["attempt"].GetInt(), 2);
  EXPECT_STREQ(story[1]["outcome"].GetString(), "fail");
}

TEST_P(StoreSuite, ADeadLetterWithoutAStoryHasAnEmptyOne) {
  const Sequence sequence = enqueue(a_message("m1"));
  take().commit({.parked = {a_parked(sequence).dead()}});
  const std::string story = value_of(view()->inspect("", sequence, "fn:a")).story;
  rapidjson::Document document;
  document.Parse(story.data(), story.size());
  ASSERT_TRUE(document.IsArray()) << story;
  EXPECT_TRUE(document.Empty());
}

TEST_P(StoreSuite, ATenantSeesOnlyItsOwnDeadLetters) {
  const Sequence ours = enqueue(a_message("m1").of_tenant("ours"));
  const Sequence theirs = enqueue(a_message("m2").of_tenant("theirs"));
  take().commit({.position = {.reached = theirs},
                 .parked = {a_parked(ours).of_tenant("ours").dead(), a_parked(theirs).of_tenant("theirs").dead()}});
  const auto operators = view();
  EXPECT_EQ(numbers_of(value_of(operators->list_dead({.tenant_id = "ours"}, {}, 100))), Numbers({ours}));
  EXPECT_EQ(numbers_of(value_of(operators->list_dead({}, {}, 100))), Numbers({ours, theirs}));
  EXPECT_TRUE(value_of(operators->list_dead({.tenant_id = "nobody"}, {}, 100)).empty());
  EXPECT_EQ(code_of(operators->inspect("ours", theirs, "fn:a")), Errc::not_found);
  EXPECT_TRUE(operators->inspect("", theirs, "fn:a"));
}

TEST_P(StoreSuite, ThereIsNothingToInspectWhereNothingIsParked) {
  const Sequence sequence = enqueue(a_message("m1"));
  take().commit({.parked = {a_parked(sequence, "fn:a").dead()}});
  const auto operators = view();
  EXPECT_EQ(code_of(operators->inspect("", sequence, "fn:b")), Errc::not_found);
  EXPECT_EQ(code_of(operators->inspect("", sequence + 1, "fn:a")), Errc::not_found);
}

TEST_P(StoreSuite, ListsBlockedKeysWithTheirHead) {
  const auto n =
      enqueue_all({a_message("m1").with_key("k"), a_message("m2").with_key("k"), a_message("m3").with_key("k"),
                   a_message("m4").with_key("x"), a_message("m5").with_key("k").of_tenant("other")});
  take().commit({.position = {.reached = n[4]},
                 .parked = {a_parked(n[0]).with_key("k").waiting_until(clock().now() + 1h).blocking(),
                            a_parked(n[1]).with_key("k").held().blocking(),
                            a_parked(n[2]).with_key("k").held().blocking(), a_parked(n[3]).with_key("x").dead(),
                            a_parked(n[4]).with_key("k").of_tenant("other").dead().blocking()}});
  const auto operators = view();
  const auto blocked = value_of(operators->blocked_keys(100));
  ASSERT_EQ(blocked.size(), 2U);
  EXPECT_EQ(blocked[0].head.sequence, n[0]);
  EXPECT_EQ(blocked[0].head.dispatch_key, "k");
  EXPECT_EQ(blocked[0].waiting_count, 2U);
  EXPECT_EQ(blocked[1].head.sequence, n[4]);
  EXPECT_EQ(blocked[1].head.tenant_id, "other");
  EXPECT_EQ(blocked[1].waiting_count, 0U);
  EXPECT_EQ(value_of(operators->blocked_keys(1)).size(), 1U);
}

TEST_P(StoreSuite, ADelayedMessageDoesNotWaitBehindABlockedKey) {
  const auto n = enqueue_all({a_message("m1").with_key("k"), a_message("m2").with_key("k")});
  take().commit({.position = {.reached = n[1]},
                 .parked = {a_parked(n[0]).with_key("k").waiting_until(clock().now() + 1h).blocking(),
                            a_parked(n[1]).with_key("k").waiting_until(clock().now() + 2h)}});
  const auto blocked = value_of(view()->blocked_keys(100));
  ASSERT_EQ(blocked.size(), 1U);
  EXPECT_EQ(blocked[0].waiting_count, 0U);
}

TEST_P(StoreSuite, AKeyIsBlockedPerDestination) {
  const auto n = enqueue_all({a_message("m1").with_key("k"), a_message("m2").with_key("k")});
  take().commit({.position = {.reached = n[1]},
                 .parked = {a_parked(n[0], "fn:a").with_key("k").waiting_until(clock().now()).blocking(),
                            a_parked(n[1], "fn:b").with_key("k").waiting_until(clock().now()).blocking()}});
  const auto blocked = value_of(view()->blocked_keys(100));
  ASSERT_EQ(blocked.size(), 2U);
  EXPECT_EQ(blocked[0].waiting_count, 0U);
  EXPECT_EQ(blocked[1].waiting_count, 0U);
}

TEST_P(StoreSuite, ARequestMaySpeakOfATenantAndOfARange) {
  LaneOwner owner = take();
  value_of(view()->request({.kind = RequestKind::history,
                            .sequence = 3,
                            .destination = "fn:a",
                            .operator_name = "olga",
                            .tenant_id = "acme",
                            .until = 17}));
  const Found found = owner.look({.owner = {}});
  ASSERT_EQ(found.requests.size(), 1U);
  EXPECT_EQ(found.requests[0].asked.tenant_id, "acme");
  EXPECT_EQ(found.requests[0].asked.sequence, 3);
  EXPECT_EQ(found.requests[0].asked.until, 17);
  EXPECT_FALSE(found.requests[0].row);
}

TEST_P(StoreSuite, ShowsALaneThatNobodyEverOwned) {
  const Sequence last = enqueue(a_message("m1"));
  const LaneView lane = value_of(view()->lane());
  EXPECT_EQ(lane.owner, "");
  EXPECT_EQ(lane.turn, 0);
  EXPECT_EQ(lane.counter, last);
  EXPECT_EQ(lane.position, Position{});
  EXPECT_TRUE(lane.routings.empty());
}

TEST_P(StoreSuite, ShowsTheLaneAsItsLastTurnTellsIt) {
  enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LaneOwner owner = take("a");
  clock().advance(3s);
  Position position{.reached = 2, .open = {}, .under_way = {{"fn:a", {1}}}};
  position.sides = {{.scope = {"fn:b", "acme"}, .why = SideLane::Why::paused, .is_paused = true, .reached = 1}};
  owner.commit({.position = position, .routing = Routing{.version = 1, .from = 0, .routes = {{"*", "fn:a"}}}});
  const LaneView lane = value_of(view()->lane());
  EXPECT_EQ(lane.owner, "a");
  EXPECT_EQ(lane.turn, owner.turn());
  EXPECT_EQ(to_milliseconds(lane.at), to_milliseconds(clock().now()));
  EXPECT_EQ(to_milliseconds(lane.lease_until), to_milliseconds(clock().now() + lease));
  EXPECT_EQ(lane.counter, 3);
  EXPECT_EQ(lane.highest, 3);
  EXPECT_FALSE(lane.is_counter_altered);
  EXPECT_EQ(lane.position, position);
  ASSERT_EQ(lane.routings.size(), 1U);
  EXPECT_EQ(lane.routings[0].routes.at(0).destination, "fn:a");
}

TEST_P(StoreSuite, ShowsThatALaneWasGivenUp) {
  take("a").commit({.lease = 0s});
  const LaneView lane = value_of(view()->lane());
  EXPECT_EQ(lane.owner, "a");
  EXPECT_EQ(lane.lease_until, lane.at);
}

}  // namespace makegood::conformance
