#include "tests/conformance/transports/transport_suite.hpp"

#include <algorithm>
#include <set>
#include <thread>

namespace makegood::conformance {

using testing_support::MessageTexts;
using testing_support::quiet;
using Kind = Behaviour::Kind;
using namespace std::chrono_literals;

void TransportSuite::send_many(Ticket first, std::size_t count, const DestinationPtr& to) {
  constexpr std::size_t batch_max = 500;
  for (std::size_t sent = 0; sent < count;) {
    std::vector<Delivery> batch;
    for (; sent < count && batch.size() < batch_max; ++sent) batch.push_back(delivery(first + sent, to));
    transport().send(std::move(batch), inbox_);
  }
}

void TransportSuite::expect_each_completed_once(std::size_t count) {
  ASSERT_TRUE(inbox_.await(count));
  EXPECT_FALSE(inbox_.await(count + 1, quiet)) << "something was completed twice";
  EXPECT_EQ(inbox_.times().size(), count);
}

void TransportSuite::expect_reported(const std::string& name, const Behaviour& behaviour, Outcome::Kind kind) {
  if (!subject_->can_be(behaviour)) GTEST_SKIP() << "nobody who is reached by this transport can answer so";
  const Outcome outcome = outcome_of(destination(name, behaviour));
  EXPECT_EQ(outcome.kind, kind);
  EXPECT_EQ(outcome.kind, subject_->expected(behaviour).kind);
  EXPECT_EQ(outcome.code, subject_->expected(behaviour).code);
  EXPECT_EQ(outcome.reach, subject_->expected(behaviour).reach);
  EXPECT_EQ(outcome.retry_after, behaviour.retry_after);
}

TEST_P(TransportSuite, HasASchemeThatItsDestinationsBear) {
  const auto to = destination("plain");
  EXPECT_EQ(to->name.substr(0, to->name.find(':')), transport().features().scheme);
}

TEST_P(TransportSuite, DeliversContentAndMetadataByteForByte) {
  const auto to = destination("plain");
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte.push_back(static_cast<char>(byte));
  const MessageTexts binary{.event_id = "0190a1b2-0000-7000-8000-000000000001",
                            .tenant_id = "tenant-7",
                            .topic = "order.order.paid.v1",
                            .dispatch_key = "näher 1%",
                            .content = every_byte,
                            .content_type = "application/x-protobuf",
                            .headers = R"({"x-origin":"near"})",
                            .envelope_id = "envelope-1",
                            .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                            .tracestate = "a=1"};
  Delivery sent = delivery(7, to, binary);
  sent.attempt = 3;
  send(std::move(sent));
  ASSERT_TRUE(inbox_.await(1));
  ASSERT_EQ(subject_->received().size(), 1U);
  const Received received = subject_->received().front();
  EXPECT_EQ(received.texts, subject_->as_received(binary));
  EXPECT_EQ(received.sequence, 7);
  EXPECT_EQ(received.attempt, 3U);
  EXPECT_EQ(received.outbox, "makegood_outbox");
  EXPECT_EQ(received.destination, to->name);
}

TEST_P(TransportSuite, DeliversEmptyAndLargeContent) {
  const auto to = destination("plain");
  const std::string large(std::size_t{256} << 10, 'x');
  send(delivery(1, to, {.content = ""}));
  send(delivery(2, to, {.content = large}));
  ASSERT_TRUE(inbox_.await(2));
  std::multiset<std::string> contents;
  for (const Received& received : subject_->received()) contents.insert(received.texts.content);
  EXPECT_EQ(contents, (std::multiset<std::string>{"", large}));
}

TEST_P(TransportSuite, ReportsSuccess) {
  const Outcome outcome = outcome_of(destination("plain"));
  EXPECT_EQ(outcome.kind, Outcome::Kind::ok);
  EXPECT_EQ(outcome.code, "");
}

TEST_P(TransportSuite, ReportsARefusalForNow) {
  expect_reported("busy", {.kind = Kind::retry, .code = "SHOP_CLOSED"}, Outcome::Kind::retry);
}

TEST_P(TransportSuite, ReportsHowLongARefusalForNowLasts) {
  expect_reported("busy", {.kind = Kind::retry, .code = "SHOP_CLOSED", .retry_after = 7s}, Outcome::Kind::retry);
}

TEST_P(TransportSuite, ReportsADestinationThatIsGone) {
  expect_reported("gone", {.kind = Kind::gone, .code = "SHOP_GONE"}, Outcome::Kind::gone);
}

TEST_P(TransportSuite, ReportsARefusalForGood) {
  expect_reported("strict", {.kind = Kind::fail, .code = "INSUFFICIENT_FUNDS"}, Outcome::Kind::fail);
}

TEST_P(TransportSuite, ReportsADestinationThatBreaksDownAsRetry) {
  expect_reported("broken", {.kind = Kind::crash}, Outcome::Kind::retry);
}

TEST_P(TransportSuite, NeverReportsSuccessForADestinationThatNobodyServes) {
  destination("plain");
  const Outcome outcome = outcome_of(subject_->nowhere());
  EXPECT_NE(outcome.kind, Outcome::Kind::ok);
  EXPECT_EQ(outcome.kind, subject_->expected_nowhere().kind);
  EXPECT_EQ(outcome.code, subject_->expected_nowhere().code);
}

TEST_P(TransportSuite, HonoursTheTimeoutAndGoesOn) {
  const auto hanging = destination("hanging", {.kind = Kind::hang}, 50ms);
  const auto plain = destination("plain");
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = outcome_of(hanging);
  EXPECT_GE(std::chrono::steady_clock::now() - before, 49ms);
  EXPECT_EQ(outcome.kind, Outcome::Kind::retry);
  EXPECT_EQ(outcome.code, "TX.TIMEOUT");
  EXPECT_EQ(outcome_of(plain).kind, Outcome::Kind::ok);
}

TEST_P(TransportSuite, DropsTheAnswerThatComesAfterTheTimeout) {
  const auto hanging = destination("hanging", {.kind = Kind::hang}, 50ms);
  EXPECT_EQ(outcome_of(hanging).code, "TX.TIMEOUT");
  subject_->release();
  expect_each_completed_once(1);
}

TEST_P(TransportSuite, CompletesEachOfManyExactlyOnce) {
  constexpr std::size_t count = 5000;
  send_many(1, count, destination("plain"));
  expect_each_completed_once(count);
  EXPECT_EQ(subject_->received().size(), count);
}

TEST_P(TransportSuite, TakesSendsFromSeveralThreadsAtOnce) {
  constexpr std::size_t threads = 4;
  constexpr std::size_t count = 500;
  const auto to = destination("plain");
  {
    std::vector<std::jthread> senders;
    senders.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) senders.emplace_back([&, i] { send_many(1 + i * count, count, to); });
  }
  expect_each_completed_once(threads * count);
}

