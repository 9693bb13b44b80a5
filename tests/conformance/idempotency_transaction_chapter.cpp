// Keys inside a program's own transaction: the effect and the word about it are one.
#include <future>

#include "tests/conformance/idempotency_suite.hpp"

namespace makegood::conformance {

TEST_P(IdempotencyTransactionSuite, FinishesWithTheEffect) {
  const ClaimToken claim = really_claimed(a_claim());
  auto transaction = begin();
  transaction->ask("INSERT INTO effect VALUES ('paid')");
  must(transaction->finish(claim, {.digest = "d"}));
  EXPECT_EQ(must(real_->claim(a_claim())).outcome, ClaimOutcome::busy) << "not before the commit";
  EXPECT_TRUE(transaction->commit());
  EXPECT_EQ(must(real_->claim(a_claim())).result.digest, "d");
  EXPECT_EQ(effects(), "1");
}

TEST_P(IdempotencyTransactionSuite, FinishesNothingThatIsRolledBack) {
  const ClaimToken claim = really_claimed(a_claim());
  {
    auto transaction = begin();
    transaction->ask("INSERT INTO effect VALUES ('paid')");
    must(transaction->finish(claim, {}));
  }
  EXPECT_EQ(must(real_->claim(a_claim())).outcome, ClaimOutcome::busy);
  EXPECT_EQ(effects(), "0");
}

/// I4: the zombie has overlooked the error, and commits.
TEST_P(IdempotencyTransactionSuite, TakesTheEffectOfAStaleOwnerWithIt) {
  ClaimRequest request = a_takeable_claim();
  request.lease = 1ms;
  const ClaimToken former = really_claimed(request);
  while (must(real_->claim(request)).outcome != ClaimOutcome::fresh) {
  }
  auto transaction = begin();
  transaction->ask("INSERT INTO effect VALUES ('paid twice')");
  EXPECT_EQ(code_of(transaction->finish(former, {})), "TX.FENCED");
  EXPECT_FALSE(transaction->commit());
  EXPECT_EQ(effects(), "0");
}

/// A commit in doubt is repeated with the token that it had: the effect must not happen twice.
TEST_P(IdempotencyTransactionSuite, FinishesAKeyOnceOnly) {
  const ClaimToken claim = really_claimed(a_claim());
  for (int i = 0; i < 2; ++i) {
    auto transaction = begin();
    transaction->ask("INSERT INTO effect VALUES ('paid')");
    EXPECT_EQ(bool(transaction->finish(claim, {})), i == 0);
    EXPECT_EQ(transaction->commit(), i == 0);
  }
  EXPECT_EQ(effects(), "1");
}

TEST_P(IdempotencyTransactionSuite, FailsWithTheTransaction) {
  const ClaimToken claim = really_claimed(a_claim());
  auto transaction = begin();
  must(transaction->fail(claim, {.code = "CARD.DECLINED", .is_final = true}));
  EXPECT_TRUE(transaction->commit());
  EXPECT_EQ(must(real_->claim(a_claim())).outcome, ClaimOutcome::last_failed);
}

TEST_P(IdempotencyTransactionSuite, ClaimsWithTheCommit) {
  {
    auto transaction = begin();
    EXPECT_EQ(must(transaction->claim(a_claim())).outcome, ClaimOutcome::fresh);
  }
  auto transaction = begin();
  EXPECT_EQ(must(transaction->claim(a_claim())).outcome, ClaimOutcome::fresh) << "the first was rolled back";
  EXPECT_TRUE(transaction->commit());
  EXPECT_EQ(must(real_->claim(a_claim())).outcome, ClaimOutcome::busy);
}

TEST_P(IdempotencyTransactionSuite, DoesSomethingOnce) {
  for (int i = 0; i < 3; ++i) {
    auto transaction = begin();
    const ClaimAnswer answer = must(transaction->once(a_claim(), {.digest = "first"}));
    EXPECT_EQ(answer.outcome, i == 0 ? ClaimOutcome::fresh : ClaimOutcome::hit);
    EXPECT_EQ(answer.result.digest, i == 0 ? "" : "first");
    if (answer.outcome == ClaimOutcome::fresh) transaction->ask("INSERT INTO effect VALUES ('paid')");
    EXPECT_TRUE(transaction->commit());
  }
  EXPECT_EQ(effects(), "1");
}

TEST_P(IdempotencyTransactionSuite, SaysOnceThatAKeyBelongsToOtherContent) {
  auto transaction = begin();
  must(transaction->once(a_claim(), {}));
  ClaimRequest other = a_claim();
  other.fingerprint = "f2";
  EXPECT_EQ(must(transaction->once(other, {})).outcome, ClaimOutcome::mismatch);
}

TEST_P(IdempotencyTransactionSuite, WaitsForWhoDoesItOnceAtThisMoment) {
  auto first = begin();
  must(first->once(a_claim(), {.digest = "first"}));
  auto second = std::async(std::launch::async, [this] {
    auto transaction = begin();
    const auto answer = transaction->once(a_claim(), {.digest = "second"});
    return answer ? std::string(to_string(answer->outcome)) + answer->result.digest : code_of(answer);
  });
  EXPECT_TRUE(first->commit());
  EXPECT_EQ(second.get(), "hitfirst");
}

/// A claim that was rolled back was none, and who has waited for it is not told that the key is busy.
TEST_P(IdempotencyTransactionSuite, WaitsForWhoClaimsItAtThisMoment) {
  auto first = begin();
  EXPECT_EQ(must(first->claim(a_claim())).outcome, ClaimOutcome::fresh);
  auto second = std::async(std::launch::async, [this] {
    auto transaction = begin();
    const auto answer = transaction->claim(a_claim());
    const bool is_committed = transaction->commit();
    return (answer ? std::string(to_string(answer->outcome)) : code_of(answer)) + (is_committed ? "" : " in vain");
  });
  first.reset();
  EXPECT_EQ(second.get(), "fresh");
}

/// A database may stop the clock of a transaction when it begins; a lease ends all the same.
TEST_P(IdempotencyTransactionSuite, SeesALeaseEndThatEndsAfterItsTransactionBegan) {
  ClaimRequest request = a_takeable_claim();
  request.lease = 100ms;
  for (const char* key : {"by call", "in plain sql"}) {
    request.key.key = key;
    really_claimed(request);
  }
  auto transaction = begin();
  transaction->ask("SELECT count(*) FROM effect");
  // The store rounds to milliseconds and the database need not round alike, so both have to say so.
  const auto is_over = [&] {
    return must(real_->look_up(request.key))->outcome == ClaimOutcome::fresh &&
           transaction->ask("SELECT outcome FROM makegood_idempotency_claim WHERE key = 'in plain sql'") == "fresh";
  };
  const auto give_up_at = std::chrono::steady_clock::now() + 10s;
  while (!is_over() && std::chrono::steady_clock::now() < give_up_at) {
  }
  transaction->ask(
      "INSERT INTO makegood_idempotency_claim (scope, key, fingerprint, token) "
      "VALUES ('orders', 'in plain sql', 'f1', 'mine')");
  EXPECT_EQ(transaction->ask("SELECT token FROM makegood_idempotency_claim WHERE key = 'in plain sql'"), "mine");
  request.key.key = "by call";
  EXPECT_EQ(must(transaction->claim(request)).outcome, ClaimOutcome::fresh);
  EXPECT_TRUE(transaction->commit());
}

TEST_P(IdempotencyTransactionSuite, RefusesToStandAlone) {
  auto transaction = begin();
  EXPECT_TRUE(transaction->commit());
  EXPECT_EQ(code_of(transaction->once(a_claim(), {})), "TX.NOT_IN_TRANSACTION");
}

}  // namespace makegood::conformance
