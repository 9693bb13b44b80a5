// Endpoints that answer at once: what their headers make us do, and what they cannot make us do.
#include "tests/integration/http_zoo/at_the_zoo.hpp"

namespace makegood {
namespace {

using Answers = AtTheZoo;

TEST_F(Answers, SayWhenToComeBack) {
  EXPECT_EQ(outcome_at("retry-after-seconds").retry_after, 7s);
  EXPECT_EQ(outcome_at("unavailable-with-retry-after").retry_after, 7s);
  const Duration by_date = outcome_at("retry-after-date").retry_after;
  EXPECT_GT(by_date, 25s);
  EXPECT_LE(by_date, 31s);
}

TEST_F(Answers, ThatSayItWithoutSenseAreRetriedAsUsual) {
  for (const char* animal : {"retry-after-past", "retry-after-negative", "retry-after-garbage", "status-429"}) {
    const Outcome outcome = outcome_at(animal);
    EXPECT_EQ(outcome.kind, Kind::retry) << animal;
    EXPECT_EQ(outcome.retry_after, Duration::zero()) << animal;
  }
}

TEST_F(Answers, CannotPutARetryOffForEver) {
  const Outcome outcome = outcome_at("retry-after-absurd");
  EXPECT_GT(outcome.retry_after, Duration::zero());
  EXPECT_LE(outcome.retry_after, std::chrono::hours(24 * 366)) << "what the lane then cuts down to retry_after_max";
}

TEST_F(Answers, ThatLeadElsewhereAreNotFollowed) {
  for (const char* animal : {"redirect-to-neighbour", "redirect-with-body", "redirect-without-end"}) {
    EXPECT_EQ(outcome_at(animal).kind, Kind::fail) << animal;
    EXPECT_EQ(zoo().visits(animal).count, 1U) << animal;
  }
  EXPECT_EQ(zoo().visits("neighbour").connections, 0U);
}

TEST_F(Answers, ThatLeadToTheMetadataServiceEndAtOnceInsteadOfWaitingForIt) {
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = outcome_of(send(destination("redirect-to-metadata", 10s)));
  EXPECT_LT(std::chrono::steady_clock::now() - before, options.connect_timeout);
  EXPECT_EQ(outcome.kind, Kind::fail);
  EXPECT_EQ(outcome.code, "HTTP.301");
  EXPECT_NE(outcome.detail.find("301"), std::string::npos) << outcome;
}

TEST_F(Answers, CanMeanSomethingElseToADestination) {
  HttpSettings settings = settings_for("status-404");
  settings.answers = {{"404", "ok"}};
  EXPECT_EQ(outcome_of(send(destination("lenient", settings))).kind, Kind::ok);
  settings.answers = {{"4xx", "retry"}};
  EXPECT_EQ(outcome_of(send(destination("hopeful", settings))).kind, Kind::retry);
}

TEST_F(Answers, AreNeverQuotedInTheDetail) {
  const Outcome outcome = outcome_at("status-500");
  EXPECT_EQ(outcome.detail.find("the zoo says so"), std::string::npos) << outcome;
}

TEST_F(Answers, ShowThatTheContentArrivedByteForByteOverOneConnection) {
  const auto ok = destination("ok");
  outcome_of(send(ok, "{\"a\":  1}"));
  outcome_of(send(ok, ""));
  const Visits visits = zoo().visits("ok");
  ASSERT_EQ(visits.count, 2U);
  EXPECT_EQ(visits.requests[0].method, "POST");
  EXPECT_EQ(visits.requests[0].body, "{\"a\":  1}");
  EXPECT_EQ(visits.requests[1].body_bytes, 0U);
  EXPECT_EQ(visits.connections, 1U) << "kept alive";
}

}  // namespace
}  // namespace makegood
