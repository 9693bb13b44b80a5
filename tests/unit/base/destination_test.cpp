#include "makegood/destination.hpp"

#include <gtest/gtest.h>

#include <string>

#include "makegood/message.hpp"
#include "tests/support/committed_message.hpp"

namespace makegood {
namespace {

TEST(TopicPattern, WithoutAStarIsTheTopicItself) {
  EXPECT_TRUE(matches("orders.order.created.v1", "orders.order.created.v1"));
  EXPECT_FALSE(matches("orders.order.created.v1", "orders.order.created.v10"));
  EXPECT_FALSE(matches("orders.order.created.v1", "Orders.order.created.v1"));
  EXPECT_FALSE(matches("orders", ""));
  EXPECT_TRUE(matches("", ""));
}

TEST(TopicPattern, HasAStarForAnyRunOfCharacters) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", "orders.order.created.v1"));
  EXPECT_TRUE(matches("orders.*", "orders.order.created.v1"));
  EXPECT_TRUE(matches("*.v1", "orders.order.created.v1"));
  EXPECT_TRUE(matches("orders.*.v1", "orders.order.created.v1"));
  EXPECT_FALSE(matches("orders.*", "orders"));
  EXPECT_FALSE(matches("*.v2", "orders.order.created.v1"));
}

TEST(TopicPattern, ComesBackToItsStarAfterAFalseStart) {
  EXPECT_TRUE(matches("*.v1", "a.v1.v1"));
  EXPECT_TRUE(matches("a*b*c", "a.b.c.b.c"));
  EXPECT_TRUE(matches("a**c", "abc"));
  EXPECT_FALSE(matches("a*b*c", "a.c.b"));
}

TEST(TopicPattern, WithManyStarsIsAnsweredInReasonableTime) {
  const std::string topic(2'000, 'a');
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*b", topic));
}

TEST(TopicPattern, ForEverythingIsNotForWhatMakegoodTells) {
  EXPECT_FALSE(matches("*", "makegood.delivery.dead"));
  EXPECT_FALSE(matches("*.dead", "makegood.delivery.dead"));
  EXPECT_TRUE(matches("makegood.*", "makegood.delivery.dead"));
  EXPECT_TRUE(matches("makegood.delivery.dead", "makegood.delivery.dead"));
  EXPECT_TRUE(matches("*", "makegoods.delivered"));
}

TEST(DestinationName, IsLettersDigitsAndAFewMarks) {
  EXPECT_TRUE(is_destination_name("fn:billing"));
  EXPECT_TRUE(is_destination_name("https://example.org:8080/hooks/a-b_c.d"));
  EXPECT_TRUE(is_destination_name(std::string(255, 'a')));
}

TEST(DestinationName, IsRefusedWhenItWouldNeedQuoting) {
  EXPECT_FALSE(is_destination_name(""));
  EXPECT_FALSE(is_destination_name("fn:two words"));
  EXPECT_FALSE(is_destination_name("fn:\"quoted\""));
  EXPECT_FALSE(is_destination_name("fn:caf\xC3\xA9"));
  EXPECT_FALSE(is_destination_name(std::string(256, 'a')));
}

TEST(MessageSize, GrowsWithWhatItHolds) {
  const auto small = testing_support::committed_message({.content = ""});
  const auto large = testing_support::committed_message({.content = std::string(10'000, 'x')});
  EXPECT_EQ(bytes_of(*large) - bytes_of(*small), 10'000U);
}

}  // namespace
}  // namespace makegood
