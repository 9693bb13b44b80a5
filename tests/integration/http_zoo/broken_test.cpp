// Endpoints that break the connection or the protocol: nothing is believed that was not said, and nobody is harmed.
#include "tests/integration/http_zoo/at_the_zoo.hpp"

namespace makegood {
namespace {

class BrokenAnimals : public AtTheZoo {
 protected:
  /// One message, attempted twice.
  std::vector<Outcome> attempt_twice(const DestinationPtr& to) {
    CompletionInbox inbox;
    for (std::uint32_t attempt = 1; attempt <= 2; ++attempt) {
      std::vector<Delivery> deliveries;
      deliveries.push_back({.message = testing_support::committed_message({.event_id = "event-of-two-attempts"}),
                            .destination = to,
                            .outbox = "makegood_outbox",
                            .attempt = attempt,
                            .ticket = attempt});
      transport().send(std::move(deliveries), inbox);
      EXPECT_TRUE(inbox.await(attempt));
    }
    std::vector<Outcome> outcomes;
    for (const Completion& completion : inbox.all()) outcomes.push_back(completion.outcome);
    return outcomes;
  }
};

TEST_F(BrokenAnimals, ThatResetInTheMiddleOfALargeRequestAreRetried) {
  const Outcome outcome = outcome_of(send(destination("reset-in-request"), std::string(std::size_t{4} << 20, 'x')));
  EXPECT_EQ(outcome.kind, Kind::retry) << outcome;
}

TEST_F(BrokenAnimals, ThatAnswerTwiceNeverAnswerTheNextRequest) {
  const auto twice = destination("answers-twice");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(outcome_of(send(twice)).kind, Kind::ok);
  EXPECT_EQ(zoo().visits("answers-twice").count, 10U);
}

TEST_F(BrokenAnimals, ThatSayMoreThanTheyAnnouncedNeverAnswerTheNextRequest) {
  const auto talkative = destination("length-too-short");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(outcome_of(send(talkative)).kind, Kind::ok);
  EXPECT_EQ(zoo().visits("length-too-short").connections, 3U) << "such a connection is not used again";
}

TEST_F(BrokenAnimals, ThatCloseAnIdleConnectionCostNothing) {
  const auto idle = destination("close-when-idle");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(outcome_of(send(idle)).kind, Kind::ok);
  EXPECT_EQ(zoo().visits("close-when-idle").count, 10U);
}

TEST_F(BrokenAnimals, ThatCloseAConnectionExactlyWhenItIsReusedLoseNothing) {
  const auto racing = destination("close-when-reused");
  std::size_t delivered = 0;
  for (int i = 0; i < 10; ++i) {
    const Outcome outcome = outcome_of(send(racing));
    EXPECT_TRUE(outcome.kind == Kind::ok || outcome.kind == Kind::retry) << outcome;
    if (outcome.kind == Kind::ok) ++delivered;
  }
  EXPECT_GE(delivered, 5U) << "every first request of a connection, at least";
  EXPECT_EQ(zoo().visits("close-when-reused").count, delivered) << "those that were answered, and no others";
}

TEST_F(BrokenAnimals, ThatApplyTheEffectAndFailGetTheSameKeyAgain) {
  const auto outcomes = attempt_twice(destination("effect-then-500"));
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[0].kind, Kind::retry) << outcomes[0];
  EXPECT_EQ(outcomes[1].kind, Kind::retry) << outcomes[1];
  EXPECT_EQ(zoo().visits("effect-then-500").effects,
            (std::map<std::string, std::size_t>{{"event-of-two-attempts", 2}}));
}

TEST_F(BrokenAnimals, ThatApplyTheEffectAndDropTheConnectionRecogniseTheRepeat) {
  const auto outcomes = attempt_twice(destination("effect-then-drop"));
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[0].kind, Kind::retry) << "no answer is no success: " << outcomes[0];
  EXPECT_EQ(outcomes[1].kind, Kind::ok) << outcomes[1];
  EXPECT_EQ(zoo().visits("effect-then-drop").effects,
            (std::map<std::string, std::size_t>{{"event-of-two-attempts", 2}}));
}

TEST_F(BrokenAnimals, ThatApplyTheEffectTwiceWereAskedOnce) {
  EXPECT_EQ(outcome_at("effect-twice").kind, Kind::ok);
  const Visits visits = zoo().visits("effect-twice");
  EXPECT_EQ(visits.count, 1U);
  ASSERT_EQ(visits.effects.size(), 1U) << "by one key, so that it could have told";
  EXPECT_EQ(visits.effects.begin()->second, 2U);
}

TEST_F(BrokenAnimals, HarmNoneOfTheHealthy) {
  for (const char* animal : {"close-at-once", "close-without-answer", "reset-in-request", "reset-in-response",
                             "chunk-garbage", "chunk-absurd", "chunk-cut", "length-garbage", "not-http"}) {
    send_many(destination(animal), 20);
  }
  expect_the_healthy_are_served_promptly();
}

}  // namespace
}  // namespace makegood
