// What goes into the log comes out of it exactly, once, in order, or not at all.
#include <rapidjson/document.h>

#include <map>

#include "makegood/id.hpp"
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

std::map<std::string, std::string> headers_of(const Message& message) {
  rapidjson::Document document;
  document.Parse(message.headers.data(), message.headers.size());
  std::map<std::string, std::string> headers;
  if (!document.IsObject()) return headers;
  for (const auto& [name, value] : document.GetObject()) {
    headers.emplace(std::string(name.GetString(), name.GetStringLength()),
                    std::string(value.GetString(), value.GetStringLength()));
  }
  return headers;
}

std::string every_byte() {
  std::string bytes;
  for (int value = 0; value < 256; ++value) bytes.push_back(static_cast<char>(value));
  return bytes;
}

NewMessage full_message() {
  return {.topic = "orders.placed",
          .payload = R"({ "total" : 1.10, "total" : 2 })",  // Spaces, a trailing zero, a name twice: kept as they are.
          .event_id = "01890a5d-ac96-774b-bcce-b302099a8057",
          .tenant_id = "acme",
          .dispatch_key = "customer-42",
          .priority = -7,
          .content_type = "application/vnd.acme+json",
          .headers = {{"a", "1"}, {"quoted", "\"back\\slash\", ü, 🚚"}},
          .envelope_id = "envelope-9",
          .traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
          .tracestate = "vendor=1",
          .available_at = from_milliseconds(1'800'000'000'123),
          .expires_at = from_milliseconds(1'900'000'000'456)};
}

void expect_every_field(const Message& got, const NewMessage& sent) {
  EXPECT_TRUE(sent.event_id.empty() || got.event_id == sent.event_id) << got.event_id;
  EXPECT_EQ(got.tenant_id, sent.tenant_id);
  EXPECT_EQ(got.topic, sent.topic);
  EXPECT_EQ(got.dispatch_key, sent.dispatch_key);
  EXPECT_EQ(got.content, sent.payload);
  EXPECT_TRUE(got.is_json);
  EXPECT_EQ(got.content_type, sent.content_type);
  EXPECT_EQ(headers_of(got), sent.headers);
  EXPECT_EQ(got.envelope_id, sent.envelope_id);
  EXPECT_EQ(got.traceparent, sent.traceparent);
  EXPECT_EQ(got.tracestate, sent.tracestate);
  EXPECT_EQ(got.priority, sent.priority);
  EXPECT_EQ(got.available_at, sent.available_at);
  EXPECT_EQ(got.expires_at, sent.expires_at);
}

}  // namespace

TEST_P(StoreSuite, HasANameOfItsOwn) { EXPECT_EQ(store().features().name, GetParam().name); }

TEST_P(StoreSuite, MigratesAgainWithoutLosingAnything) {
  enqueue(a_message("m1"));
  ASSERT_TRUE(store().migrate());
  EXPECT_EQ(log(), std::vector<std::string>({"m1"}));
}

TEST_P(StoreSuite, ReadsInTheOrderOfEnqueueing) {  // I4
  enqueue_all({a_message("m1"), a_message("m2")});
  enqueue(a_message("m3"));
  EXPECT_EQ(log(), std::vector<std::string>({"m1", "m2", "m3"}));
}

TEST_P(StoreSuite, NumbersRise) {
  const auto first = enqueue_all({a_message("m1"), a_message("m2")});
  const Sequence later = enqueue(a_message("m3"));
  EXPECT_GT(first[0], 0);
  EXPECT_LT(first[0], first[1]);
  EXPECT_LT(first[1], later);
}

TEST_P(StoreSuite, AnswersTheNumberThatIsReadBack) {
  const auto numbers = enqueue_all({a_message("m1"), a_message("m2")});
  EXPECT_EQ(sequences(value_of(store().look(all_beyond(0))).rows), numbers);
}

