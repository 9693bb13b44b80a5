// Those who are slow, large or many lose their own connection and nothing else.
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/server/serving.hpp"

namespace makegood::server {
namespace {

using namespace std::chrono_literals;

class Limits : public Serving {};

TEST_F(Limits, EndAHeaderThatComesByteByByte) {
  serve({.header_timeout = 1s});
  RawClient slow = client();
  const auto began = std::chrono::steady_clock::now();
  std::atomic<bool> is_over = false;
  std::jthread dripping([&] {
    slow.send("GET /healthz HTTP/1.1\r\n");
    while (!is_over) {
      slow.send("A: b\r\n");
      std::this_thread::sleep_for(20ms);
    }
  });
  const RawAnswer answer = slow.read_answer();
  is_over = true;
  EXPECT_EQ(answer.status, 408);
  EXPECT_GE(std::chrono::steady_clock::now() - began, 900ms);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
}

TEST_F(Limits, EndABodyThatDoesNotCome) {
  serve({.body_timeout = 1s});
  RawClient slow = client();
  slow.send("POST " + std::string(messages_path) + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345");
  EXPECT_EQ(slow.read_answer().status, 408);
  EXPECT_TRUE(slow.is_closed());
}

TEST_F(Limits, EndAConnectionThatIsIdle) {
  serve({.idle_timeout = 1s});
  RawClient idle = client();
  idle.ask("GET", "/healthz");
  EXPECT_TRUE(idle.is_closed());
}

TEST_F(Limits, TellWhatIsTooLarge) {
  serve({.body_bytes_max = 1000});
  RawClient large_body = client();
  const RawAnswer body = large_body.ask("POST", messages_path, std::string(5'000'000, 'x'));
  EXPECT_EQ(body.status, 413);
  EXPECT_NE(body.head.find("Connection: close"), std::string::npos);
  EXPECT_EQ(client().ask("GET", "/healthz", {}, "A: " + std::string(20'000, 'x') + "\r\n").status, 431);
  EXPECT_EQ(client().ask("GET", "/healthz").status, 200);
}

TEST_F(Limits, RefuseTheNewestConnection) {
  serve({.connections_max = 2});
  RawClient first = client();
  RawClient second = client();
  EXPECT_EQ(first.ask("GET", "/healthz").status, 200);
  EXPECT_EQ(second.ask("GET", "/healthz").status, 200);
  RawClient third = client();
  EXPECT_EQ(third.read_answer().status, 503);
  EXPECT_TRUE(third.is_closed());
  EXPECT_EQ(first.ask("GET", "/healthz").status, 200);
}

TEST_F(Limits, RefuseWhatIsNoRequest) {
  serve();
  RawClient caller = client();
  caller.send("\x16\x03\x01 hello\r\n\r\n");
  EXPECT_EQ(caller.read_answer().status, 400);
  EXPECT_TRUE(caller.is_closed());
  RawClient without_host = client();
  without_host.send("GET /healthz HTTP/1.1\r\n\r\n");
  EXPECT_EQ(without_host.read_answer().status, 400);
  RawClient expecting = client();
  EXPECT_EQ(expecting.ask("POST", messages_path, "{}", "Expect: miracles\r\n").status, 417);
}

TEST_F(Limits, EndAConnectionWhoseNextRequestCannotBeTold) {
  serve();
  RawClient caller = client();
  caller.send(
      "POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: identity\r\n\r\n"
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const RawAnswer answer = caller.read_answer();
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(answer.head.find("Connection: close"), std::string::npos);
  EXPECT_EQ(caller.read_answer().status, 0) << "the body is not the next request";
}

TEST_F(Limits, TellARefusalUnderItsOwnName) {
  serve();
  RawClient caller = client();
  caller.ask("HEAD", "/healthz");
  caller.send("nonsense\r\n\r\n");
  EXPECT_NE(caller.read_answer().body, "") << "it was no HEAD";
  server->stop(1s);
  EXPECT_EQ(accesses, (std::vector<std::string>{"/healthz", ""}));
}

TEST_F(Limits, LetTheOthersBe) {
  serve({.header_timeout = 20s});
  std::vector<RawClient> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(client());
    slow.back().send("POST /api/outboxes/makegood_outbox/messages HTTP/1.1\r\nHost: lo");
  }
  RawClient caller = client();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(caller.ask("POST", messages_path, small_message).status, 201);
}

}  // namespace
}  // namespace makegood::server
