#include "transports/broker/headers.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/committed_message.hpp"

namespace makegood::broker {
namespace {

using Headers = std::map<std::string, std::string>;

Result<Headers> headers_of(const testing_support::MessageTexts& texts, std::string_view prefix) {
  const Delivery delivery{.message = testing_support::committed_message(texts, 7),
                          .destination = std::make_shared<const Destination>(Destination{.name = "nats:orders"}),
                          .outbox = "shop"};
  Headers headers;
  MAKEGOOD_TRY(for_each_header(delivery, prefix, [&](std::string_view name, std::string_view value) {
    EXPECT_TRUE(headers.emplace(name, value).second) << name << " is there twice";
  }));
  return headers;
}

TEST(BrokerHeaders, AreAnEventAndTheDeliveryAndTheProducers) {
  const Headers headers = *headers_of({.event_id = "e1", .headers = R"({"x-origin":"near"})"}, "ce-");
  EXPECT_EQ(headers.at("ce-id"), "e1");
  EXPECT_EQ(headers.at("event_id"), "e1");
  EXPECT_EQ(headers.at("sequence"), "7");
  EXPECT_EQ(headers.at("x-origin"), "near");
}

TEST(BrokerHeaders, OfAProducerNeverTakeThePlaceOfOurs) {
  const Headers headers =
      *headers_of({.event_id = "e1", .headers = R"({"event_id":"forged","ce-id":"forged"})"}, "ce-");
  EXPECT_EQ(headers.at("event_id"), "e1");
  EXPECT_EQ(headers.at("ce-id"), "e1");
}

TEST(BrokerHeaders, LeaveTheEventOutWhereThereIsNoBinding) { EXPECT_FALSE(headers_of({}, "")->contains("id")); }

TEST(BrokerHeaders, RefuseWhatIsNoHeader) {
  EXPECT_FALSE(headers_of({.headers = R"({"a":1})"}, "ce-"));
  EXPECT_FALSE(headers_of({.headers = R"({"a\nb":"c"})"}, "ce-"));
  EXPECT_FALSE(headers_of({.headers = "["}, "ce-"));
  EXPECT_FALSE(headers_of({.event_id = ""}, "ce-"));
}

}  // namespace
}  // namespace makegood::broker
