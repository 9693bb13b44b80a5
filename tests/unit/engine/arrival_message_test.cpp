#include "engine/arrival_message.hpp"

#include <gtest/gtest.h>

#include "tests/support/value_of.hpp"

namespace makegood {
namespace {

const ArrivalRules usual{.source = "kafka:orders", .topic = {}, .tenant_id = {}};

Arrival arrival(std::vector<std::pair<std::string, std::string>> headers = {},
                std::optional<std::string> value = R"({"n": 1})") {
  return {.partition = "orders/3",
          .at = "41",
          .next = "42",
          .topic = "orders",
          .key = "customer-7",
          .value = std::move(value),
          .headers = std::move(headers)};
}
NewMessage taken(const Arrival& of, const ArrivalRules& rules = usual) { return value_of(message_of(of, rules)); }

TEST(ArrivalMessage, IsNamedByItsPlaceWhenItHasNoNameOfItsOwn) {
  const NewMessage message = taken(arrival());
  EXPECT_EQ(message.event_id, "kafka:orders/orders/3@41");
  EXPECT_EQ(message.topic, "orders");
  EXPECT_EQ(message.tenant_id, "default");
  EXPECT_EQ(message.dispatch_key, "customer-7");
  EXPECT_EQ(message.payload, R"({"n": 1})");
  EXPECT_FALSE(message.body);
}

TEST(ArrivalMessage, KeepsEveryNameThatOurOwnProducerGivesIt) {
  const NewMessage message = taken(arrival({{"event_id", "e-1"},
                                            {"topic", "order.placed"},
                                            {"tenant_id", "acme"},
                                            {"dispatch_key", "order-1"},
                                            {"envelope_id", "v-1"},
                                            {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
                                            {"tracestate", "a=1"},
                                            {"x-origin", "near"},
                                            {"sequence", "7"}}));
  EXPECT_EQ(message.event_id, "e-1");
  EXPECT_EQ(message.topic, "order.placed");
  EXPECT_EQ(message.tenant_id, "acme");
  EXPECT_EQ(message.dispatch_key, "order-1");
  EXPECT_EQ(message.envelope_id, "v-1");
  EXPECT_EQ(message.tracestate, "a=1");
  EXPECT_EQ(message.headers, (std::map<std::string, std::string>{{"x-origin", "near"}}));
}

TEST(ArrivalMessage, UnderstandsCloudEventsAndDebezium) {
  const NewMessage event = taken(arrival({{"ce_id", "c-1"}, {"ce_type", "order.paid"}}));
  EXPECT_EQ(event.event_id, "c-1");
  EXPECT_EQ(event.topic, "order.paid");
  const NewMessage routed = taken(arrival({{"id", "d-1"}, {"eventType", "order.sent"}, {"aggregateId", "9"}}));
  EXPECT_EQ(routed.event_id, "d-1");
  EXPECT_EQ(routed.topic, "order.sent");
  EXPECT_EQ(routed.dispatch_key, "9");
}

TEST(ArrivalMessage, ObeysItsSourceBeforeItself) {
  const NewMessage message = taken(arrival({{"topic", "order.placed"}, {"tenant_id", "mallory"}}),
                                   {.source = "kafka:orders", .topic = "order.in", .tenant_id = "acme"});
  EXPECT_EQ(message.topic, "order.in");
  EXPECT_EQ(message.tenant_id, "acme");
}

TEST(ArrivalMessage, HasNoKeyWhereItsProducerHadNone) {
  Arrival own = arrival({{"event_id", "e-1"}});
  own.key = "e-1";
  EXPECT_EQ(taken(own).dispatch_key, "");
  own.key.clear();
  EXPECT_EQ(taken(own).dispatch_key, "");
}

TEST(ArrivalMessage, KeepsTheOrderOfKeysThatAreNoText) {
  Arrival binary = arrival();
  binary.key = std::string("\x00\xff", 2);
  const std::string key = taken(binary).dispatch_key;
  EXPECT_EQ(key.size(), 64U);
  EXPECT_EQ(taken(binary).dispatch_key, key);
  binary.key = std::string("\x00\xfe", 2);
  EXPECT_NE(taken(binary).dispatch_key, key);
}

TEST(ArrivalMessage, TakesForBytesWhatIsNoJson) {
  const std::string avro("\x00\x01\xff", 3);
  EXPECT_EQ(taken(arrival({}, avro)).body, avro);
  EXPECT_EQ(taken(arrival({}, R"({"n": )")).body, R"({"n": )");
  const NewMessage text = taken(arrival({{"content-type", "text/plain"}}, "1"));
  EXPECT_EQ(text.body, "1");
  EXPECT_EQ(text.content_type, "text/plain");
  EXPECT_EQ(taken(arrival({{"content-type", "application/cloudevents+json; charset=utf-8"}}, "1")).payload, "1");
  EXPECT_EQ(taken(arrival({}, std::nullopt)).payload, "null");
  EXPECT_EQ(taken(arrival({}, "")).body, "");
}

TEST(ArrivalMessage, IsRefusedForWhatCannotBeEnqueued) {
  EXPECT_FALSE(message_of(arrival({{"x-binary", std::string("\xff\x00", 2)}}), usual));
  EXPECT_FALSE(message_of(arrival({{"no name", "x"}}), usual));
  EXPECT_FALSE(message_of(arrival({{"event_id", std::string(129, 'e')}}), usual));
  EXPECT_FALSE(message_of(arrival({{"topic", "makegood.delivery.dead"}}), usual));
  EXPECT_FALSE(message_of(arrival({{"tenant_id", "\xff"}}), usual));
}

TEST(ArrivalMessage, StaysVisibleWithItsBytesAndTheReasonWhenItIsRefused) {
  const Arrival odd = arrival({{"topic", "\xff"}}, std::string("\x00\x01", 2));
  const auto refused = message_of(odd, usual);
  ASSERT_FALSE(refused);
  const NewMessage dead = unreadable_message(odd, usual, refused.error());
  EXPECT_EQ(dead.topic, unreadable_topic);
  EXPECT_EQ(dead.event_id, "kafka:orders/orders/3@41");
  EXPECT_EQ(dead.body, odd.value);
  EXPECT_EQ(dead.headers.at("code"), "REQUEST.INVALID");
  EXPECT_EQ(dead.headers.at("source"), "kafka:orders/orders/3@41");
}

TEST(ArrivalMessage, HasANameOfBoundedLengthWhateverItsPlace) {
  Arrival far = arrival();
  far.partition = std::string(249, 't') + "/3";
  EXPECT_EQ(taken(far).event_id.size(), 64U);
}

}  // namespace
}  // namespace makegood