TEST_P(StoreSuite, CounterIsTheHighestNumberDrawn) {
  EXPECT_EQ(value_of(store().look(all_beyond(0))).counter, 0);
  const Sequence last = enqueue_all({a_message("m1"), a_message("m2")}).back();
  EXPECT_EQ(value_of(store().look(all_beyond(0))).counter, last);
}

TEST_P(StoreSuite, EnqueueingNothingIsFine) {
  EXPECT_TRUE(value_of(store().enqueue({})).empty());
  EXPECT_TRUE(log().empty());
}

TEST_P(StoreSuite, DrawsAnEventIdWhereThereIsNone) {
  enqueue_all({a_message("m1").with_event_id(""), a_message("m1").with_event_id("")});
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_TRUE(is_uuid(found.rows[0]->event_id));
  EXPECT_NE(found.rows[0]->event_id, found.rows[1]->event_id);
}

TEST_P(StoreSuite, TakesUuidsAndUlidsAsEventIds) {
  const std::string ulid = new_ulid();
  const std::string uuid4 = "c0ffee00-1234-4abc-9def-0123456789ab";
  enqueue_all({a_message("m1").with_event_id(ulid), a_message("m2").with_event_id(uuid4)});
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0]->event_id, ulid);
  EXPECT_EQ(found.rows[1]->event_id, uuid4);
}

TEST_P(StoreSuite, AnswersARepeatedEventWithItsFirstNumber) {
  const Sequence first = enqueue(a_message("m1"));
  enqueue(a_message("m2"));
  const NewMessage again = a_message("m1");
  const auto answers = value_of(store().enqueue({&again, 1}));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].sequence, first);
  EXPECT_TRUE(answers[0].was_there);
  EXPECT_EQ(log(), std::vector<std::string>({"m1", "m2"}));
}

TEST_P(StoreSuite, SaysThatANewEventIsNew) {
  const NewMessage message = a_message("m1");
  EXPECT_FALSE(value_of(store().enqueue({&message, 1})).at(0).was_there);
}

TEST_P(StoreSuite, RecognisesARepeatWithinOneCall) {
  const std::vector<NewMessage> messages = {a_message("m1"), a_message("m1")};
  const auto answers = value_of(store().enqueue(messages));
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_FALSE(answers[0].was_there);
  EXPECT_TRUE(answers[1].was_there);
  EXPECT_EQ(answers[0].sequence, answers[1].sequence);
  EXPECT_EQ(log().size(), 1U);
}

TEST_P(StoreSuite, RecognisesARepeatOfAMessageWithEveryField) {
  const NewMessage message = full_message();
  const Sequence first = value_of(store().enqueue({&message, 1})).at(0).sequence;
  const Enqueued again = value_of(store().enqueue({&message, 1})).at(0);
  EXPECT_TRUE(again.was_there);
  EXPECT_EQ(again.sequence, first);
}

TEST_P(StoreSuite, RecognisesARepeatMadeLater) {  // A retry of the producer carries its content, not its time.
  enqueue(a_message("m1"));
  clock().advance(1h);
  const NewMessage again = a_message("m1");
  EXPECT_TRUE(value_of(store().enqueue({&again, 1})).at(0).was_there);
}

TEST_P(StoreSuite, RecognisesARepeatUnderAnotherTrace) {
  NewMessage message = full_message();
  const Sequence first = enqueue(message);
  message.traceparent = "00-00000000000000000000000000000001-0000000000000001-00";
  message.tracestate = "vendor=2";
  EXPECT_EQ(enqueue(message), first);
}

TEST_P(StoreSuite, RefusesAnEventIdWithOtherContent) {
  enqueue(a_message("m1"));
  NewMessage other_priority = a_message("m1");
  other_priority.priority = 9;
  NewMessage other_type = a_message("m1");
  other_type.content_type = "text/plain";
  const std::vector<NewMessage> others = {a_message("m1").with_payload("2"),
                                          a_message("m1").with_payload(" \"m1\""),
                                          a_message("m1").with_topic("orders.cancelled"),
                                          a_message("m1").with_body("\"m1\""),
                                          a_message("m1").with_key("k"),
                                          a_message("m1").with_header("h", "v"),
                                          other_priority,
                                          other_type};
  for (std::size_t index = 0; index < others.size(); ++index) {
    EXPECT_EQ(code_of(store().enqueue({&others[index], 1})), Errc::conflict) << "message " << index;
  }
  EXPECT_EQ(log(), std::vector<std::string>({"m1"}));
}

