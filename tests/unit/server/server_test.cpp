// The server over real sockets: routes of its own, enqueue, streams, stop.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <future>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/server/serving.hpp"

namespace makegood::server {
namespace {

using namespace std::chrono_literals;

class ServerTest : public Serving {};

TEST_F(ServerTest, TellsThatItLives) {
  serve();
  const RawAnswer answer = client().ask("GET", "/healthz");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "ok\n");
}

TEST_F(ServerTest, TellsWhyItIsNotReady) {
  serve();
  EXPECT_EQ(client().ask("GET", "/readyz").status, 200);
  {
    const std::scoped_lock lock(mutex);
    reasons = {"shop: the disk is gone."};
  }
  const RawAnswer answer = client().ask("GET", "/readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("the disk is gone"), std::string::npos);
}

TEST_F(ServerTest, ServesTheMetricsOfTheProcessAndItsOwn) {
  serve();
  RawClient caller = client();
  caller.ask("GET", "/healthz");
  for (const char* path : {"/metrics", "/debug/prometheus"}) {
    const RawAnswer answer = caller.ask("GET", path);
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find("process_metric 1\n"), std::string::npos);
    EXPECT_NE(answer.body.find("route=\"/healthz\",status=\"2xx\"} 1\n"), std::string::npos);
    EXPECT_NE(answer.body.find("tx_http_connections 1\n"), std::string::npos);
  }
}

TEST_F(ServerTest, ServesNoMetricsWithoutAPath) {
  serve({.metrics_path = ""});
  EXPECT_EQ(client().ask("GET", "/metrics").status, 404);
}

TEST_F(ServerTest, CommitsAMessageAndWakesTheRelay) {
  serve();
  RawClient caller = client();
  for (std::size_t i = 1; i <= 3; ++i) {
    const RawAnswer answer = caller.ask("POST", messages_path, small_message);
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_NE(answer.body.find("\"sequence\":"), std::string::npos);
    EXPECT_TRUE(enqueued.await(i));
  }
}

TEST_F(ServerTest, AnswersMistakesAsProblems) {
  serve();
  RawClient caller = client();
  const auto expect_problem = [&](int status, const RawAnswer& answer) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_NE(answer.head.find("Content-Type: application/problem+json"), std::string::npos) << answer.head;
  };
  expect_problem(400, caller.ask("POST", messages_path, "{}"));
  expect_problem(404, caller.ask("POST", "/api/outboxes/nobodys/messages", small_message));
  expect_problem(404, caller.ask("GET", "/nowhere"));
  expect_problem(405, caller.ask("POST", "/healthz", "{}"));
  expect_problem(405, caller.ask("DELETE", "/api/status"));
  expect_problem(400, caller.ask("GET", "/api/events?kind=none"));
  expect_problem(501, caller.ask("BREW", "/api/status"));
}

TEST_F(ServerTest, AnswersHeadAsItWouldGetWithoutTheBody) {
  serve();
  RawClient caller = client();
  const RawAnswer head = caller.ask("HEAD", "/healthz");
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.head.find("Content-Length: 3\r\n"), std::string::npos);
  EXPECT_EQ(caller.ask("GET", "/healthz").body, "ok\n") << "nothing was left on the connection";
}

TEST_F(ServerTest, GivesEachCallAnId) {
  serve();
  RawClient caller = client();
  EXPECT_NE(caller.ask("GET", "/healthz", {}, "X-Request-Id: mine-1\r\n").head.find("X-Request-Id: mine-1\r\n"),
            std::string::npos);
  const std::string drawn = caller.ask("GET", "/healthz").head;
  EXPECT_NE(drawn, caller.ask("GET", "/healthz").head);
}

