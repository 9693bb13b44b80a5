#include "transports/http/answer.hpp"

#include <gtest/gtest.h>

namespace makegood::http {
namespace {

constexpr TimePoint noon = from_milliseconds(1'700'000'000'000);

AnswerTable table_of(const std::map<std::string, std::string>& changes) {
  auto table = AnswerTable::from(changes);
  EXPECT_TRUE(table) << table.error().message;
  return *table;
}

TEST(AnswerTable, CanBeChangedForAStatusAndForAClass) {
  const AnswerTable table = table_of({{"404", "ok"}, {"4xx", "retry"}, {"503", "disable"}, {"2xx", "fail"}});
  EXPECT_EQ(table.verdict_on(404), Outcome::Kind::ok);
  EXPECT_EQ(table.verdict_on(403), Outcome::Kind::retry);
  EXPECT_EQ(table.verdict_on(410), Outcome::Kind::retry);
  EXPECT_EQ(table.verdict_on(503), Outcome::Kind::gone);
  EXPECT_EQ(table.verdict_on(500), std::nullopt) << "as usual";
  EXPECT_EQ(table.verdict_on(200), Outcome::Kind::fail);
  EXPECT_EQ(table.verdict_on(301), std::nullopt);
}

TEST(AnswerTable, RefusesEveryMistakeInOneError) {
  const auto table = AnswerTable::from({{"404", "okay"}, {"4x", "ok"}, {"500", "retry"}});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, Errc::config_invalid);
  EXPECT_NE(table.error().message.find("'okay'"), std::string::npos);
  EXPECT_NE(table.error().message.find("'4x'"), std::string::npos);
}

TEST(AnswerTable, KnowsNoOtherStatusesThanAnswers) {
  for (const char* key : {"", "1xx", "100", "199", "600", "6xx", "0404", "404 ", "4XX", "xx4", "4xxx", "-04", "+40"}) {
    EXPECT_FALSE(AnswerTable::from({{key, "ok"}})) << key;
  }
}

Outcome outcome_of(int status, std::string_view retry_after, const AnswerTable& table, TimePoint now) {
  return judged_by_outbox(reply_of(status, retry_after, table, now));
}

TEST(OutcomeOfAStatus, IsPlainForASuccess) {
  const Outcome outcome = outcome_of(204, "120", table_of({}), noon);
  EXPECT_EQ(outcome.kind, Outcome::Kind::ok);
  EXPECT_EQ(outcome.code, "");
  EXPECT_EQ(outcome.retry_after, Duration::zero());
}

TEST(OutcomeOfAStatus, CarriesRetryAfterOfARetryOnly) {
  EXPECT_EQ(outcome_of(503, "120", table_of({}), noon).retry_after, std::chrono::seconds(120));
  EXPECT_EQ(outcome_of(503, "soon", table_of({}), noon).retry_after, Duration::zero());
  EXPECT_EQ(outcome_of(404, "120", table_of({}), noon).retry_after, Duration::zero());
  EXPECT_EQ(outcome_of(410, "120", table_of({}), noon).retry_after, Duration::zero());
  EXPECT_EQ(outcome_of(404, "120", table_of({{"404", "retry"}}), noon).retry_after, std::chrono::seconds(120));
}

TEST(OutcomeOfAStatus, NamesTheStatusAndWhatItUsuallyMeans) {
  EXPECT_EQ(outcome_of(503, {}, table_of({}), noon).detail, "answered 503 Service Unavailable");
  EXPECT_EQ(outcome_of(599, {}, table_of({}), noon).detail, "answered 599");
}

TEST(OutcomeOfAStatus, HasACodeThatTellsRefusalsApart) {
  EXPECT_EQ(outcome_of(429, {}, table_of({}), noon).code, "PROVIDER.UNAVAILABLE");
  const Outcome refused = outcome_of(404, {}, table_of({}), noon);
  EXPECT_EQ(refused.kind, Outcome::Kind::fail);
  EXPECT_EQ(refused.code, "HTTP.404");
  EXPECT_EQ(outcome_of(401, {}, table_of({}), noon).code, "HTTP.401");
  const Outcome gone = outcome_of(410, {}, table_of({}), noon);
  EXPECT_EQ(gone.kind, Outcome::Kind::gone);
  EXPECT_EQ(gone.code, "HTTP.410");
}

}  // namespace
}  // namespace makegood::http
