// What the proxy decides without a socket: which route, what an answer means, what is passed on, what is replayed.
#include <gtest/gtest.h>

#include "proxy/document.hpp"
#include "proxy/heads.hpp"
#include "proxy/routes.hpp"
#include "proxy/stored_answer.hpp"
#include "proxy/upstream_address.hpp"

namespace makegood::proxy {
namespace {

TEST(ProxyRoutes, APathIsWhatMostServicesTakeItFor) {
  EXPECT_EQ(plain_path("/orders"), "/orders");
  EXPECT_EQ(plain_path("//orders//7/"), "/orders/7");
  EXPECT_EQ(plain_path("/%6frders/%7Euser"), "/orders/~user");
  EXPECT_EQ(plain_path("/a/./b/../c"), "/a/c");
  EXPECT_EQ(plain_path("/../../x"), "/x");
  EXPECT_EQ(plain_path("/a%2Fb"), "/a%2Fb") << "an escaped slash is no separator";
  EXPECT_EQ(plain_path("/a%"), "/a%");
  EXPECT_EQ(plain_path("/"), "/");
}

TEST(ProxyRoutes, AStarIsOneSegmentAndTwoAreAllThatFollow) {
  EXPECT_TRUE(fits("/orders", "/orders"));
  EXPECT_FALSE(fits("/orders", "/orders/7"));
  EXPECT_TRUE(fits("/orders/*", "/orders/7"));
  EXPECT_FALSE(fits("/orders/*", "/orders"));
  EXPECT_FALSE(fits("/orders/*", "/orders/7/pay"));
  EXPECT_TRUE(fits("/orders/*/pay", "/orders/7/pay"));
  EXPECT_TRUE(fits("/orders/**", "/orders/7/pay"));
  EXPECT_TRUE(fits("/orders/**", "/orders"));
  EXPECT_TRUE(fits("/**", "/"));
  EXPECT_FALSE(fits("/orders/**", "/ordersx"));
}

TEST(ProxyRoutes, TheFirstThatFitsPathAndMethodCounts) {
  const std::vector<Route> routes = {{.path = "/a/*", .methods = {"POST"}},
                                     {.path = "/**", .methods = {"POST", "PUT"}}};
  EXPECT_EQ(find_route(routes, "POST", "/a/1"), &routes[0]);
  EXPECT_EQ(find_route(routes, "PUT", "/a/1"), &routes[1]);
  EXPECT_EQ(find_route(routes, "DELETE", "/a/1"), nullptr);
}

Fate usual(int status) { return fate_of({}, {.status = status}); }

TEST(ProxyAnswers, WhatIsCertainIsStoredOrReleasedAndTheRestIsHeld) {
  for (const int status : {200, 201, 204, 303, 400, 404, 410, 422}) EXPECT_EQ(usual(status), Fate::store) << status;
  for (const int status : {401, 403, 425, 429, 503}) EXPECT_EQ(usual(status), Fate::release) << status;
  for (const int status : {408, 409, 500, 501, 502, 504, 599}) EXPECT_EQ(usual(status), Fate::hold) << status;
  EXPECT_EQ(fate_of({}, {.kind = Ending::Kind::never_left}), Fate::release);
  EXPECT_EQ(fate_of({}, {.kind = Ending::Kind::timeout}), Fate::hold);
  EXPECT_EQ(fate_of({}, {.kind = Ending::Kind::cut}), Fate::hold);
  EXPECT_EQ(after_crash({}), AfterLease::hold);
}

TEST(ProxyAnswers, ARouteDecidesOtherwiseButNotAboutWhoAsks) {
  const Route route{
      .answers = {{"500", Fate::store}, {"401", Fate::store}, {"timeout", Fate::release}, {"crash", Fate::release}}};
  EXPECT_EQ(fate_of(route, {.status = 500}), Fate::store);
  EXPECT_EQ(fate_of(route, {.status = 401}), Fate::release);
  EXPECT_EQ(fate_of(route, {.kind = Ending::Kind::timeout}), Fate::release);
  EXPECT_EQ(after_crash(route), AfterLease::take_over);
}

TEST(ProxyHeads, WhatIsBetweenNeighboursIsNotPassedOn) {
  const Headers headers = {{"Connection", "close, X-Mine"},
                           {"x-mine", "1"},
                           {"Keep-Alive", "timeout=5"},
                           {"Upgrade", "h2c"},
                           {"TE", "trailers"},
                           {"Content-Length", "3"},
                           {"Transfer-Encoding", "chunked"},
                           {"Accept", "text/x"}};
  EXPECT_EQ(end_to_end(headers), (Headers{{"Accept", "text/x"}}));
}

TEST(ProxyHeads, ARequestHasOneFramingAndTheClientsAddress) {
  const RequestHead head{.method = "POST",
                         .target = "/a?b",
                         .headers = {{"Host", "h"}, {"Expect", "100-continue"}, {"X-Forwarded-For", "1.2.3.4"}},
                         .peer = "5.6.7.8"};
  EXPECT_EQ(request_text(head, {Framing::Kind::length, 3}, true),
            "POST /a?b HTTP/1.1\r\nHost: h\r\nAccept-Encoding: identity\r\nX-Forwarded-For: 1.2.3.4, 5.6.7.8\r\n"
            "Via: 1.1 makegood\r\nContent-Length: 3\r\n\r\n");
}

TEST(ProxyReplay, HasNoCookieAndKeepsHeadersThatAreThereTwice) {
  const AnswerHead head{.status = 201, .headers = {{"Set-Cookie", "s"}, {"Date", "d"}, {"X", "a"}, {"X", "b"}}};
  const WholeAnswer replay = replay_of(stored_answer(head, "body"));
  EXPECT_EQ(replay.status, 201);
  EXPECT_EQ(replay.body, "body");
  EXPECT_EQ(replay.headers,
            (Headers{{"X", "a"}, {"X", "b"}, {"Idempotency-Replayed", "true"}, {"Idempotency-Status", "replayed"}}));
}

TEST(ProxyReplay, SaysWhenTheBodyIsMissing) {
  const AnswerHead head{.status = 201, .headers = {{"Location", "/7"}, {"ETag", "e"}, {"Content-Type", "text/x"}}};
  StoredResult stored = truncated_answer(head);
  stored.digest = "d";
  const WholeAnswer replay = replay_of(stored);
  EXPECT_EQ(replay.headers, (Headers{{"Location", "/7"},
                                     {"Content-Type", "application/json"},
                                     {"Idempotency-Replayed", "true"},
                                     {"Idempotency-Status", "result_truncated"}}));
  EXPECT_EQ(replay.body, R"({"result_truncated":true,"digest":"d"})");
  EXPECT_EQ(replay_of({.digest = "an operator's word"}).status, 200);
}

TEST(ProxyUpstream, IsAHostAndAPort) {
  EXPECT_EQ(parse_upstream("http://127.0.0.1:8080")->port, "8080");
  EXPECT_EQ(parse_upstream("http://[::1]:81/")->host, "::1");
  EXPECT_EQ(parse_upstream("http://service")->port, "80");
  for (const char* text : {"https://a", "a:1", "http://", "http://a/b", "http://u:p@a", "http://a:x", "http://[::1"}) {
    EXPECT_FALSE(parse_upstream(text)) << text;
  }
}

TEST(ProxyDocument, TellsAllMistakesAtOnce) {
  const auto node = api::node_from_json(
      R"({"listen": 7, "idle_timeout": "soon", "connections_max": 0, "more": 1,
          "routes": [{"methods": "POST", "answers": {"409": "keep"}},
                     {"path": "/a", "principal": {"jwt": {"alg": 1}}}]})");
  EXPECT_EQ(read_document(*node).mistakes.size(), 8U);
}

}  // namespace
}  // namespace makegood::proxy
