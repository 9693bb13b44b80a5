// What an outbox makes of each reply.
#include <gtest/gtest.h>

#include "makegood/delivery.hpp"

namespace makegood {
namespace {

Outcome of_status(int status, std::optional<Outcome::Kind> verdict = {}) {
  return judged_by_outbox({.code = "HTTP.X", .detail = "why", .status = status, .verdict = verdict});
}

TEST(OutboxJudgement, HasTheUsualVerdictOnEachStatus) {
  for (const int status : {200, 201, 202, 204, 299}) EXPECT_EQ(of_status(status).kind, Outcome::Kind::ok) << status;
  for (const int status : {408, 425, 429, 500, 502, 503, 599}) {
    EXPECT_EQ(of_status(status).kind, Outcome::Kind::retry) << status;
  }
  for (const int status : {300, 301, 302, 304, 308, 400, 401, 403, 404, 409, 411, 413, 422, 451}) {
    EXPECT_EQ(of_status(status).kind, Outcome::Kind::fail) << status;
  }
  EXPECT_EQ(of_status(410).kind, Outcome::Kind::gone);
  for (const int status : {600, 999}) EXPECT_EQ(of_status(status).kind, Outcome::Kind::retry) << "nobody knows it";
}

TEST(OutboxJudgement, PutsAVerdictBeforeItsTable) {
  EXPECT_EQ(of_status(404, Outcome::Kind::ok).kind, Outcome::Kind::ok);
  EXPECT_EQ(of_status(200, Outcome::Kind::fail).kind, Outcome::Kind::fail);
  EXPECT_EQ(of_status(503, Outcome::Kind::gone).kind, Outcome::Kind::gone);
  EXPECT_EQ(of_status(404, Outcome::Kind::retry).code, "PROVIDER.UNAVAILABLE");
}

TEST(OutboxJudgement, TakesAProxyBeforeADeadBackendForNobody) {
  for (const int status : {429, 502, 503, 504})
    EXPECT_EQ(of_status(status).reach, Outcome::Reach::unreachable) << status;
  for (const int status : {408, 500, 501, 404, 200})
    EXPECT_EQ(of_status(status).reach, Outcome::Reach::answered) << status;
}

TEST(OutboxJudgement, TellsRefusalsApartByTheirCodes) {
  EXPECT_EQ(of_status(404).code, "HTTP.X");
  EXPECT_EQ(of_status(410).code, "HTTP.X");
  EXPECT_EQ(of_status(500).code, "PROVIDER.UNAVAILABLE");
  EXPECT_EQ(of_status(500).detail, "why");
  EXPECT_EQ(of_status(200).code, "");
}

TEST(OutboxJudgement, GoesWithoutAnAnswerByWhatHappened) {
  struct Row {
    Reply::What what;
    Outcome::Kind kind;
    Outcome::Reach reach;
    bool has_left;
  };
  for (const Row& row : {Row{Reply::What::garbled, Outcome::Kind::retry, Outcome::Reach::answered, true},
                         Row{Reply::What::silent, Outcome::Kind::retry, Outcome::Reach::silent, true},
                         Row{Reply::What::unreachable, Outcome::Kind::retry, Outcome::Reach::unreachable, false},
                         Row{Reply::What::unsendable, Outcome::Kind::fail, Outcome::Reach::unreachable, false},
                         Row{Reply::What::withheld, Outcome::Kind::returned, Outcome::Reach::answered, false}}) {
    const Reply reply{.what = row.what, .code = "C"};
    const Outcome outcome = judged_by_outbox(reply);
    EXPECT_EQ(outcome.kind, row.kind) << static_cast<int>(row.what);
    EXPECT_EQ(outcome.reach, row.reach) << static_cast<int>(row.what);
    EXPECT_EQ(outcome.code, "C");
    EXPECT_EQ(reply.has_left(), row.has_left) << static_cast<int>(row.what);
  }
}

TEST(OutboxJudgement, BelievesWhatAHandlerSays) {
  Outcome later = Outcome::retry("BUSY", "later");
  later.retry_after = std::chrono::seconds(3);
  for (const Outcome& said : {Outcome::ok(), later, Outcome::fail("NO", "never"), Outcome::gone("AWAY"),
                              Outcome::unreachable("DOWN"), Outcome::silent("SLOW"), Outcome::returned()}) {
    const Outcome judged = judged_by_outbox(Reply::said(said));
    EXPECT_EQ(judged.kind, said.kind) << said.code;
    EXPECT_EQ(judged.code, said.code);
    EXPECT_EQ(judged.detail, said.detail);
    EXPECT_EQ(judged.retry_after, said.retry_after);
    EXPECT_EQ(judged.reach, said.reach) << said.code;
  }
}

}  // namespace
}  // namespace makegood
