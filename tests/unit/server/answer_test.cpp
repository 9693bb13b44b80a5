#include <gtest/gtest.h>

#include "server/answer_text.hpp"
#include "server/figures.hpp"
#include "server/route_labels.hpp"

namespace makegood::server {
namespace {

TEST(AnswerText, HasALengthAndAnId) {
  const std::string text = answer_text({.status = 201, .body = "{}"}, {.request_id = "abc", .date = "now"});
  EXPECT_TRUE(text.starts_with("HTTP/1.1 201 Created\r\n")) << text;
  EXPECT_NE(text.find("Content-Length: 2\r\n"), std::string::npos);
  EXPECT_NE(text.find("X-Request-Id: abc\r\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\n\r\n{}"));
  EXPECT_EQ(text.find("Connection: close"), std::string::npos);
}

TEST(AnswerText, OfAHeadTellsTheLengthOnly) {
  const std::string text = answer_text({.body = "12345"}, {.is_head = true, .is_last = true});
  EXPECT_NE(text.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_NE(text.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

TEST(AnswerText, CannotBeSplitByAHeader) {
  const std::string text = answer_text({.headers = {{"Allow", "GET\r\nSet-Cookie: a=b"}}}, {});
  EXPECT_NE(text.find("Allow: GET\r\n"), std::string::npos);
  EXPECT_EQ(text.find("Set-Cookie"), std::string::npos);
}

TEST(RequestId, IsTheCallersIfItIsHarmless) {
  EXPECT_EQ(request_id_from("abc-123"), "abc-123");
  for (const std::string& bad : {std::string(), std::string("a b"), std::string("a\x1b[2J"), std::string(200, 'a')}) {
    EXPECT_EQ(request_id_from(bad).size(), 26U) << bad;
  }
}

TEST(HttpDate, IsThatOfTheStandard) { EXPECT_EQ(http_date(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT"); }

TEST(RouteLabels, NameTheRouteAndNeverThePath) {
  RouteLabels labels("/debug/prometheus");
  const auto label = [&](const char* method, const char* path) { return labels.label(labels.find(method, path)); };
  EXPECT_EQ(label("POST", "/api/outboxes/shop/messages"), "method=\"POST\",route=\"/api/outboxes/{outbox}/messages\"");
  EXPECT_EQ(label("POST", "/api/outboxes/shop2/messages"), "method=\"POST\",route=\"/api/outboxes/{outbox}/messages\"");
  EXPECT_EQ(label("GET", "/healthz"), "method=\"GET\",route=\"/healthz\"");
  EXPECT_EQ(label("GET", "/debug/prometheus"), "method=\"GET\",route=\"/debug/prometheus\"");
  EXPECT_EQ(label("GET", "/secret/4711"), "method=\"other\",route=\"other\"");
  EXPECT_EQ(label("BREW", "/healthz"), "method=\"other\",route=\"other\"");
}

TEST(Figures, CountByRouteAndClassOfStatus) {
  Figures figures("");
  figures.answered("GET", "/healthz", 200, std::chrono::milliseconds(2));
  figures.answered("GET", "/healthz", 503, std::chrono::seconds(9));
  figures.refused(Refusal::unauthorized);
  figures.connections(3);
  const std::string text = figures.text();
  const auto has = [&](std::string_view line) { return text.find(line) != std::string::npos; };
  EXPECT_TRUE(has("tx_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"2xx\"} 1\n")) << text;
  EXPECT_TRUE(has("tx_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"5xx\"} 1\n"));
  EXPECT_TRUE(has("tx_http_request_seconds_bucket{le=\"0.0025\"} 1\n"));
  EXPECT_TRUE(has("tx_http_request_seconds_bucket{le=\"+Inf\"} 2\n"));
  EXPECT_TRUE(has("tx_http_request_seconds_count 2\n"));
  EXPECT_TRUE(has("tx_http_refused_total{why=\"unauthorized\"} 1\n"));
  EXPECT_TRUE(has("tx_http_connections 3\n"));
}

}  // namespace
}  // namespace makegood::server
