// Messages, requests, blocked keys and side lanes, as they stand in a store.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

using testing_support::a_message;
using testing_support::a_parked;
using testing_support::event_id_for;

TEST(Messages, AreListedNewestFirstPageByPage) {
  Place place;
  for (int i = 0; i < 5; ++i) place.enqueue(a_message(fmt::format("m{}", i)));
  Answer page = place.get("messages", "limit=2");
  EXPECT_EQ(page.status, 200) << page.body;
  EXPECT_EQ(number_at(page, "/items/0/sequence"), 5);
  EXPECT_EQ(number_at(page, "/items/1/sequence"), 4);
  std::size_t seen = size_at(page, "/items");
  while (at(page, "/next") != "null") {
    page = place.get("messages", "limit=2&cursor=" + text_at(page, "/next"));
    seen += size_at(page, "/items");
  }
  EXPECT_EQ(seen, 5U);
}

TEST(Messages, AreFoundByWhatTheyAre) {
  Place place;
  place.enqueue(a_message("a").with_topic("order.placed").of_tenant("acme").with_key("k 1"));
  place.enqueue(a_message("b").with_topic("order.paid"));
  EXPECT_EQ(size_at(place.get("messages", "topic=order.*"), "/items"), 2U);
  EXPECT_EQ(size_at(place.get("messages", "topic=order.p*aid"), "/items"), 1U);
  EXPECT_EQ(size_at(place.get("messages", "tenant=acme&key=k%201"), "/items"), 1U);
  EXPECT_EQ(size_at(place.get("messages", "event_id=" + event_id_for("b")), "/items"), 1U);
  EXPECT_EQ(size_at(place.get("messages", "state=pending"), "/items"), 2U);
  EXPECT_EQ(size_at(place.get("messages", "state=dead"), "/items"), 0U);
  EXPECT_EQ(size_at(place.get("messages", "until=2000-01-01T00:00:00Z"), "/items"), 0U);
  EXPECT_EQ(size_at(place.get("messages", "from=2000-01-01T00:00:00Z"), "/items"), 2U);
}

TEST(Messages, TellEveryMistakeOfTheQuery) {
  Place place;
  const Answer answer = place.get("messages", "topik=a&limit=0&state=ded&from=noon&cursor=x&tenant=&a%zz");
  EXPECT_EQ(answer.status, 400);
  for (const char* part :
       {"has 7 mistakes", "topik is not a parameter; is it topic?", "limit is 0; allowed: an integer from 1 to 1000",
        "state is ded; allowed: pending, leased, done, dead, quarantined", "from is noon", "cursor is not",
        "tenant has 0 bytes", "a%zz has an escape"}) {
    EXPECT_NE(detail(answer).find(part), std::string::npos) << part << "\n" << detail(answer);
  }
}

TEST(Messages, HideWhatTheyHoldFromWhoIsNoOperator) {
  Place place;
  place.enqueue(a_message("secret-payload").with_header("x-a", "secret-header"));
  const Answer whole = place.get("messages/1");
  EXPECT_EQ(at(whole, "/is_content_hidden"), "false");
  EXPECT_NE(whole.body.find("secret-payload"), std::string::npos);
  const Answer hidden = place.call({.path = "/api/outboxes/makegood_outbox/messages/1", .sees_contents = false});
  ASSERT_EQ(hidden.status, 200) << hidden.body;
  EXPECT_EQ(at(hidden, "/is_content_hidden"), "true");
  EXPECT_EQ(at(hidden, "/payload_text"), "null");
  EXPECT_EQ(at(hidden, "/headers"), "{}");
  EXPECT_EQ(hidden.body.find("secret-"), std::string::npos) << hidden.body;
}

