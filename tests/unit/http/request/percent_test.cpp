#include "transports/net/header_text.hpp"

#include <gtest/gtest.h>

namespace makegood::http {
namespace {

std::string header_text(std::string_view value) {
  std::string text;
  append_header_text(text, value);
  return text;
}

std::string webhook_id(std::string_view value) {
  std::string text;
  append_webhook_id(text, value);
  return text;
}

TEST(Percent, EncodesInHeadersWhatCloudEventsWantsEncoded) {
  EXPECT_EQ(header_text("org.order.created.v1"), "org.order.created.v1");
  EXPECT_EQ(header_text("a \"b\" 100%"), "a%20%22b%22%20100%25");
  EXPECT_EQ(header_text("Euro € 😀"), "Euro%20%E2%82%AC%20%F0%9F%98%80");
  EXPECT_EQ(header_text("a\r\nEvil: 1"), "a%0D%0AEvil:%201");
}

TEST(Percent, LeavesUuidsAndUlidsAsTheyAreAndHasNoDotInAWebhookId) {
  EXPECT_EQ(webhook_id("0190163d-8694-739b-aea5-966c26f8ad90"), "0190163d-8694-739b-aea5-966c26f8ad90");
  EXPECT_EQ(webhook_id("01ARZ3NDEKTSV4RRFFQ69G5FAV"), "01ARZ3NDEKTSV4RRFFQ69G5FAV");
  EXPECT_EQ(webhook_id("order-7.1700000000.{}"), "order-7%2E1700000000%2E{}");
  EXPECT_NE(webhook_id("a.b"), webhook_id("a%2Eb")) << "two events never get the same id";
}

TEST(Percent, KeepsASegmentOfAPathInOnePiece) {
  std::string text = "/";
  append_path_segment(text, "a/b ?#%é");
  EXPECT_EQ(text, "/a%2Fb%20%3F%23%25%C3%A9");
}

}  // namespace
}  // namespace makegood::http