TEST_P(TransportSuite, CompletesFromAThreadOfItsOwnWithoutHoldingUpTheSender) {
  const auto hanging = destination("hanging", {.kind = Kind::hang}, 50ms);
  send(delivery(1, hanging));  // Returns although the destination does not answer.
  ASSERT_TRUE(inbox_.await(1));
  EXPECT_FALSE(inbox_.threads().contains(std::this_thread::get_id()));
}

TEST_P(TransportSuite, PostsCompletionsWhereTheirSendAskedForThem) {
  const auto to = destination("plain");
  testing_support::CompletionInbox other;
  std::vector<Delivery> elsewhere;
  elsewhere.push_back(delivery(2, to));
  send(delivery(1, to));
  transport().send(std::move(elsewhere), other);
  ASSERT_TRUE(inbox_.await(1));
  ASSERT_TRUE(other.await(1));
  EXPECT_EQ(inbox_.all().front().ticket, 1U);
  EXPECT_EQ(other.all().front().ticket, 2U);
}

TEST_P(TransportSuite, KeepsDestinationsIndependentOfOneThatHangs) {
  constexpr std::size_t count = 200;
  const auto hanging = destination("hanging", {.kind = Kind::hang});
  const auto plain = destination("plain");
  const Behaviour refusing{.kind = Kind::fail, .code = "NO"};
  const bool can_refuse = subject_->can_be(refusing);
  const auto strict = can_refuse ? destination("strict", refusing) : plain;
  std::vector<Delivery> mixed;
  mixed.push_back(delivery(1, hanging));
  for (Ticket ticket = 2; ticket < 2 + count; ++ticket) {
    mixed.push_back(delivery(ticket, ticket % 2 == 0 ? plain : strict));
  }
  transport().send(std::move(mixed), inbox_);
  ASSERT_TRUE(inbox_.await(count)) << "the others waited for the one that hangs";
  EXPECT_FALSE(inbox_.times().contains(1));
  const auto all = inbox_.all();
  EXPECT_EQ(std::ranges::count(all, Outcome::Kind::fail, [](const Completion& c) { return c.outcome.kind; }),
            static_cast<std::ptrdiff_t>(can_refuse ? count / 2 : 0));
}

