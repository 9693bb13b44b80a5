#include "core/saga/judgement.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace makegood::core {
namespace {

Reply http_reply(int status, std::string body = {}, bool is_cut = false) {
  Reply reply{.what = Reply::What::answered, .code = "HTTP." + std::to_string(status), .status = status};
  reply.content = std::make_shared<const Reply::Content>(Reply::Content{.body = std::move(body), .is_cut = is_cut});
  return reply;
}

SagaAnswer judged_by_saga(const Reply& reply, Direction direction = Direction::action, bool was_ever_ok = false,
                          const SagaStep& step = {}) {
  SagaAnswer answer{.direction = direction};
  judge_by_saga(reply, step, was_ever_ok, answer);
  return answer;
}

struct JudgementRow {
  const char* name;
  Reply reply;
  SagaOutcome outcome;
  bool is_spent = true;
  bool is_held = false;
};

TEST(SagaJudgement, FollowsTheTableForActions) {
  const std::string code = R"({"code":"NO_FUNDS"})";
  const JudgementRow rows[] = {
      {"200", http_reply(200, "{}"), SagaOutcome::ok},
      {"204", http_reply(204), SagaOutcome::ok},
      {"4xx with a code", http_reply(422, code), SagaOutcome::fail},
      {"404 with a code", http_reply(404, code), SagaOutcome::fail},
      {"409 with a code", http_reply(409, code), SagaOutcome::fail},
      {"409 without a code", http_reply(409), SagaOutcome::unknown},
      {"busy", http_reply(409, R"({"code":"TX.IDEMPOTENT_BUSY"})"), SagaOutcome::unknown},
      {"429", http_reply(429), SagaOutcome::retry, false},
      {"425", http_reply(425, code), SagaOutcome::unknown},
      {"408", http_reply(408), SagaOutcome::unknown},
      {"500", http_reply(500), SagaOutcome::unknown},
      {"500 with a code", http_reply(500, code), SagaOutcome::unknown},
      {"503", http_reply(503), SagaOutcome::unknown, false},
      {"404 without a code", http_reply(404, "<html>"), SagaOutcome::unknown, false, true},
      {"401", http_reply(401), SagaOutcome::unknown, false, true},
      {"302", http_reply(302), SagaOutcome::unknown, false, true},
      {"a code that was cut", http_reply(422, code, true), SagaOutcome::unknown, false, true},
      {"no answer", Reply::silent("TX.TIMEOUT", {}), SagaOutcome::unknown},
      {"garbled", {.what = Reply::What::garbled}, SagaOutcome::unknown},
      {"unreachable", Reply::unreachable("TX.UNAVAILABLE", {}), SagaOutcome::retry, false},
      {"withheld", Reply::withheld(), SagaOutcome::retry, false},
      {"unsendable", Reply::unsendable("X", {}), SagaOutcome::retry, false, true},
  };
  for (const JudgementRow& row : rows) {
    const SagaAnswer answer = judged_by_saga(row.reply);
    EXPECT_EQ(answer.outcome, row.outcome) << row.name;
    EXPECT_EQ(answer.is_spent, row.is_spent) << row.name;
    EXPECT_EQ(answer.is_held, row.is_held) << row.name;
    EXPECT_FALSE(answer.is_accepted) << row.name;
  }
}

TEST(SagaJudgement, Takes202ForAnAnswerThatComesLater) { EXPECT_TRUE(judged_by_saga(http_reply(202)).is_accepted); }

TEST(SagaJudgement, AsksForAPersonWhenAKeyWasUsedForSomethingElse) {
  EXPECT_TRUE(judged_by_saga(http_reply(422, R"({"code":"TX.IDEMPOTENT_MISMATCH"})")).is_manual);
}

TEST(SagaJudgement, KeepsAnOutputThatIsJsonAndNotTooLong) {
  EXPECT_EQ(judged_by_saga(http_reply(200, R"({"id":1})")).output, R"({"id":1})");
  const SagaAnswer text = judged_by_saga(http_reply(200, "fine"));
  EXPECT_EQ(text.outcome, SagaOutcome::ok);
  EXPECT_TRUE(text.output.empty());
  EXPECT_FALSE(text.error.empty());
  const SagaAnswer large = judged_by_saga(http_reply(200, "\"" + std::string(output_bytes_max, 'x') + "\""));
  EXPECT_EQ(large.outcome, SagaOutcome::ok);
  EXPECT_TRUE(large.output.empty());
}

TEST(SagaJudgement, TakesAbsenceForACompensationOnlyIfNothingWasDone) {
  const Reply absent = http_reply(404, R"({"code":"NOT_FOUND"})");
  EXPECT_EQ(judged_by_saga(absent, Direction::compensation).outcome, SagaOutcome::ok);
  const SagaAnswer held = judged_by_saga(absent, Direction::compensation, true);
  EXPECT_EQ(held.outcome, SagaOutcome::unknown);
  EXPECT_TRUE(held.is_held);
  EXPECT_TRUE(judged_by_saga(http_reply(404), Direction::compensation).is_held);
}

TEST(SagaJudgement, KnowsNoFinalAnswerOfACompensationButSuccess) {
  const SagaAnswer answer = judged_by_saga(http_reply(422, R"({"code":"NO"})"), Direction::compensation);
  EXPECT_EQ(answer.outcome, SagaOutcome::retry);
}

TEST(SagaJudgement, BelievesALookUpThatSaysSo) {
  EXPECT_EQ(judged_by_saga(http_reply(200, R"({"status":"done"})"), Direction::check).outcome, SagaOutcome::ok);
  EXPECT_EQ(judged_by_saga(http_reply(200, R"({"status":"not_done"})"), Direction::check).outcome, SagaOutcome::fail);
  EXPECT_EQ(judged_by_saga(http_reply(200, "{}"), Direction::check).outcome, SagaOutcome::unknown);
  EXPECT_EQ(judged_by_saga(http_reply(404, R"({"code":"X"})"), Direction::check).outcome, SagaOutcome::unknown);
}

TEST(SagaJudgement, FollowsTheStepsOwnTableFirst) {
  SagaStep step;
  step.outcomes["PAYMENT_TIMEOUT"] = SagaOutcome::unknown;
  const Reply reply = http_reply(422, R"({"code":"PAYMENT_TIMEOUT"})");
  EXPECT_EQ(judged_by_saga(reply, Direction::action, false, step).outcome, SagaOutcome::unknown);
}

TEST(SagaJudgement, TakesAFunctionAtItsWord) {
  Reply reply{.what = Reply::What::answered, .code = "NO_FUNDS", .verdict = Outcome::Kind::fail};
  EXPECT_EQ(judged_by_saga(reply).outcome, SagaOutcome::fail);
  EXPECT_EQ(judged_by_saga(reply, Direction::compensation).outcome, SagaOutcome::retry);
  reply.verdict = Outcome::Kind::returned;
  EXPECT_FALSE(judged_by_saga(reply).is_spent);
}

Reply function_reply(std::string output) {
  Reply reply{.what = Reply::What::answered, .verdict = Outcome::Kind::ok};
  reply.content = std::make_shared<const Reply::Content>(Reply::Content{.body = std::move(output)});
  return reply;
}

TEST(SagaJudgement, KeepsWhatAFunctionAnswersOnlyIfItIsJson) {
  EXPECT_EQ(judged_by_saga(function_reply(R"({"id":1})")).output, R"({"id":1})");
  EXPECT_TRUE(judged_by_saga(function_reply("")).error.empty()) << "no output is nothing wrong";
  for (const std::string& output : {std::string("charged, id 7"), std::string(R"({"id":)"), std::string("{} {}"),
                                    "\"" + std::string(output_bytes_max, 'x') + "\"", std::string(1000, '[')}) {
    const SagaAnswer answer = judged_by_saga(function_reply(output));
    EXPECT_EQ(answer.outcome, SagaOutcome::ok) << "it was done, whatever it says";
    EXPECT_TRUE(answer.output.empty()) << output.substr(0, 20);
    EXPECT_FALSE(answer.error.empty()) << output.substr(0, 20);
  }
}

TEST(SagaJudgement, IsNotBroughtDownByABodyThatIsNestedDeeply) {
  const SagaAnswer answer = judged_by_saga(http_reply(200, std::string(output_bytes_max, '[')));
  EXPECT_EQ(answer.outcome, SagaOutcome::ok);
  EXPECT_TRUE(answer.output.empty());
}

TEST(SagaJudgement, KeepsWhatAStoreCanCarry) {
  const SagaAnswer torn = judged_by_saga(http_reply(422, "{\"code\":\"NO\xff\"}"));
  EXPECT_EQ(torn.code, "NO?");
  const SagaAnswer endless = judged_by_saga(http_reply(422, R"({"code":")" + std::string(5000, 'C') + R"("})"));
  EXPECT_EQ(endless.code, std::string(200, 'C'));
  const Reply thrown = Reply::said(Outcome::fail("X", "\xfe\x01" + std::string(5000, 'e')));
  EXPECT_EQ(judged_by_saga(thrown).error, "? " + std::string(2046, 'e'));
}

}  // namespace
}  // namespace makegood::core