TEST(Messages, TellTheirStory) {
  Place place;
  place.register_routing({.version = 1, .routes = {{"*", "fn:a"}}, .destinations = {{.name = "fn:a"}}});
  const Sequence sequence = place.enqueue(a_message("a").with_header("x-a", "1"));
  place.turn({{.row = a_parked(sequence).dead().after_attempts(2).with_error("TX.TIMEOUT", "no answer"),
               .note = AttemptNote{2, from_milliseconds(1767323045678), "retry", "TX.TIMEOUT", "no answer", "owner"}}},
             {.reached = sequence});
  place.post(fmt::format("dead/{}/fn%3Aa/annotate", sequence), R"({"note":"known"})");
  const Answer answer = place.get("messages/1");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text_at(answer, "/state"), "dead");
  EXPECT_EQ(text_at(answer, "/payload_text"), "\"a\"");
  EXPECT_EQ(text_at(answer, "/headers/x-a"), "1");
  EXPECT_EQ(text_at(answer, "/deliveries/0/destination"), "fn:a");
  EXPECT_EQ(text_at(answer, "/deliveries/0/state"), "dead");
  EXPECT_EQ(at(answer, "/deliveries/0/story/0/attempt"), "2");
  EXPECT_EQ(text_at(answer, "/deliveries/0/story/0/at"), "2026-01-02T03:04:05.678Z");
  EXPECT_EQ(text_at(answer, "/deliveries/0/story/0/error"), "no answer");
  EXPECT_EQ(text_at(answer, "/deliveries/0/story/0/owner"), "owner");
  EXPECT_EQ(text_at(answer, "/requests/0/kind"), "annotate");
  EXPECT_EQ(text_at(answer, "/requests/0/reason"), "known");
}

TEST(Messages, AreNotThere) {
  Place place;
  for (const char* message : {"1", "0", "99999999999999999999", "no-such-event", "-1"}) {
    EXPECT_EQ(place.get(std::string("messages/") + message).status, 404) << message;
  }
}

TEST(Messages, OfTwoTenantsAreToldApart) {
  Place place;
  place.enqueue(a_message("a").of_tenant("acme"));
  place.enqueue(a_message("a").of_tenant("umbrella"));
  const std::string path = "messages/" + event_id_for("a");
  EXPECT_EQ(place.get(path).status, 409);
  EXPECT_EQ(number_at(place.get(path, "tenant=umbrella"), "/sequence"), 2);
}

TEST(Messages, WithBrokenTextsAreStillJson) {
  Place place;
  place.enqueue(a_message("a").with_key("\xFF\xC3\xA4"));
  EXPECT_EQ(text_at(place.get("messages"), "/items/0/dispatch_key"), "\\xff\xC3\xA4") << "no byte is lost";
}

TEST(Messages, WhosePayloadIsNotUtf8AreShownByteForByte) {
  Place place;
  const Sequence sequence = place.enqueue({.topic = "t", .payload = "\"\xFF\""});
  const Answer answer = place.get("messages/" + std::to_string(sequence));
  EXPECT_EQ(at(answer, "/payload_text"), "null");
  EXPECT_EQ(text_at(answer, "/body_base64"), "Iv8i");
}

TEST(Requests, AreListedAndToldOneByOne) {
  Place place;
  EXPECT_EQ(place.post("pause", R"({"destination":"fn:a","reason":"because"})").status, 202);
  EXPECT_EQ(place.post("rewind", R"({"reason":"restored"})").status, 202);
  const Answer list = place.get("requests", "limit=1");
  EXPECT_EQ(text_at(list, "/items/0/kind"), "rewind");
  EXPECT_EQ(text_at(list, "/items/0/operator"), "alice");
  const Answer next = place.get("requests", "limit=1&cursor=" + text_at(list, "/next"));
  EXPECT_EQ(text_at(next, "/items/0/kind"), "pause");
  const Answer one = place.get("requests/1");
  EXPECT_EQ(text_at(one, "/destination"), "fn:a");
  EXPECT_EQ(text_at(one, "/reason"), "because");
  EXPECT_EQ(text_at(one, "/result"), "open");
  EXPECT_EQ(at(one, "/done_at"), "null");
  for (const char* id : {"3", "0", "x", "9223372036854775807"}) {
    EXPECT_EQ(place.get(std::string("requests/") + id).status, 404) << id;
  }
}

