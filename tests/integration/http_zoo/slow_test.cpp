// Endpoints that take their time: they get as much of it as their destination allows, and nobody waits with them.
#include <algorithm>

#include "tests/integration/http_zoo/at_the_zoo.hpp"

namespace makegood {
namespace {

using SlowAnimals = AtTheZoo;

TEST_F(SlowAnimals, HoldUpNobodyElseAndNeedNoThreads) {
  expect_the_healthy_are_served_promptly();
  const std::size_t threads_before = thread_count();
  std::vector<Ticket> tickets;
  for (const char* animal : {"hang", "hang-unread", "slow-headers", "slow-body", "blackhole", "tls-hang", "late"}) {
    for (const Ticket ticket : send_many(destination(animal, 2s), 20)) tickets.push_back(ticket);
  }
  expect_the_healthy_are_served_promptly();
  EXPECT_EQ(thread_count(), threads_before);
  outcomes_of(tickets);
  EXPECT_EQ(thread_count(), threads_before);
}

TEST_F(SlowAnimals, AreGivenUpAtTheTimeoutOfTheirDestination) {
  const auto before = std::chrono::steady_clock::now();
  const auto short_one = send(destination("hang", 300ms));
  const auto long_one = send(destination("hang-unread", 3s));
  EXPECT_EQ(outcome_of(short_one).code, "TX.TIMEOUT");
  EXPECT_GE(std::chrono::steady_clock::now() - before, 299ms);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2500ms) << "it does not wait for the other one";
  EXPECT_EQ(outcome_of(long_one).code, "TX.TIMEOUT");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
}

TEST_F(SlowAnimals, ThatNeverAcceptAreGivenUpAfterTheTimeForConnecting) {
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = outcome_of(send(destination("blackhole", 10s)));
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_EQ(outcome.kind, Kind::retry) << outcome;
  EXPECT_NE(outcome.detail.find("not sent"), std::string::npos) << outcome;
  EXPECT_GE(took, options.connect_timeout - 10ms);
  EXPECT_LT(took, 8s) << "and not at the timeout";
}

TEST_F(SlowAnimals, ThatDripTheirBodyAreGivenUpLongBeforeTheTimeout) {
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = outcome_of(send(destination("slow-body", 15s)));
  EXPECT_EQ(outcome.kind, Kind::ok) << "its status had come: " << outcome;
  EXPECT_LT(std::chrono::steady_clock::now() - before, 12s);
}

TEST_F(SlowAnimals, ThatDripTheirHeadersAreGivenUpAtTheTimeout) {
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(outcome_of(send(destination("slow-headers", 1200ms))).code, "TX.TIMEOUT");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 8s);
}

TEST_F(SlowAnimals, ThatAnswerAfterTheTimeoutAreNotBelievedAndNotConfused) {
  const auto late = destination("late", {.url = zoo().url("late") + "?ms=400"}, 200ms);
  const Outcome first = outcome_of(send(late));
  EXPECT_EQ(first.code, "TX.TIMEOUT") << first;
  const Outcome second = outcome_of(send(late));
  EXPECT_EQ(second.code, "TX.TIMEOUT") << "not the late answer to the first: " << second;
  EXPECT_EQ(zoo().visits("late").connections, 2U) << "a connection with an answer outstanding is not used again";
}

}  // namespace
}  // namespace makegood
