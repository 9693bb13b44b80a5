#include "transports/http/response.hpp"

#include <gtest/gtest.h>

namespace makegood::http {
namespace {

constexpr std::size_t body_bytes_max = 100;

TEST(Response, IsAnsweredAtTheEndOfItsHeaderBlock) {
  Response response(body_bytes_max);
  EXPECT_TRUE(response.take_header("HTTP/1.1 200 OK\r\n", 200));
  EXPECT_FALSE(response.is_answered());
  EXPECT_TRUE(response.take_header("\r\n", 200));
  EXPECT_TRUE(response.is_answered());
  EXPECT_EQ(response.status(), 200);
}

TEST(Response, IsNotAnsweredByAnAnnouncement) {
  Response response(body_bytes_max);
  EXPECT_TRUE(response.take_header("HTTP/1.1 103 Early Hints\r\n", 103));
  EXPECT_TRUE(response.take_header("Retry-After: 7\r\n", 103));
  EXPECT_TRUE(response.take_header("\r\n", 103));
  EXPECT_FALSE(response.is_answered());
  EXPECT_FALSE(response.has_final_begun());
  EXPECT_TRUE(response.take_header("HTTP/1.1 503 Busy\r\n", 503));
  EXPECT_TRUE(response.has_final_begun());
  EXPECT_TRUE(response.take_header("\r\n", 503));
  EXPECT_EQ(response.status(), 503);
  EXPECT_EQ(response.retry_after(), "");
}

TEST(Response, KeepsRetryAfterHoweverItIsSpelt) {
  Response response(body_bytes_max);
  EXPECT_TRUE(response.take_header("HTTP/1.1 503 Busy\r\n", 503));
  EXPECT_TRUE(response.take_header("rEtRy-aFtEr:  120 \r\n", 503));
  EXPECT_EQ(response.retry_after(), "  120 ");
}

TEST(Response, DoesNotLetATrailerChangeTheAnswer) {
  Response response(body_bytes_max);
  EXPECT_TRUE(response.take_header("HTTP/1.1 503 Busy\r\n", 503));
  EXPECT_TRUE(response.take_header("\r\n", 503));
  EXPECT_TRUE(response.take_header("Retry-After: 9999\r\n", 503));
  EXPECT_EQ(response.retry_after(), "");
}

TEST(Response, GivesUpWhenItsHeadersAreTooLong) {
  Response response(body_bytes_max);
  const std::string line = "X: " + std::string(1021, 'x');
  for (std::size_t i = 0; i < 64; ++i) EXPECT_TRUE(response.take_header(line, 200));
  EXPECT_FALSE(response.take_header("\r\n", 200));
  EXPECT_FALSE(response.is_answered());
}

TEST(Response, GivesUpWhenItsBodyIsTooLong) {
  Response response(body_bytes_max);
  EXPECT_TRUE(response.take_body(60));
  EXPECT_TRUE(response.take_body(40));
  EXPECT_FALSE(response.take_body(1));
}

TEST(Response, BeginsAnewForTheNextRequest) {
  Response response(body_bytes_max);
  EXPECT_TRUE(response.take_header("HTTP/1.1 503 Busy\r\n", 503));
  EXPECT_TRUE(response.take_header("Retry-After: 5\r\n", 503));
  EXPECT_TRUE(response.take_header("\r\n", 503));
  EXPECT_TRUE(response.take_body(body_bytes_max));
  response.clear();
  EXPECT_FALSE(response.has_final_begun());
  EXPECT_FALSE(response.is_answered());
  EXPECT_EQ(response.retry_after(), "");
  EXPECT_TRUE(response.take_body(body_bytes_max));
}

}  // namespace
}  // namespace makegood::http