TEST_P(StoreSuite, EventIdsAreEachTenantsOwn) {
  const Sequence ours = enqueue(a_message("m1").of_tenant("ours"));
  const Sequence theirs = enqueue(a_message("m1").of_tenant("theirs").with_payload("\"else\""));
  EXPECT_NE(ours, theirs);
  EXPECT_EQ(log(), std::vector<std::string>({"m1", "else"}));
}

TEST_P(StoreSuite, EnqueuesAllOrNone) {
  enqueue(a_message("m1"));
  const std::vector<NewMessage> messages = {a_message("m2"), a_message("m1").with_payload("2"), a_message("m3")};
  EXPECT_EQ(code_of(store().enqueue(messages)), Errc::conflict);
  EXPECT_EQ(log(), std::vector<std::string>({"m1"}));
  enqueue_all({a_message("m2"), a_message("m3")});  // Their event ids were not used up.
  EXPECT_EQ(log(), std::vector<std::string>({"m1", "m2", "m3"}));
}

TEST_P(StoreSuite, EnqueuesManyAtOnce) {
  std::vector<NewMessage> messages;
  messages.reserve(3000);
  for (int number = 0; number < 3000; ++number) messages.push_back(a_message("m" + std::to_string(number)));
  const auto answers = value_of(store().enqueue(messages));
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), messages.size());
  for (std::size_t index = 0; index < messages.size(); ++index) {
    ASSERT_EQ(found.rows[index]->sequence, answers[index].sequence);
    ASSERT_EQ(found.rows[index]->content, messages[index].payload);
  }
}

TEST_P(StoreSuite, GivesEveryFieldBack) {  // I9
  const NewMessage sent = full_message();
  const TimePoint enqueued_at = clock().now();
  const Sequence sequence = value_of(store().enqueue({&sent, 1})).at(0).sequence;
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), 1U);
  const Message& got = *found.rows[0];
  EXPECT_EQ(got.sequence, sequence);
  EXPECT_EQ(to_milliseconds(got.created_at), to_milliseconds(enqueued_at));
  expect_every_field(got, sent);
}

TEST_P(StoreSuite, GivesEveryFieldBackOfManyThatDiffer) {  // I9
  NewMessage unnamed = full_message();
  unnamed.event_id.clear();
  const NewMessage plain = a_message("m").with_event_id("");
  enqueue_all({a_message("m1"), full_message(), a_message("m3").with_body("\1\2")});
  enqueue_all({plain, unnamed, plain});
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), 6U);
  expect_every_field(*found.rows[1], full_message());
  EXPECT_EQ(found.rows[2]->content, "\1\2");
  expect_every_field(*found.rows[4], unnamed);
  for (const std::size_t index : {0U, 2U, 3U, 5U}) {
    EXPECT_EQ(found.rows[index]->priority, 0);
    EXPECT_EQ(found.rows[index]->headers, "");
    EXPECT_EQ(found.rows[index]->traceparent, "");
  }
}

TEST_P(StoreSuite, GivesBackWhatManyPlainOnesHave) {  // I9
  const std::vector<NewMessage> sent = {{.topic = "orders.placed", .payload = "1", .dispatch_key = "order-1"},
                                        {.topic = "orders.placed", .payload = "2", .headers = {{"source", "shop"}}},
                                        {.topic = "orders.paid", .payload = "3", .tenant_id = "acme"}};
  const auto answers = value_of(store().enqueue(sent));
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), sent.size());
  for (std::size_t index = 0; index < sent.size(); ++index) {
    NewMessage expected = sent[index];
    expected.content_type = "application/json";
    expected.available_at = clock().now();
    EXPECT_EQ(found.rows[index]->sequence, answers[index].sequence);
    expect_every_field(*found.rows[index], expected);
    EXPECT_EQ(found.rows[index]->created_at, clock().now());
  }
}