TEST_P(TransportSuite, KeepsTheLimitOfADestinationItselfIfItSaysSo) {
  if (!transport().features().keeps_in_flight_max) {
    GTEST_SKIP() << "this transport leaves the limit to the lane, which never hands over more; HTTP runs this test";
  }
  constexpr std::size_t count = 5;
  Destination settings = *destination("hanging", {.kind = Kind::hang});
  settings.in_flight_max = 2;
  const auto narrow = std::make_shared<const Destination>(std::move(settings));
  send_many(1, count, narrow);
  ASSERT_TRUE(subject_->await_received(2));
  EXPECT_FALSE(inbox_.await(1, quiet));
  EXPECT_EQ(subject_->received().size(), 2U) << "the others wait their turn";
  subject_->release();
  ASSERT_TRUE(inbox_.await(count)) << "and get it";
}

TEST_P(TransportSuite, CompletesWhatIsUnderWayDuringTheGraceOfADrain) {
  const auto hanging = destination("hanging", {.kind = Kind::hang});
  send(delivery(1, hanging));
  ASSERT_TRUE(subject_->await_received(1));
  std::jthread drainer([&] { transport().drain(inbox_, 20s); });
  subject_->release();
  drainer.join();
  EXPECT_EQ(inbox_.times(), (std::map<Ticket, std::size_t>{{1, 1}}));
}

TEST_P(TransportSuite, ReturnsFromADrainAfterTheGraceWhenADestinationHangs) {
  const auto hanging = destination("hanging", {.kind = Kind::hang});
  send(delivery(1, hanging));
  ASSERT_TRUE(subject_->await_received(1));
  const auto before = std::chrono::steady_clock::now();
  transport().drain(inbox_, 50ms);
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_GE(took, 49ms);
  EXPECT_LT(took, 10s);
}

TEST_P(TransportSuite, NeverCompletesAfterADrainWhatWasSentBefore) {
  const auto hanging = destination("hanging", {.kind = Kind::hang});
  send(delivery(1, hanging));
  ASSERT_TRUE(subject_->await_received(1));
  transport().drain(inbox_, 0ms);
  subject_->release();
  EXPECT_FALSE(inbox_.await(1, quiet));
}

TEST_P(TransportSuite, TakesAgainFromWhoWasDrained) {
  const auto hanging = destination("hanging", {.kind = Kind::hang});
  const auto plain = destination("plain");
  send(delivery(1, hanging));
  ASSERT_TRUE(subject_->await_received(1));
  transport().drain(inbox_, 0ms);
  send(delivery(2, plain));
  ASSERT_TRUE(inbox_.await(1));
  EXPECT_EQ(inbox_.times(), (std::map<Ticket, std::size_t>{{2, 1}}));
}

TEST_P(TransportSuite, ForgetsAtADrainWhatHadNotStarted) {
  constexpr std::size_t count = 2000;
  const auto hanging = destination("hanging", {.kind = Kind::hang});
  send_many(1, count, hanging);
  ASSERT_TRUE(subject_->await_received(1));
  transport().drain(inbox_, 0ms);
  subject_->release();
  EXPECT_FALSE(inbox_.await(1, quiet));
  EXPECT_LT(subject_->received().size(), count);
}

TEST_P(TransportSuite, GoesOnForOthersWhenOneIsDrained) {
  const auto hanging = destination("hanging", {.kind = Kind::hang});
  const auto plain = destination("plain");
  testing_support::CompletionInbox other;
  const auto send_for_other = [&](Ticket ticket, const DestinationPtr& to) {
    std::vector<Delivery> one;
    one.push_back(delivery(ticket, to));
    transport().send(std::move(one), other);
  };
  send(delivery(1, hanging));
  send_for_other(1, hanging);
  ASSERT_TRUE(subject_->await_received(2));
  transport().drain(inbox_, 0ms);
  send_for_other(2, plain);
  ASSERT_TRUE(other.await(1)) << "what others send goes on";
  subject_->release();
  ASSERT_TRUE(other.await(2)) << "and what they had under way";
  EXPECT_EQ(inbox_.size(), 0U);
  transport().drain(other, 5s);
}

TEST_P(TransportSuite, MayBeDrainedAgainAndWithoutASend) {
  transport().drain(inbox_, 0ms);
  transport().drain(inbox_, 20s);
}

}  // namespace makegood::conformance
