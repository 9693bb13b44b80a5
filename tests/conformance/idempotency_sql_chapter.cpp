// Plain SQL, the same text on every store.
#include "tests/conformance/idempotency_suite.hpp"

namespace makegood::conformance {
namespace {

const std::string claim_k1 =
    "INSERT INTO makegood_idempotency_claim (scope, key, fingerprint, token, after_lease) "
    "VALUES ('orders', 'k1', 'f1', '{}', 'take_over')";
const std::string ask_k1 =
    "SELECT CASE WHEN token = '{}' THEN 'fresh' WHEN fingerprint <> 'f1' THEN 'mismatch' ELSE outcome END "
    "FROM makegood_idempotency_claim WHERE tenant_id = 'default' AND scope = 'orders' AND key = 'k1'";

std::string with(std::string text, const std::string& token) { return text.replace(text.find("{}"), 2, token); }

}  // namespace

TEST_P(IdempotencyTransactionSuite, ClaimsAndFinishesInPlainSql) {
  under_test_->ask(with(claim_k1, "t1"));
  under_test_->ask(with(claim_k1, "t2"));
  EXPECT_EQ(under_test_->ask(with(ask_k1, "t1")), "fresh");
  EXPECT_EQ(under_test_->ask(with(ask_k1, "t2")), "busy");
  auto transaction = begin();
  transaction->ask("INSERT INTO effect VALUES ('paid')");
  transaction->ask(
      "INSERT INTO makegood_idempotency_finish (scope, key, token, result_digest) VALUES ('orders', 'k1', 't1', 'd')");
  EXPECT_TRUE(transaction->commit());
  EXPECT_EQ(under_test_->ask(with(ask_k1, "t2")), "hit");
  const ClaimAnswer answer = must(real_->claim(a_claim()));
  EXPECT_EQ(answer.outcome, ClaimOutcome::hit) << "the same keys as everywhere else";
  EXPECT_EQ(answer.result.digest, "d");
}

/// On SQLite a mere ABORT would leave the transaction open, and its COMMIT would succeed.
TEST_P(IdempotencyTransactionSuite, FailsTheTransactionOfAStaleTokenInPlainSql) {
  under_test_->ask(with(claim_k1, "t1"));
  auto transaction = begin();
  transaction->ask("INSERT INTO effect VALUES ('paid')");
  EXPECT_THROW(
      transaction->ask("INSERT INTO makegood_idempotency_finish (scope, key, token) VALUES ('orders', 'k1', 't2')"),
      std::runtime_error);
  EXPECT_FALSE(transaction->commit());
  EXPECT_EQ(effects(), "0");
}

TEST_P(IdempotencyTransactionSuite, FailsAndRenewsInPlainSql) {
  under_test_->ask(with(claim_k1, "t1"));
  under_test_->ask(
      "INSERT INTO makegood_idempotency_renew (scope, key, token, lease_ms) VALUES ('orders', 'k1', 't1', 3600000)");
  EXPECT_GT(must(real_->claim(a_claim())).retry_after, 3500s);
  under_test_->ask(
      "INSERT INTO makegood_idempotency_fail (scope, key, token, failure_code) VALUES ('orders', 'k1', 't1', 'AWAY')");
  EXPECT_EQ(must(real_->claim(a_claim())).failure_code, "AWAY");
  EXPECT_THROW(
      under_test_->ask("INSERT INTO makegood_idempotency_renew (scope, key, token) VALUES ('orders', 'k1', 't1')"),
      std::runtime_error);
}

TEST_P(IdempotencyTransactionSuite, RefusesAClaimWithoutATokenInPlainSql) {
  EXPECT_THROW(
      under_test_->ask("INSERT INTO makegood_idempotency_claim (scope, key, fingerprint) VALUES ('o', 'k', 'f')"),
      std::runtime_error);
  EXPECT_THROW(under_test_->ask("INSERT INTO makegood_idempotency_claim (scope, key, fingerprint, token, lease_ms) "
                                "VALUES ('o', 'k', 'f', 't', 0)"),
               std::runtime_error);
}

TEST_P(IdempotencyTransactionSuite, DoesSomethingOnceInPlainSql) {
  for (const std::string token : {"t1", "t2"}) {
    auto transaction = begin();
    transaction->ask(
        "INSERT INTO makegood_idempotency_once (scope, key, fingerprint, token, result_status, result_body) "
        "VALUES ('orders', 'k1', 'f1', '" +
        token + "', 201, 'made by " + token + "')");
    const std::string is_mine = transaction->ask(
        "SELECT count(*) FROM makegood_idempotency_once WHERE tenant_id = 'default' AND scope = 'orders' AND key = "
        "'k1' "
        "AND token = '" +
        token + "'");
    EXPECT_EQ(is_mine, token == "t1" ? "1" : "0");
    EXPECT_TRUE(transaction->commit());
  }
  EXPECT_EQ(must(real_->claim(a_claim())).result.snapshot, (Snapshot{.status = 201, .body = "made by t1"}));
}

TEST_P(IdempotencyTransactionSuite, CutsNoBodyInPlainSqlWithoutSayingSo) {
  const std::string large(70'000, 'x');
  under_test_->ask(with(claim_k1, "t1"));
  under_test_->ask(
      "INSERT INTO makegood_idempotency_finish (scope, key, token, result_status, result_body) "
      "VALUES ('orders', 'k1', 't1', 200, '" +
      large + "')");
  const StoredResult result = must(real_->claim(a_claim())).result;
  EXPECT_TRUE(result.is_truncated);
  EXPECT_EQ(result.snapshot->body, "");
}

}  // namespace makegood::conformance
