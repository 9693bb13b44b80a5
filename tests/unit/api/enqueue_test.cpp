#include "api/enqueue.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "makegood/schema.hpp"
#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

TEST(Enqueue, KeepsThePayloadByteForByte) {
  Place place;
  const std::string payload = R"({ "total" : 1.0, "n":1e3,"big":123456789012345678901234567890, "text":"\u0041\/ä" })";
  const Answer answer = place.post("messages", R"({"topic":"order.placed","payload":)" + payload + "}");
  ASSERT_EQ(answer.status, 201) << answer.body;
  const Answer message = place.get("messages/" + at(answer, "/sequence"));
  EXPECT_EQ(text_at(message, "/payload_text"), payload);
  EXPECT_EQ(at(message, "/body_base64"), "null");
}

TEST(Enqueue, KeepsAnyKindOfPayload) {
  Place place;
  for (const std::string payload : {"null", "true", "0.10", "\"x\"", "[1, 2]", "{}"}) {
    const Answer answer = place.post("messages", R"({"topic":"t","payload": )" + payload + " }");
    ASSERT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(text_at(place.get("messages/" + at(answer, "/sequence")), "/payload_text"), payload);
  }
}

TEST(Enqueue, TakesThePayloadAsATextOrABodyInBase64) {
  Place place;
  const Answer text = place.post("messages", R"({"topic":"t","payload_text":"{\"a\": 1.0}"})");
  EXPECT_EQ(text_at(place.get("messages/" + at(text, "/sequence")), "/payload_text"), R"({"a": 1.0})");
  const Answer body = place.post("messages", R"({"topic":"t","body_base64":"AAH/","content_type":"image/x"})");
  const Answer message = place.get("messages/" + at(body, "/sequence"));
  EXPECT_EQ(at(message, "/payload_text"), "null");
  EXPECT_EQ(text_at(message, "/body_base64"), "AAH/");
  EXPECT_EQ(text_at(message, "/content_type"), "image/x");
}

TEST(Enqueue, LendsTheTraceOfTheCallToMessagesThatNameNone) {
  Place place;
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const auto enqueue_with = [&](const std::string& traceparent, const std::string& more) {
    const Answer answer = place.call({.method = "POST",
                                      .path = "/api/outboxes/makegood_outbox/messages",
                                      .content_type = "application/json",
                                      .body = R"({"topic":"t","payload":1)" + more + "}",
                                      .traceparent = traceparent,
                                      .tracestate = "a=b"});
    return place.get("messages/" + at(answer, "/sequence"));
  };
  EXPECT_EQ(text_at(enqueue_with(trace, ""), "/traceparent"), trace);
  EXPECT_EQ(text_at(enqueue_with(trace, ""), "/tracestate"), "a=b");
  EXPECT_EQ(text_at(enqueue_with(trace, R"(,"traceparent":"own")"), "/traceparent"), "own");
  EXPECT_EQ(at(enqueue_with(trace, R"(,"traceparent":"own")"), "/tracestate"), "null");
  EXPECT_EQ(at(enqueue_with("nonsense", ""), "/traceparent"), "null") << "as the standard says";
}

