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
  EXPECT_TRUE(response.take_body(std::string(60, 'x')));
  EXPECT_TRUE(response.take_body(std::string(40, 'x')));
  EXPECT_FALSE(response.take_body(std::string(1, 'x')));
}

TEST(Response, BeginsAnewForTheNextRequest) {
  Response response(body_bytes_max);
  EXPECT_TRUE(response.take_header("HTTP/1.1 503 Busy\r\n", 503));
  EXPECT_TRUE(response.take_header("Retry-After: 5\r\n", 503));
  EXPECT_TRUE(response.take_header("\r\n", 503));
  EXPECT_TRUE(response.take_body(std::string(body_bytes_max, 'x')));
  response.clear();
  EXPECT_FALSE(response.has_final_begun());
  EXPECT_FALSE(response.is_answered());
  EXPECT_EQ(response.retry_after(), "");
  EXPECT_TRUE(response.take_body(std::string(body_bytes_max, 'x')));
}

TEST(Response, KeepsHeadersAndTheBeginningOfTheBodyIfAsked) {
  Response response(body_bytes_max);
  response.clear(5);
  EXPECT_TRUE(response.take_header("HTTP/1.1 200 OK\r\n", 200));
  EXPECT_TRUE(response.take_header("Content-Type:  text/plain \r\n", 200));
  EXPECT_TRUE(response.take_header("\r\n", 200));
  EXPECT_TRUE(response.take_body("abc"));
  EXPECT_TRUE(response.take_body("defg"));
  ASSERT_NE(response.content(), nullptr);
  ASSERT_EQ(response.content()->headers.size(), 1U);
  EXPECT_EQ(response.content()->headers[0].first, "Content-Type");
  EXPECT_EQ(response.content()->headers[0].second, "text/plain");
  EXPECT_EQ(response.content()->body, "abcde");
  EXPECT_TRUE(response.content()->is_cut);
  response.clear();
  EXPECT_EQ(response.content(), nullptr) << "the next one did not ask";
}

}  // namespace
}  // namespace makegood::http