TEST_F(ServerTest, TellsItsProcessOfEachCallWithoutTheQuery) {
  serve();
  client().ask("GET", "/healthz?token=secret");
  server->stop(1s);
  EXPECT_EQ(accesses, (std::vector<std::string>{"/healthz"}));
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  serve();
  RawClient caller = client();
  std::string many;
  for (int i = 0; i < 200; ++i) {
    many += "GET " + std::string(i % 2 == 0 ? "/healthz" : "/nowhere") + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  caller.send(many);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(caller.read_answer().status, i % 2 == 0 ? 200 : 404) << i;
}

TEST_F(ServerTest, InvitesABodyThatWaitsToBeInvited) {
  serve();
  RawClient caller = client();
  const std::string body = small_message;
  caller.send("POST " + std::string(messages_path) +
              " HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n"
              "Content-Length: " +
              std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(caller.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  caller.send(body);
  EXPECT_EQ(caller.read_answer().status, 201);
}

TEST_F(ServerTest, SpeaksHttpOneZeroAndClosesAfterIt) {
  serve();
  RawClient caller = client();
  caller.send("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(caller.read_answer().status, 200);
  EXPECT_TRUE(caller.is_closed());
}

TEST_F(ServerTest, ChecksTokensBeforeItReadsTheBody) {
  serve({.tokens = {{"0123456789abcdef-view", api::Role::viewer, "wall"},
                    {"0123456789abcdef-ann", api::Role::operate, "ann"}}});
  RawClient caller = client();
  caller.send("POST " + std::string(messages_path) +
              " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n");
  const RawAnswer refusal = caller.read_answer();
  EXPECT_EQ(refusal.status, 401);
  EXPECT_NE(refusal.head.find("WWW-Authenticate: Bearer"), std::string::npos);
  EXPECT_TRUE(caller.is_closed());
  EXPECT_EQ(
      client().ask("POST", messages_path, small_message, "Authorization: Bearer 0123456789abcdef-view\r\n").status,
      403);
  EXPECT_EQ(client().ask("POST", messages_path, small_message, "Authorization: Bearer 0123456789abcdef-ann\r\n").status,
            201);
  EXPECT_EQ(client().ask("GET", "/readyz").status, 200);
}

TEST_F(ServerTest, HasASocketForThisUserAlone) {
  const testing_support::TemporaryFolder folder;
  const std::string path = folder.file("s.sock");
  open({.is_open_on_loopback = false});
  ASSERT_TRUE(server->open_socket(path));
  server->admit("0123456789abcdef-local");
  server->start();
  struct stat status = {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(RawClient::at_path(path).ask("POST", messages_path, small_message).status, 201);
  EXPECT_EQ(client().ask("GET", "/api/status").status, 401);
  EXPECT_EQ(client().ask("GET", "/healthz").status, 200);
  EXPECT_EQ(client().ask("GET", "/api/status", {}, "Authorization: Bearer 0123456789abcdef-local\r\n").status, 200);
  server->stop(1s);
  EXPECT_NE(::stat(path.c_str(), &status), 0) << "it is gone with its server";
}

TEST_F(ServerTest, TakesTheSocketOfOneThatWasKilled) {
  const testing_support::TemporaryFolder folder;
  std::ofstream(folder.file("s.sock")) << "left behind";
  open({});
  ASSERT_TRUE(server->open_socket(folder.file("s.sock")));
  server->start();
  EXPECT_EQ(RawClient::at_path(folder.file("s.sock")).ask("GET", "/api/status").status, 200);
}

TEST_F(ServerTest, SaysWhyItHasNoSocket) {
  open({});
  const auto opened = server->open_socket("/nowhere/at/all.sock");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("/nowhere/at/all.sock"), std::string::npos);
  EXPECT_FALSE(server->open_socket("/tmp/" + std::string(200, 'x')));
}

TEST_F(ServerTest, StreamsWhatHappens) {
  serve();
  RawClient stream = client();
  stream.send("GET /api/events?kind=alarm HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(stream.read_until("\r\n\r\n").find("text/event-stream"), std::string::npos);
  server->observer().ownership("makegood_outbox", "taken", "me");
  server->observer().alarm("makegood_outbox", {Errc::store_full, "The disk is full."});
  const std::string event = stream.read_until("\n\n");
  EXPECT_TRUE(event.starts_with("event: alarm\ndata: {")) << event;
  EXPECT_NE(event.find("The disk is full."), std::string::npos);
}

TEST_F(ServerTest, TellsASlowStreamHowMuchItHasMissed) {
  serve();
  RawClient stream(server->address(), 65'536);  // Otherwise all of it may fit on the way.
  stream.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  stream.read_until("\r\n\r\n");
  // More than what is on the way, being written, and waiting; and no more, since whoever reads nothing for 30 s is cut
  // off.
  const Error long_story{Errc::store_full, std::string(5'000, 'x')};
  for (int i = 0; i < 4'000; ++i) server->observer().alarm("o", long_story);
  EXPECT_NE(stream.read_until("event: missed\n").find("event: missed\n"), std::string::npos);
  EXPECT_TRUE(stream.read_until("\n\n").starts_with("data: {\"count\":"));
}

TEST_F(ServerTest, LimitsTheStreams) {
  serve({.streams_max = 1});
  RawClient stream = client();
  stream.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  stream.read_until("\r\n\r\n");
  EXPECT_EQ(client().ask("GET", "/api/events").status, 503);
}

TEST_F(ServerTest, StopsAtOnceWhenNobodyWaitsForAnAnswer) {
  serve();
  RawClient idle = client();
  idle.ask("GET", "/healthz");
  RawClient stream = client();
  stream.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  stream.read_until("\r\n\r\n");
  const auto began = std::chrono::steady_clock::now();
  server->stop(20s);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  EXPECT_TRUE(idle.is_closed());
  EXPECT_TRUE(stream.is_closed());
}

TEST_F(ServerTest, LetsACallThatIsBeingSentEnd) {
  serve();
  RawClient caller = client();
  const std::string body = small_message;
  caller.send("POST " + std::string(messages_path) +
              " HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n"
              "Content-Length: " +
              std::to_string(body.size()) + "\r\n\r\n");
  caller.read_until("\r\n\r\n");
  auto stopped = std::async(std::launch::async, [this] { server->stop(20s); });
  caller.send(body);
  const RawAnswer answer = caller.read_answer();
  EXPECT_EQ(answer.status, 201);
  EXPECT_TRUE(caller.is_closed());
  stopped.get();
}

TEST_F(ServerTest, SaysWhyItCannotListen) {
  serve();
  const auto second = Server::open({.listen = server->address()}, api_context, {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find(server->address()), std::string::npos);
}

TEST_F(ServerTest, ShowsThatItLives) {
  serve();
  EXPECT_LT(server->silence(), 10s);
}

}  // namespace
}  // namespace makegood::server