TEST(Enqueue, RefusesSecondsWhereMillisecondsAreMeantAndAnEmptyPayload) {
  Place place;
  const Answer answer = place.post("messages", R"({"topic":"t","payload":1,"expires_at":"1970-01-21T10:55:23Z"})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(detail(answer).find("looks like seconds"), std::string::npos) << detail(answer);
  EXPECT_EQ(place.post("messages", R"({"topic":"t","payload_text":""})").status, 400);
}

TEST(Enqueue, KeepsEverythingElseThatWasSaid) {
  Place place;
  const Answer answer = place.post(
      "messages",
      R"({"topic":"order.placed","payload":1,"event_id":"0199b2d4-1f00-7a3c-9a3e-2f1f9d0c1a55","tenant_id":"acme",)"
      R"("dispatch_key":"order-7","priority":-3,"headers":{"x-a":"1"},"envelope_id":"e","traceparent":"tp",)"
      R"("tracestate":"ts","available_at":"2090-01-02T03:04:05Z","expires_at":"2091-01-02T03:04:05Z"})");
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(text_at(answer, "/event_id"), "0199b2d4-1f00-7a3c-9a3e-2f1f9d0c1a55");
  const Answer message = place.get("messages/0199b2d4-1f00-7a3c-9a3e-2f1f9d0c1a55");
  EXPECT_EQ(text_at(message, "/tenant_id"), "acme");
  EXPECT_EQ(text_at(message, "/dispatch_key"), "order-7");
  EXPECT_EQ(number_at(message, "/priority"), -3);
  EXPECT_EQ(text_at(message, "/headers/x-a"), "1");
  EXPECT_EQ(text_at(message, "/envelope_id"), "e");
  EXPECT_EQ(text_at(message, "/traceparent"), "tp");
  EXPECT_EQ(text_at(message, "/tracestate"), "ts");
  EXPECT_EQ(text_at(message, "/available_at"), "2090-01-02T03:04:05.000Z");
  EXPECT_EQ(text_at(message, "/expires_at"), "2091-01-02T03:04:05.000Z");
}

TEST(Enqueue, TellsTheEventIdThatItHasDrawn) {
  Place place;
  const Answer answer = place.post("messages", R"({"topic":"t","payload":1})");
  EXPECT_EQ(at(answer, "/was_there"), "false");
  EXPECT_EQ(place.get("messages/" + text_at(answer, "/event_id")).status, 200);
}

TEST(Enqueue, AnswersTheSameEventWithItsFirstNumber) {
  Place place;
  const std::string body = R"({"topic":"t","payload":1,"event_id":"0199b2d4-1f00-7a3c-9a3e-2f1f9d0c1a55"})";
  const Answer first = place.post("messages", body);
  const Answer second = place.post("messages", body);
  EXPECT_EQ(second.status, 201);
  EXPECT_EQ(at(second, "/sequence"), at(first, "/sequence"));
  EXPECT_EQ(at(second, "/was_there"), "true");
  const Answer other =
      place.post("messages", R"({"topic":"t","payload":2,"event_id":"0199b2d4-1f00-7a3c-9a3e-2f1f9d0c1a55"})");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(text_at(other, "/code"), "STORAGE.CONFLICT");
}

TEST(Enqueue, TakesManyAtOnceAllOrNone) {
  Place place;
  const Answer answer = place.post(
      "messages",
      R"({"messages":[{"topic":"a","payload":1.50},{"topic":"b","payload_text":"2"},{"topic":"c","body_base64":""}]})");
  ASSERT_EQ(answer.status, 201) << answer.body;
  ASSERT_EQ(size_at(answer, "/items"), 3U);
  EXPECT_EQ(text_at(place.get("messages/" + at(answer, "/items/0/sequence")), "/payload_text"), "1.50");
  const Answer wrong = place.post("messages", R"({"messages":[{"topic":"a","payload":1},{"topic":"b"}, 7]})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(
      detail(wrong),
      "The body has 2 mistakes: messages[1].payload or payload_text or body_base64 must be given, one of them; there "
      "is none; messages[2] is not an object.");
  EXPECT_EQ(size_at(place.get("messages"), "/items"), 3U);
}

TEST(Enqueue, TellsEveryMistakeAndNeverThePayload) {
  Place place;
  const Answer answer =
      place.post("messages", R"({"topci":"t","payload":"secret","payload_text":"secret","priority":1.5,)"
                             R"("headers":{"a":1},"available_at":"soon","body_base64":7})");
  EXPECT_EQ(answer.status, 400);
  for (const char* part :
       {"topci is not a member; is it topic?", "topic is missing", "priority is 1.5; allowed: an integer",
        "headers.a is not a text", "available_at is soon", "there are 3", "body_base64 is not a text"}) {
    EXPECT_NE(detail(answer).find(part), std::string::npos) << part << "\n" << detail(answer);
  }
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
}

TEST(Enqueue, RefusesBodiesThatAreNotBase64) {
  Place place;
  EXPECT_EQ(detail(place.post("messages", R"({"topic":"t","body_base64":"!"})")),
            "The body has 1 mistake: body_base64 is not base 64 with padding.");
}

TEST(Enqueue, RefusesNoneAndTooMany) {
  Place place;
  EXPECT_EQ(place.post("messages", R"({"messages":[]})").status, 400);
  EXPECT_EQ(place.post("messages", R"({"messages":{}})").status, 400);
  std::string many = R"({"messages":[)";
  for (int i = 0; i < 10'001; ++i) many += std::string(i == 0 ? "" : ",") + R"({"topic":"t","payload":1})";
  EXPECT_EQ(detail(place.post("messages", many + "]}")),
            "The body has 1 mistake: messages has 10001; allowed: 1 to 10000.");
}

TEST(Enqueue, RefusesAPayloadThatIsNotJson) {
  Place place;
  EXPECT_EQ(detail(place.post("messages", R"({"topic":"t","payload_text":"not json"})")),
            "The body has 1 mistake: payload_text is not JSON; use body_base64 for what is not.");
}

TEST(Enqueue, TellsWhatTheStoreRefuses) {
  Place place;
  const Answer answer = place.post("messages", R"({"topic":"t\n","payload":1})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(detail(answer), "The topic must have at most 255 bytes and no control characters.");
}

TEST(Enqueue, FollowsTheRulesOfTheProcess) {
  Place place;
  PayloadSchemas schemas;
  ASSERT_TRUE(schemas.add("order.*", R"({"type":"object"})"));
  place.api_context().enqueue_rules = {.content_bytes_max = 4, .schemas = &schemas};
  place.reopen();
  EXPECT_EQ(place.post("messages", R"({"topic":"t","payload":12345})").status, 413);
  EXPECT_EQ(place.post("messages", R"({"topic":"order.placed","payload":1})").status, 422);
  EXPECT_EQ(place.post("messages", R"({"topic":"order.placed","payload":{}})").status, 201);
  EXPECT_EQ(place.post("messages", R"({"topic":"order.placed","body_base64":"AAH/"})").status, 201);
  EXPECT_EQ(detail(place.post("messages", R"({"messages":[{"topic":"a","payload":1},{"topic":"b","payload":12345}]})")),
            "messages[1]: The content has 5 bytes; the limit is 4.");
}

TEST(Enqueue, TakesWhatIsLargerThanUsualWhereTheRulesAllowIt) {
  Place place;
  place.api_context().enqueue_rules.content_bytes_max = std::size_t{1} << 20;
  place.reopen();
  const std::string large(500'000, 'x');
  EXPECT_EQ(place.post("messages", R"({"topic":"t","payload":")" + large + R"("})").status, 201);
}

TEST(Enqueue, LetsAMessageExpireThatDoesNotSayWhen) {
  Place place;
  place.api_context().expire_after = std::chrono::hours(1);
  place.reopen();
  const Answer one = place.post("messages", R"({"topic":"t","payload":1,"available_at":"2090-01-02T03:04:05Z"})");
  EXPECT_EQ(text_at(place.get("messages/" + at(one, "/sequence")), "/expires_at"), "2090-01-02T04:04:05.000Z");
  const Answer own = place.post("messages", R"({"topic":"t","payload":1,"expires_at":"2091-01-02T03:04:05Z"})");
  EXPECT_EQ(text_at(place.get("messages/" + at(own, "/sequence")), "/expires_at"), "2091-01-02T03:04:05.000Z");
}

TEST(Enqueue, RefusesAHeaderThatNoTransportCouldSend) {
  Place place;
  const Answer answer = place.post("messages", R"({"topic":"t","payload":1,"headers":{"a b":"v"}})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(detail(answer).find("allowed: letters, digits"), std::string::npos) << detail(answer);
}

TEST(Enqueue, IsDecodedForAServerOnlyWhereItIsOne) {
  const Call call{.method = "POST",
                  .path = "/api/outboxes/some%5Foutbox/messages",
                  .content_type = "application/json",
                  .body = R"({"topic":"t","payload":1})"};
  const auto decoded = decode_enqueue(call, {});
  ASSERT_TRUE(decoded && *decoded);
  EXPECT_EQ((*decoded)->outbox, "some_outbox");
  EXPECT_FALSE((*decoded)->is_bulk);
  EXPECT_EQ((*decoded)->messages.at(0).payload, "1");

  Call other = call;
  other.path = "/api/outboxes/some_outbox/pause";
  EXPECT_FALSE(decode_enqueue(other, {}));
  other = call;
  other.method = "GET";
  EXPECT_FALSE(decode_enqueue(other, {}));
  other = call;
  other.content_type = "text/plain";
  EXPECT_FALSE(decode_enqueue(other, {}));
  other = call;
  other.body = "{";
  ASSERT_TRUE(decode_enqueue(other, {}));
  EXPECT_FALSE(*decode_enqueue(other, {}));
}

TEST(Enqueue, IsAnsweredForAServer) {
  EnqueueCall call{.outbox = "o", .messages = {testing_support::a_message("a")}};
  const Answer one = enqueue_answer(call, std::vector<Enqueued>{{.sequence = 7, .was_there = true}});
  EXPECT_EQ(one.status, 201);
  EXPECT_EQ(at(one, "/sequence"), "7");
  EXPECT_EQ(at(one, "/was_there"), "true");
  call.is_bulk = true;
  EXPECT_EQ(at(enqueue_answer(call, std::vector<Enqueued>{{.sequence = 7}}), "/items/0/sequence"), "7");
  EXPECT_EQ(enqueue_answer(call, Error{Errc::store_full, "Full."}).status, 507);
}

}  // namespace
}  // namespace makegood::api