TEST_P(StoreSuite, FillsInWhatWasLeftOut) {
  const TimePoint enqueued_at = clock().now();
  const std::vector<NewMessage> sent = {{.topic = "orders.placed", .payload = "{}"},
                                        {.topic = "orders.placed", .body = "raw"}};
  value_of(store().enqueue(sent));
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), 2U);
  const Message& json = *found.rows[0];
  EXPECT_EQ(json.tenant_id, "default");
  EXPECT_EQ(json.dispatch_key, "");
  EXPECT_EQ(json.content_type, "application/json");
  EXPECT_TRUE(headers_of(json).empty());
  EXPECT_EQ(json.envelope_id, "");
  EXPECT_EQ(json.traceparent, "");
  EXPECT_EQ(json.tracestate, "");
  EXPECT_EQ(json.priority, 0);
  EXPECT_LE(to_milliseconds(json.available_at), to_milliseconds(enqueued_at));
  EXPECT_EQ(json.expires_at, std::nullopt);
  EXPECT_EQ(found.rows[1]->content_type, "application/octet-stream");
  EXPECT_FALSE(found.rows[1]->is_json);
}

TEST_P(StoreSuite, GivesEveryByteOfABodyBack) {  // I9
  const std::vector<std::string> bodies = {"",
                                           std::string(1, '\0'),
                                           std::string("a\0b", 3),
                                           every_byte(),
                                           "Größe 🚚 日本語",
                                           "\xff\xfe not UTF-8",
                                           R"({"looks":"like JSON"})",
                                           std::string(4096, 'x')};
  for (const std::string& body : bodies) enqueue(a_message("b").with_event_id("").with_body(body));
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), bodies.size());
  for (std::size_t index = 0; index < bodies.size(); ++index) {
    EXPECT_EQ(found.rows[index]->content, bodies[index]) << "body " << index;
    EXPECT_FALSE(found.rows[index]->is_json) << "body " << index;
  }
}

TEST_P(StoreSuite, GivesEveryByteOfAPayloadBack) {  // I9
  const std::vector<std::string> payloads = {
      R"({"b":1,"a":2})",        R"(  [1 ,2]  )", R"("\u0000 \ud83d\ude9a")",
      "\"Größe 🚚 日本語\"",     "1e400",         "0.10",
      "12345678901234567890123", "null",          '"' + std::string(4096, 'y') + '"'};
  for (const std::string& payload : payloads) enqueue(a_message("p").with_event_id("").with_payload(payload));
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), payloads.size());
  for (std::size_t index = 0; index < payloads.size(); ++index) {
    EXPECT_EQ(found.rows[index]->content, payloads[index]) << "payload " << index;
  }
}

TEST_P(StoreSuite, GivesAMebibyteBack) {  // I9
  std::string body;
  while (body.size() < (std::size_t{1} << 20)) body += every_byte();
  auto producer = begin();
  value_of(producer->enqueue(a_message("big").with_body(body)));
  must(producer->commit());
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_TRUE(found.rows[0]->content == body);  // Not EXPECT_EQ: it would print both.
}

TEST_P(StoreSuite, KeepsUnicodeInEveryText) {
  enqueue(a_message("m1").of_tenant("Mieter-Ü").with_key("schlüssel 🚚").with_topic("bestellung.größe"));
  const Found found = value_of(store().look(all_beyond(0)));
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0]->tenant_id, "Mieter-Ü");
  EXPECT_EQ(found.rows[0]->dispatch_key, "schlüssel 🚚");
  EXPECT_EQ(found.rows[0]->topic, "bestellung.größe");
}

}  // namespace makegood::conformance
