// What becomes of a delivery: the answers of a server, and what happens when there is none.
#include <sys/types.h>

#include <filesystem>

#include "tests/unit/http/client/at_a_server.hpp"

namespace makegood::http {
namespace {

using testing_support::hang;
using testing_support::hang_up;
using testing_support::HttpReply;
using testing_support::HttpRequest;
using testing_support::reply;
using namespace std::chrono_literals;

class HttpClient : public AtAServer {};

std::ptrdiff_t thread_count() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

TEST_F(HttpClient, DeliversTheExactBytes) {
  open(reply(200));
  send(to_url(server_->url("/hook?x=1")), 1, "{\"a\": 1}\n");
  ASSERT_TRUE(inbox_.await(1));
  ASSERT_EQ(server_->received().size(), 1U);
  EXPECT_EQ(server_->received().front().path, "/hook?x=1");
  EXPECT_EQ(server_->received().front().body, "{\"a\": 1}\n");
}

TEST_F(HttpClient, SendsNoHeaderThatNobodyAskedFor) {
  open(reply(200));
  send(to_url(server_->url()), 1, std::string(std::size_t{2} << 20, 'x'));
  ASSERT_TRUE(inbox_.await(1));
  const auto headers = server_->received().front().headers;
  EXPECT_FALSE(headers.contains("expect"));
  EXPECT_FALSE(headers.contains("accept-encoding"));
  EXPECT_FALSE(headers.contains("cookie"));
}

TEST_F(HttpClient, SaysWhatTheServerAnsweredWithoutTheQuery) {
  open(reply(503, "Retry-After: 120\r\n"));
  const Outcome outcome = outcome_of(to_url(server_->url("/hook?token=secret")));
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "PROVIDER.UNAVAILABLE");
  EXPECT_EQ(outcome.retry_after, 120s);
  EXPECT_EQ(outcome.detail, server_->url("/hook") + ": answered 503 Service Unavailable");
}

TEST_F(HttpClient, NeverFollowsARedirect) {
  const Outcome outcome = outcome_of(reply(307, "Location: /elsewhere\r\n"));
  EXPECT_EQ(outcome.kind, Outcome::Kind::fail);
  EXPECT_EQ(outcome.code, "HTTP.307");
  EXPECT_EQ(server_->received_count(), 1U);
}

TEST_F(HttpClient, ReportsADestinationThatIsGone) { EXPECT_EQ(outcome_of(reply(410)).kind, Outcome::Kind::gone); }

TEST_F(HttpClient, KnowsThatARefusedConnectionCarriedNothing) {
  open(reply(200));
  const std::string url = server_->url();
  server_.reset();
  const Outcome outcome = outcome_of(to_url(url));
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "PROVIDER.UNAVAILABLE");
  EXPECT_NE(outcome.detail.find("the request was not sent"), std::string::npos) << outcome.detail;
}

TEST_F(HttpClient, KnowsThatARequestWithoutAnAnswerMayHaveArrived) {
  const Outcome outcome = outcome_of(hang_up());
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "PROVIDER.UNAVAILABLE");
  EXPECT_NE(outcome.detail.find("the request may have arrived"), std::string::npos) << outcome.detail;
}

TEST_F(HttpClient, GivesUpAtTheDeadlineOfItsDestination) {
  open(hang());
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = outcome_of(to_url(server_->url(), 80ms));
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_GE(took, 79ms);
  EXPECT_LT(took, 5s);
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "TX.TIMEOUT");
  EXPECT_NE(outcome.detail.find("the request may have arrived"), std::string::npos) << outcome.detail;
}

TEST_F(HttpClient, HasThousandsInFlightOnOneThread) {
  constexpr std::size_t count = 1500;
  open(hang());
  const auto threads = thread_count();
  Destination wide = *to_url(server_->url());
  wide.in_flight_max = count;
  send(std::make_shared<const Destination>(std::move(wide)), count);
  ASSERT_TRUE(server_->await_received(count));
  EXPECT_EQ(thread_count(), threads);
  server_->release();
  ASSERT_TRUE(inbox_.await(count));
  EXPECT_EQ(inbox_.times().size(), count);
  EXPECT_EQ(inbox_.threads().size(), 1U);
}

TEST_F(HttpClient, PostsTogetherWhatEndedTogether) {
  constexpr std::size_t count = 400;
  open(hang());
  send(to_url(server_->url()), count);
  ASSERT_TRUE(server_->await_received(count));
  server_->release();
  ASSERT_TRUE(inbox_.await(count));
  EXPECT_LT(inbox_.post_count(), count / 2);
}

TEST_F(HttpClient, DividesAWideDestinationBetweenItsThreads) {
  constexpr std::size_t count = 64;
  open(hang(), {.threads = 2});
  Destination wide = *to_url(server_->url());
  wide.in_flight_max = count - 1;
  send(std::make_shared<const Destination>(std::move(wide)), 2 * count);
  ASSERT_TRUE(server_->await_received(count - 1));
  EXPECT_EQ(server_->received_count(), count - 1) << "no more than it takes, all threads together";
  server_->release();
  ASSERT_TRUE(inbox_.await(2 * count));
  EXPECT_EQ(inbox_.threads().size(), 2U);
}

TEST_F(HttpClient, DividesDestinationsBetweenItsThreads) {
  open(reply(200), {.threads = 3});
  for (int i = 0; i < 64; ++i) {
    const Destination named =
        value_of(http_destination("shop" + std::to_string(i), {.url = server_->url()}, {.timeout = 30s}));
    send(std::make_shared<const Destination>(named));
  }
  ASSERT_TRUE(inbox_.await(64));
  EXPECT_EQ(inbox_.threads().size(), 3U);
}

}  // namespace
}  // namespace makegood::http
