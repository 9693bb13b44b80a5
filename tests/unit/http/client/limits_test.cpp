// Whatever a server sends, it is bounded; and once its status has come, with the end of its header block, the answer
// has been given. What happens to the body afterwards changes nothing, because nobody reads it.
#include "tests/unit/http/client/at_a_server.hpp"

namespace makegood::http {
namespace {

using testing_support::HttpReply;
using namespace std::chrono_literals;

class HttpLimits : public AtAServer {
 protected:
  /// Far above every limit, as long as somebody reads.
  const std::string endless_ = std::string(65536, 'x');

  /// With a server that hangs and a second for slow answers.
  void expect_patience() {
    send(to_url(server_->url()));
    ASSERT_TRUE(server_->await_received(1));
    EXPECT_FALSE(inbox_.await(1, 2500ms));
    server_->release();
    ASSERT_TRUE(inbox_.await(1));
    EXPECT_EQ(inbox_.all().front().outcome.kind, Outcome::Kind::ok);
  }
};

TEST_F(HttpLimits, TakesAnEndlessBodyForTheAnswerThatItsStatusIs) {
  const Outcome ok = outcome_of({.bytes = "HTTP/1.1 200 OK\r\n\r\n", .endless = endless_});
  EXPECT_EQ(ok.kind, Outcome::Kind::ok);
  EXPECT_TRUE(server_->await_all_closed()) << "somebody is still reading";
}

TEST_F(HttpLimits, RetriesAnEndlessBodyOfAStatusThatAsksForIt) {
  const Outcome busy = outcome_of({.bytes = "HTTP/1.1 503 Busy\r\nRetry-After: 9\r\n\r\n", .endless = endless_});
  EXPECT_EQ(busy.kind, Outcome::Kind::retry);
  EXPECT_EQ(busy.retry_after, 9s);
}

TEST_F(HttpLimits, ReadsABodyOfTheLongestLengthAndKeepsTheConnection) {
  open({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'x')},
       {.response_bytes_max = 1000});
  const auto to = to_url(server_->url());
  EXPECT_EQ(outcome_of(to).kind, Outcome::Kind::ok);
  EXPECT_EQ(outcome_of(to).kind, Outcome::Kind::ok);
  EXPECT_EQ(server_->accepted_count(), 1U);
}

TEST_F(HttpLimits, TakesACutBodyForTheAnswerThatItsStatusIs) {
  EXPECT_EQ(outcome_of({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf", .closes = true}).kind,
            Outcome::Kind::ok);
}

TEST_F(HttpLimits, TakesABrokenChunkForTheAnswerThatItsStatusIs) {
  EXPECT_EQ(outcome_of({.bytes = "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n", .closes = true}).kind,
            Outcome::Kind::fail);
}

TEST_F(HttpLimits, TakesABodyThatNeverEndsForTheAnswerThatItsStatusIsAtTheDeadline) {
  open({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf"});
  EXPECT_EQ(outcome_of(to_url(server_->url(), 80ms)).kind, Outcome::Kind::ok);
}

TEST_F(HttpLimits, GivesUpABodyThatComesTooSlowlyBeforeTheDeadline) {
  open({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf"}, {.slow_after = 1s});
  EXPECT_EQ(outcome_of(to_url(server_->url(), 10min)).kind, Outcome::Kind::ok);
}

TEST_F(HttpLimits, GivesUpHeadersThatComeTooSlowlyAsNoAnswer) {
  open({.bytes = "HTTP/1.1 200 OK\r\nX-Half: "}, {.slow_after = 1s});
  const Outcome outcome = outcome_of(to_url(server_->url(), 10min));
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "TX.TIMEOUT");
}

TEST_F(HttpLimits, LetsAServerThinkLongerThanItMaySpeak) {
  open(testing_support::hang(), {.slow_after = 1s});
  expect_patience();
}

TEST_F(HttpLimits, LetsAServerThinkBehindAnAnnouncement) {
  open({.hangs = true, .first = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"}, {.slow_after = 1s});
  expect_patience();
}

TEST_F(HttpLimits, GivesUpEndlessHeadersAsNoAnswer) {
  const std::string line = "X-Fill: " + std::string(1000, 'x') + "\r\n";
  const Outcome outcome = outcome_of({.bytes = "HTTP/1.1 200 OK\r\n", .endless = line});
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_NE(outcome.detail.find("may have arrived"), std::string::npos);
  EXPECT_TRUE(server_->await_all_closed());
}

TEST_F(HttpLimits, GivesUpOneEndlessHeader) {
  const Outcome outcome = outcome_of({.bytes = "HTTP/1.1 200 OK\r\nX-Fill: ", .endless = endless_});
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_TRUE(server_->await_all_closed());
}

TEST_F(HttpLimits, GivesUpAFloodOfAnnouncements) {
  const Outcome outcome =
      outcome_of({.bytes = "HTTP/1.1 100 Continue\r\n\r\n", .endless = "HTTP/1.1 102 Processing\r\n\r\n"});
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_TRUE(server_->await_all_closed());
}

TEST_F(HttpLimits, WaitsForTheAnswerBehindAnAnnouncement) {
  EXPECT_EQ(outcome_of(
                {.bytes = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"})
                .kind,
            Outcome::Kind::fail);
}

TEST_F(HttpLimits, TakesNothingThatIsNotHttpForAnAnswer) {
  const Outcome outcome = outcome_of({.bytes = "220 mail.example ESMTP\r\n", .closes = true});
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.detail.find("ESMTP"), std::string::npos);
}

}  // namespace
}  // namespace makegood::http
