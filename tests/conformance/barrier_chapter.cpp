#include <future>
#include <thread>
#include <vector>

#include "tests/conformance/barrier_suite.hpp"

namespace makegood::conformance {
namespace {

std::string shown(const Result<SagaStepResult>& result) {
  if (!result) return std::string(to_string(result.error().code));
  std::string text(to_string(result->outcome));
  if (!result->output.empty()) text += " " + result->output;
  if (!result->code.empty()) text += " " + result->code;
  return text;
}

}  // namespace

std::string BarrierSuite::answer(BarrierUnderTest& under_test,
                                 const std::function<Result<SagaStepResult>(BarrierTransaction&)>& ask) {
  auto transaction = under_test.begin();
  const auto result = ask(*transaction);
  const bool is_definite = result && (result->outcome == SagaOutcome::ok || result->outcome == SagaOutcome::fail);
  // It tries to commit in any case, as somebody who overlooks an error would.
  if (transaction->commit() != is_definite) return is_definite ? "not committed" : "committed " + shown(result);
  return shown(result);
}

std::string BarrierSuite::charge(const BarrierKey& key, const std::string& cents) {
  return answer(*under_test_, [&](BarrierTransaction& transaction) {
    return transaction.act(key, [&] {
      transaction.ask("INSERT INTO ledger VALUES (" + cents + ")");
      return SagaStepResult::ok(R"({"cents":)" + cents + "}");
    });
  });
}

/// It writes first, and answers this then.
std::string BarrierSuite::charge_with(const BarrierKey& key, const SagaStepResult& result) {
  return answer(*under_test_, [&](BarrierTransaction& transaction) {
    return transaction.act(key, [&] {
      transaction.ask("INSERT INTO ledger VALUES (7)");
      return result;
    });
  });
}

std::string BarrierSuite::refund(const BarrierKey& key) {
  return answer(*under_test_, [&](BarrierTransaction& transaction) {
    return transaction.compensate(key, [&](std::string_view output) {
      const std::string cents(output.substr(output.find(':') + 1, output.find('}') - output.find(':') - 1));
      transaction.ask("INSERT INTO ledger VALUES (-" + cents + ")");
      return SagaStepResult::ok();
    });
  });
}

TEST_P(BarrierSuite, AnswersARepeatWithWhatItSaidFirst) {
  EXPECT_EQ(charge(of_round(1)), R"(ok {"cents":100})");
  EXPECT_EQ(charge(of_round(1), "999"), R"(ok {"cents":100})");
  EXPECT_EQ(entries(), "1");
}

TEST_P(BarrierSuite, KeepsAFailureAndNothingOfItsEffect) {
  EXPECT_EQ(charge_with(of_round(1), SagaStepResult::fail("NO_FUNDS")), "fail NO_FUNDS");
  EXPECT_EQ(charge(of_round(1)), "fail NO_FUNDS");
  EXPECT_EQ(entries(), "0");
}

TEST_P(BarrierSuite, KeepsNeitherRetryNorUnknown) {
  EXPECT_EQ(charge_with(of_round(1), SagaStepResult::retry("BUSY")), "retry BUSY");
  EXPECT_EQ(charge_with(of_round(1), SagaStepResult::unknown("AWAY")), "unknown AWAY");
  EXPECT_EQ(entries(), "0");
  EXPECT_EQ(charge(of_round(1)), R"(ok {"cents":100})");
}

TEST_P(BarrierSuite, KeepsNothingOfAnEffectThatThrows) {
  auto transaction = under_test_->begin();
  EXPECT_THROW(static_cast<void>(transaction->act(of_round(1),
                                                  [&]() -> SagaStepResult {
                                                    transaction->ask("INSERT INTO ledger VALUES (7)");
                                                    throw std::runtime_error("broken");
                                                  })),
               std::runtime_error);
  EXPECT_FALSE(transaction->commit());
  transaction.reset();
  EXPECT_EQ(charge(of_round(1)), R"(ok {"cents":100})");
  EXPECT_EQ(entries(), "1");
}

TEST_P(BarrierSuite, UndoesWhatWasDoneOnce) {
  charge(of_round(1));
  EXPECT_EQ(refund(of_round(1)), "ok");
  EXPECT_EQ(refund(of_round(1)), "ok") << "a repeat, or a further round of the compensation";
  EXPECT_EQ(taken(), "0");
  EXPECT_EQ(entries(), "2");
}

TEST_P(BarrierSuite, RefusesTheActionAfterItsCompensation) {
  charge(of_round(1));
  refund(of_round(1));
  EXPECT_EQ(charge(of_round(1)), "fail COMPENSATED") << "never ok: it has no effect any more";
  EXPECT_EQ(entries(), "2");
}

TEST_P(BarrierSuite, BlocksAnActionThatComesAfterItsCompensation) {
  EXPECT_EQ(refund(of_round(1)), "ok");
  EXPECT_EQ(charge(of_round(1)), "fail COMPENSATED");
  EXPECT_EQ(entries(), "0");
}

TEST_P(BarrierSuite, UndoesNothingOfAFailure) {
  charge_with(of_round(1), SagaStepResult::fail("NO_FUNDS"));
  EXPECT_EQ(refund(of_round(1)), "ok");
  EXPECT_EQ(entries(), "0");
  EXPECT_EQ(charge(of_round(1)), "fail NO_FUNDS") << "what was said stays said";
}

TEST_P(BarrierSuite, UndoesEveryRoundUpToTheOneThatIsNamed) {
  charge(of_round(1), "100");
  charge(of_round(3), "30");
  EXPECT_EQ(refund(of_round(3)), "ok");
  EXPECT_EQ(taken(), "0");
  EXPECT_EQ(charge(of_round(2)), "fail COMPENSATED");
  EXPECT_EQ(charge(of_round(4), "5"), R"(ok {"cents":5})") << "a later round is another one";
  EXPECT_EQ(refund(of_round(4)), "ok");
  EXPECT_EQ(refund(of_round(4)), "ok");
  EXPECT_EQ(taken(), "0");
}

TEST_P(BarrierSuite, RefusesALowerRoundThatHasNoAnswer) {
  charge_with(of_round(1), SagaStepResult::fail("NO_FUNDS"));
  EXPECT_EQ(charge(of_round(3)), R"(ok {"cents":100})");
  EXPECT_EQ(charge(of_round(2)), "fail COMPENSATED");
  EXPECT_EQ(charge(of_round(1)), "fail NO_FUNDS");
  EXPECT_EQ(entries(), "1");
}

TEST_P(BarrierSuite, DecidesWithTheTransactionOnly) {
  {
    auto transaction = under_test_->begin();
    static_cast<void>(transaction->act(of_round(1), [] { return SagaStepResult::ok("1"); }));
  }
  EXPECT_EQ(charge(of_round(1)), R"(ok {"cents":100})");
}

TEST_P(BarrierSuite, RollsBackACompensationThatFails) {
  charge(of_round(1));
  const auto failing = [&](BarrierTransaction& transaction) {
    return transaction.compensate(of_round(1), [](std::string_view) { return SagaStepResult::fail("CLOSED"); });
  };
  EXPECT_EQ(answer(*under_test_, failing), "retry CLOSED") << "it has no final answer but success";
  EXPECT_EQ(refund(of_round(1)), "ok");
  EXPECT_EQ(taken(), "0");
}

TEST_P(BarrierSuite, KeepsOthersApart) {
  charge(of_round(1));
  EXPECT_EQ(charge({.execution = "order-2", .step = "payment"}), R"(ok {"cents":100})");
  EXPECT_EQ(charge({.execution = "order-1", .step = "postage"}), R"(ok {"cents":100})");
  EXPECT_EQ(charge({.tenant_id = "acme", .execution = "order-1", .step = "payment"}), R"(ok {"cents":100})");
  EXPECT_EQ(refund({.tenant_id = "acme", .execution = "order-1", .step = "payment"}), "ok");
  EXPECT_EQ(taken(), "300");
}

/// Both see no row; the second waits for the first, and then reads what it has decided.
TEST_P(BarrierSuite, RunsRepeatsAtTheSameTimeOnce) {
  std::vector<std::future<std::string>> answers;
  answers.reserve(6);
  for (int i = 0; i < 6; ++i) answers.push_back(std::async(std::launch::async, [&] { return charge(of_round(1)); }));
  for (auto& answer : answers) EXPECT_EQ(answer.get(), R"(ok {"cents":100})");
  EXPECT_EQ(entries(), "1");
}

TEST_P(BarrierSuite, LeavesNothingWhenActionAndCompensationCross) {
  for (int i = 0; i < 5; ++i) {
    const BarrierKey key{.execution = "crossing-" + std::to_string(i), .step = "payment"};
    auto first = std::async(std::launch::async, [&] { return charge(key); });
    auto second = std::async(std::launch::async, [&] { return refund(key); });
    const std::string acted = first.get();
    EXPECT_TRUE(acted == R"(ok {"cents":100})" || acted == "fail COMPENSATED") << acted;
    EXPECT_EQ(second.get(), "ok");
    EXPECT_EQ(charge(key), "fail COMPENSATED");
  }
  EXPECT_EQ(taken(), "0");
}

}  // namespace makegood::conformance
