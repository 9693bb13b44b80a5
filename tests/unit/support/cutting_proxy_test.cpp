#include "tests/support/cutting_proxy.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <string>

#include "base/descriptor.hpp"
#include "tests/support/loopback_server.hpp"

namespace makegood::testing_support {
namespace {

const std::string question = "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
const std::string answer = HttpReply().bytes;

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    is_connected_ = ::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }

  bool is_connected() const { return is_connected_; }
  void say(const std::string& bytes) const {
    EXPECT_EQ(::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
  }
  /// That many bytes, or as many as there are until the other side hangs up.
  std::string hear(std::size_t count) const {
    std::string heard(count, '\0');
    const ssize_t got = ::recv(socket_.number(), heard.data(), count, MSG_WAITALL);
    heard.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return heard;
  }
  bool hears_nothing() const {
    char byte = 0;
    return ::recv(socket_.number(), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }
  bool is_hung_up_on() const {
    char byte = 0;
    const ssize_t got = ::recv(socket_.number(), &byte, 1, 0);
    return got == 0 || (got < 0 && errno == ECONNRESET);
  }

 private:
  Descriptor socket_;
  bool is_connected_ = false;
};

class CuttingProxyTest : public testing::Test {
 protected:
  std::string ask() {
    const Client client(proxy_.port());
    client.say(question);
    return client.hear(answer.size());
  }

  LoopbackServer server_{[](const HttpRequest&) { return HttpReply(); }};
  CuttingProxy proxy_{server_.port()};
};

TEST_F(CuttingProxyTest, PassesEverythingOnWhenNothingIsAskedFor) {
  EXPECT_EQ(ask(), answer);
  EXPECT_EQ(ask(), answer);
  EXPECT_EQ(server_.received().at(0).body, "abc");
  EXPECT_EQ(proxy_.passed(Way::to_server), 2 * question.size());
  EXPECT_EQ(proxy_.passed(Way::to_client), 2 * answer.size());
  EXPECT_EQ(proxy_.accepted_count(), 2U);
}

TEST_F(CuttingProxyTest, PassesMoreOnThanItsBufferHolds) {
  const std::string body(1'000'000, 'x');
  const Client client(proxy_.port());
  client.say("POST /a HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_EQ(client.hear(answer.size()), answer);
  EXPECT_EQ(server_.received().at(0).body, body);
}

TEST_F(CuttingProxyTest, TellsEachSideThatTheOtherHasEnded) {
  {
    const Client client(proxy_.port());
    client.say(question);
    EXPECT_EQ(client.hear(answer.size()), answer);
  }
  EXPECT_TRUE(server_.await_all_closed());
  const Client client(proxy_.port());
  client.say(question);
  EXPECT_EQ(client.hear(answer.size()), answer);
  server_.close_all();
  EXPECT_TRUE(client.is_hung_up_on());
}

TEST_F(CuttingProxyTest, CutsAfterEachByteOfAQuestion) {
  for (std::size_t count = 1; count < question.size(); ++count) {
    proxy_.cut_after(Way::to_server, count);
    const Client client(proxy_.port());
    client.say(question);
    EXPECT_TRUE(client.is_hung_up_on()) << count;
    EXPECT_TRUE(proxy_.await_cut());
  }
  EXPECT_TRUE(server_.await_all_closed());
  EXPECT_EQ(server_.received_count(), 0U);
  EXPECT_EQ(proxy_.passed(Way::to_server), question.size() * (question.size() - 1) / 2);
}

TEST_F(CuttingProxyTest, CutsAfterEachByteOfAnAnswerWhichTheServerHasGiven) {
  for (std::size_t count = 1; count < answer.size(); ++count) {
    proxy_.cut_after(Way::to_client, count);
    const Client client(proxy_.port());
    client.say(question);
    EXPECT_EQ(client.hear(answer.size()), answer.substr(0, count));
    EXPECT_TRUE(client.is_hung_up_on());
  }
  EXPECT_EQ(server_.received_count(), answer.size() - 1);
}

TEST_F(CuttingProxyTest, CutsOnceAndLeavesTheNextConnectionInPeace) {
  proxy_.cut_after(Way::to_client, 1);
  EXPECT_EQ(ask(), answer.substr(0, 1));
  EXPECT_EQ(ask(), answer);
}

TEST_F(CuttingProxyTest, CountsTheBytesOfAllConnectionsTogether) {
  proxy_.cut_after(Way::to_client, answer.size() + 3);
  EXPECT_EQ(ask(), answer);
  EXPECT_EQ(ask(), answer.substr(0, 3));
}

TEST_F(CuttingProxyTest, CutsBeforeCertainBytes) {
  proxy_.cut_before(Way::to_client, "204");
  EXPECT_EQ(ask(), "HTTP/1.1 ");
  EXPECT_EQ(server_.received_count(), 1U);
  EXPECT_EQ(ask(), answer);
}

TEST_F(CuttingProxyTest, NoticesCertainBytesThatComeInTwoParts) {
  proxy_.cut_before(Way::to_server, "abc");
  const Client client(proxy_.port());
  client.say(question.substr(0, question.size() - 2));
  ASSERT_TRUE(proxy_.await_accepted(1));
  client.say("bc");
  EXPECT_TRUE(client.is_hung_up_on());
  EXPECT_TRUE(server_.await_all_closed());
  EXPECT_EQ(server_.received_count(), 0U);
}

TEST_F(CuttingProxyTest, CutsNow) {
  const Client client(proxy_.port());
  client.say(question);
  EXPECT_EQ(client.hear(answer.size()), answer);
  proxy_.cut();
  EXPECT_TRUE(client.is_hung_up_on());
  EXPECT_TRUE(server_.await_all_closed());
}

TEST_F(CuttingProxyTest, HoldsAnswersBackUntilTheyAreReleased) {
  proxy_.hold(Way::to_client);
  const Client client(proxy_.port());
  client.say(question);
  ASSERT_TRUE(server_.await_received(1));
  EXPECT_TRUE(client.hears_nothing());
  proxy_.release();
  EXPECT_EQ(client.hear(answer.size()), answer);
}

TEST_F(CuttingProxyTest, HoldsQuestionsBackUntilTheyAreReleased) {
  proxy_.hold(Way::to_server);
  const Client client(proxy_.port());
  client.say(question);
  ASSERT_TRUE(proxy_.await_accepted(1));
  EXPECT_EQ(proxy_.passed(Way::to_server), 0U);
  proxy_.release();
  EXPECT_EQ(client.hear(answer.size()), answer);
}

TEST_F(CuttingProxyTest, RefusesUntilItWelcomesAgain) {
  const Client before(proxy_.port());
  before.say(question);
  EXPECT_EQ(before.hear(answer.size()), answer);
  proxy_.refuse();
  EXPECT_FALSE(Client(proxy_.port()).is_connected());
  before.say(question);
  EXPECT_EQ(before.hear(answer.size()), answer);
  proxy_.welcome();
  EXPECT_EQ(ask(), answer);
}

TEST_F(CuttingProxyTest, HangsUpWhileTheServerIsAway) {
  std::uint16_t nobody = 0;
  {
    const LoopbackServer gone([](const HttpRequest&) { return HttpReply(); });
    nobody = gone.port();
  }
  CuttingProxy lonely(nobody);
  const Client client(lonely.port());
  EXPECT_TRUE(client.is_connected());
  EXPECT_TRUE(client.is_hung_up_on());
}

}  // namespace
}  // namespace makegood::testing_support