TEST(Requests, HaveAnOperatorEvenIfNobodySaysWho) {
  Place place;
  place.call({.method = "POST",
              .path = "/api/outboxes/makegood_outbox/rewind",
              .content_type = "application/json",
              .body = "{}"});
  EXPECT_EQ(text_at(place.get("requests/1"), "/operator"), "anonymous");
}

TEST(Blocked, TellsTheHeadAndHowManyWait) {
  Place place;
  for (const char* name : {"a", "b", "c"}) place.enqueue(a_message(name).with_key("k"));
  place.turn({a_parked(1)
                  .with_key("k")
                  .waiting_until(from_milliseconds(1767323045678))
                  .blocking()
                  .after_attempts(3)
                  .with_error("TX.TIMEOUT", "no answer"),
              a_parked(2).with_key("k").held().blocking(), a_parked(3).with_key("k").held().blocking()},
             {.reached = 3});
  const Answer answer = place.get("blocked");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(size_at(answer, "/items"), 1U);
  EXPECT_EQ(number_at(answer, "/items/0/sequence"), 1);
  EXPECT_EQ(text_at(answer, "/items/0/dispatch_key"), "k");
  EXPECT_EQ(number_at(answer, "/items/0/waiting_count"), 2);
  EXPECT_EQ(text_at(answer, "/items/0/due_at"), "2026-01-02T03:04:05.678Z");
  EXPECT_EQ(place.post("unblock", R"({"sequence":1,"destination":"fn:a"})").status, 202);
  EXPECT_EQ(place.post("unblock", R"({"sequence":9,"destination":"fn:a"})").status, 404);
  EXPECT_EQ(
      detail(place.post("unblock", R"({"sequence":"1","destination":"a b"})")),
      "The body has 2 mistakes: sequence is \"1\"; allowed: an integer from 1 to 9223372036854775807; destination is "
      "a b; allowed: letters, digits and _.:-/.");
}

TEST(Outbox, TellsItsLaneItsSidesAndItsBacklog) {
  Place place;
  for (const char* name : {"a", "b", "c"}) place.enqueue(a_message(name));
  const SideLane side{.scope = {.destination = "fn:a"}, .is_paused = true, .reached = 1};
  place.turn({a_parked(1).dead().with_error("X", "y")},
             {.reached = 2, .under_way = {{"fn:b", {2}}}, .sides = {side}, .suspects = {{"fn:b", {{2, 1}}}}});
  const Answer answer = place.get("/api/outboxes/makegood_outbox");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text_at(answer, "/lane/owner"), "owner");
  EXPECT_EQ(at(answer, "/lane/is_owned"), "false");
  EXPECT_EQ(number_at(answer, "/lane/counter"), 3);
  EXPECT_EQ(number_at(answer, "/lane/reached"), 2);
  EXPECT_EQ(number_at(answer, "/lane/lag"), 1);
  EXPECT_EQ(number_at(answer, "/lane/under_way_count"), 1);
  EXPECT_EQ(number_at(answer, "/lane/suspects/0/sequence"), 2);
  EXPECT_EQ(text_at(answer, "/sides/0/destination"), "fn:a");
  EXPECT_EQ(number_at(answer, "/sides/0/lag"), 2);
  EXPECT_EQ(at(answer, "/sides/0/tenant_id"), "null");
  EXPECT_EQ(number_at(answer, "/backlog/pending_count"), 1);
  EXPECT_EQ(text_at(place.get("sides"), "/items/0/why"), "paused");
  EXPECT_EQ(number_at(place.get("lanes"), "/reached"), 2);
  EXPECT_EQ(text_at(place.get("lanes"), "/sides/0/why"), "paused");
}

TEST(Outbox, TellsOfOneThatWasNeverTaken) {
  Place place;
  const Answer answer = place.get("/api/outboxes/makegood_outbox");
  EXPECT_EQ(at(answer, "/lane/owner"), "null");
  EXPECT_EQ(at(answer, "/lane/at"), "null");
  EXPECT_EQ(number_at(place.get("/api/outboxes"), "/items/0/pending_count"), 0);
}

}  // namespace
}  // namespace makegood::api
