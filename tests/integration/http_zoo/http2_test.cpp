// HTTP/2, and how its connections end.
#include <algorithm>
#include <set>

#include "tests/integration/http_zoo/at_the_zoo.hpp"

namespace makegood {
namespace {

class Http2Animals : public AtTheZoo {
 protected:
  /// How often each Idempotency-Key arrived.
  static std::map<std::string, std::size_t> arrivals(const std::string& animal) {
    std::map<std::string, std::size_t> arrivals;
    for (const auto& visit : zoo().visits(animal).requests) ++arrivals[visit.headers.at("idempotency-key")];
    return arrivals;
  }
};

TEST_F(Http2Animals, TakeManyRequestsOverOneConnection) {
  const auto to = destination("http2", 5s);
  outcome_of(send(to));
  const auto outcomes = outcomes_of(send_many(to, 50));
  EXPECT_TRUE(std::ranges::all_of(outcomes, [](const Outcome& outcome) { return outcome.kind == Kind::ok; }));
  const Visits visits = zoo().visits("http2");
  EXPECT_EQ(visits.count, 51U);
  EXPECT_EQ(visits.connections, 1U);
}

TEST_F(Http2Animals, AreSpokenToAtOnceWithoutTlsWhenTheDestinationSaysSo) {
  EXPECT_EQ(outcome_at("h2c").kind, Kind::ok);
  EXPECT_EQ(zoo().visits("h2c").count, 1U);
}

TEST_F(Http2Animals, ThatGoAwayLoseNothing) {
  const auto to = destination("http2-goaway", 5s);
  const auto outcomes = outcomes_of(send_many(to, 8));
  std::size_t delivered = 0;
  for (const Outcome& outcome : outcomes) {
    EXPECT_TRUE(outcome.kind == Kind::ok || outcome.kind == Kind::retry) << outcome;
    if (outcome.kind == Kind::ok) ++delivered;
  }
  EXPECT_GE(arrivals("http2-goaway").size(), delivered);
  EXPECT_GE(delivered, 1U);
}

TEST_F(Http2Animals, ThatRefuseEveryStreamAreNotAskedForEver) {
  const Outcome outcome = outcome_at("http2-refused");
  EXPECT_EQ(outcome.kind, Kind::retry) << outcome;
  EXPECT_LE(zoo().visits("http2-refused").count, 10U);
}

TEST_F(Http2Animals, ThatResetTheStreamAreRetriedAndTheOthersAreServed) {
  EXPECT_EQ(outcome_at("http2-reset").kind, Kind::retry);
  expect_the_healthy_are_served_promptly();
}

}  // namespace
}  // namespace makegood
