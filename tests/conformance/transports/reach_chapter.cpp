// Whether a destination was reached, and whose lease is over when its turn comes.
#include "tests/conformance/transports/transport_suite.hpp"

namespace makegood::conformance {

using Kind = Behaviour::Kind;
using Reach = Outcome::Reach;
using namespace std::chrono_literals;
using testing_support::quiet;

namespace {

std::shared_ptr<Lease> lease_for(Duration time) { return std::make_shared<Lease>(Lease::now() + time); }

}  // namespace

TEST_P(TransportSuite, AnAnswerIsToldFromNone) {
  const auto plain = destination("plain");
  std::vector<DestinationPtr> all = {plain};
  for (const Kind kind : {Kind::retry, Kind::fail}) {
    const Behaviour behaviour{.kind = kind, .code = "X"};
    if (subject_->can_be(behaviour)) all.push_back(destination(kind == Kind::fail ? "strict" : "failed", behaviour));
  }
  for (const DestinationPtr& to : all) EXPECT_EQ(outcome_of(to).reach, Reach::answered) << to->name;
}

TEST_P(TransportSuite, WhoSaysItselfThatItCannotCountsAsNotReached) {
  expect_reported("busy", {.kind = Kind::busy, .code = "X"}, Outcome::Kind::retry);
  if (IsSkipped()) return;
  EXPECT_EQ(inbox_.all().back().outcome.reach, Reach::unreachable);
}

TEST_P(TransportSuite, ATimeoutIsSilence) {
  EXPECT_EQ(outcome_of(destination("hanging", {.kind = Kind::hang}, 50ms)).reach, Reach::silent);
}

TEST_P(TransportSuite, NobodyThereIsNoAnswer) {
  destination("plain");
  EXPECT_EQ(outcome_of(subject_->nowhere()).reach, subject_->expected_nowhere().reach);
}

TEST_P(TransportSuite, SendsWhileItsLeaseLasts) {
  Delivery sent = delivery(1, destination("plain"));
  sent.lease = lease_for(1h);
  send(std::move(sent));
  ASSERT_TRUE(inbox_.await(1));
  EXPECT_EQ(inbox_.all().front().outcome.kind, Outcome::Kind::ok);
}

TEST_P(TransportSuite, ReturnsWhatComesAfterItsLease) {
  Delivery late = delivery(1, destination("plain"));
  late.lease = lease_for(0s);
  send(std::move(late));
  ASSERT_TRUE(inbox_.await(1));
  EXPECT_EQ(inbox_.all().front().outcome.kind, Outcome::Kind::returned);
  EXPECT_TRUE(subject_->received().empty());
}

TEST_P(TransportSuite, ReturnsWhatWaitsForItsPlaceWhenItsLeaseEnds) {
  constexpr std::size_t count = 50;  // More than any of them takes at once.
  const auto hanging = std::make_shared<Destination>(*destination("hanging", {.kind = Kind::hang}, 1h));
  hanging->in_flight_max = 2;
  const auto lease = lease_for(1h);
  std::vector<Delivery> deliveries;
  for (std::size_t i = 1; i <= count; ++i) {
    deliveries.push_back(delivery(i, hanging));
    deliveries.back().lease = lease;
  }
  transport().send(std::move(deliveries), inbox_);
  ASSERT_TRUE(subject_->await_received(1));
  lease->end();
  const std::size_t arrived = subject_->received().size();
  subject_->release();
  ASSERT_TRUE(inbox_.await(count));
  std::size_t returned = 0;
  for (const Completion& completion : inbox_.all()) {
    returned += completion.outcome.kind == Outcome::Kind::returned ? 1U : 0U;
  }
  EXPECT_GT(returned, 0U);
  EXPECT_EQ(subject_->received().size() + returned, count);
  EXPECT_GE(subject_->received().size(), arrived);
}

}  // namespace makegood::conformance
