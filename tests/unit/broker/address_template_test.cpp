#include "transports/broker/address_template.hpp"

#include <gtest/gtest.h>

#include "tests/support/committed_message.hpp"

namespace makegood::broker {
namespace {

Delivery a_delivery(const testing_support::MessageTexts& texts) {
  return {.message = testing_support::committed_message(texts),
          .destination = std::make_shared<const Destination>(Destination{.name = "nats:orders"}),
          .outbox = "shop"};
}

std::string filled(std::string_view text, const testing_support::MessageTexts& texts) {
  const auto address = AddressTemplate::parse(text, '.')->fill(a_delivery(texts));
  return address ? *address : "refused: " + address.error().message;
}

std::string mistake_in(std::string_view text) {
  const auto parsed = AddressTemplate::parse(text, '.');
  return parsed ? "none" : parsed.error().message;
}

TEST(AddressTemplate, FillsEachPlaceIn) {
  EXPECT_EQ(filled("a.{outbox}.{tenant}.{topic}.{key}.{event_id}.{destination}",
                   {.event_id = "e1", .tenant_id = "t1", .topic = "order.paid", .dispatch_key = "k1"}),
            "a.shop.t1.order.paid.k1.e1.orders");
  EXPECT_EQ(filled("plain", {}), "plain");
}

TEST(AddressTemplate, LetsNobodyButATopicAddALevel) {
  EXPECT_EQ(filled("{topic}", {.topic = "a.b"}), "a.b");
  EXPECT_TRUE(filled("{tenant}.x", {.tenant_id = "a.b"}).starts_with("refused: The message's tenant has a `.`"));
  EXPECT_TRUE(filled("{key}", {.dispatch_key = "a.b"}).starts_with("refused: The message's key"));
}

TEST(AddressTemplate, TellsWhatCannotBeFilledIn) {
  EXPECT_EQ(mistake_in("a.{who}"),
            "{who} cannot be filled in; allowed: {topic}, {tenant}, {key}, {event_id}, {outbox}, {destination}.");
  EXPECT_EQ(mistake_in("a.{topic"), "A { has no } behind it.");
  EXPECT_EQ(mistake_in("a.topic}"), "A } has no { before it.");
}

}  // namespace
}  // namespace makegood::broker
