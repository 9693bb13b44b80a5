// Transactions beside each other, at both levels of isolation that programs use: who comes second is told so, or fails.
#include "tests/conformance/idempotency_suite.hpp"

namespace makegood::conformance {
namespace {

const std::string committed = "READ COMMITTED";
const std::string repeatable = "REPEATABLE READ";

/// From here on it sees what was committed before, as far as the level says so.
void begin_to_look(KeyTransaction& transaction, const std::string& level) {
  transaction.ask("SET TRANSACTION ISOLATION LEVEL " + level);
  transaction.ask("SELECT count(*) FROM makegood_inbox");
}

}  // namespace

/// Its row is gone when it is inserted again: only the watermark knows, if it is read afterwards.
TEST_P(IdempotencyIsolation, NeverCallsARepeatFreshThatWasPurgedMeanwhile) {
  pass(5 * 24h);
  for (const std::string& level : {committed, repeatable}) {
    const TimePoint time = std::chrono::sys_days(std::chrono::year(2024) / 5 / 17);
    const InboxEvent event{.consumer = level, .source = "shop", .event_id = "e1", .event_time = time};
    auto before = begin();
    EXPECT_EQ(must(before->seen(event)), Seen::fresh);
    EXPECT_TRUE(before->commit());
    auto transaction = begin();
    begin_to_look(*transaction, level);
    EXPECT_EQ(must(store_->purge_inbox(24h, 100)), 1U);
    const auto seen = transaction->seen(event);
    const std::string told = seen ? std::string(to_string(*seen)) : code_of(seen);
    EXPECT_EQ(told, level == committed ? "expired" : "STORAGE.UNAVAILABLE") << "the latter is to be tried again";
    transaction.reset();
    EXPECT_EQ(must(begin()->seen(event)), Seen::expired);
  }
}

TEST_P(IdempotencyIsolation, FailsWhoseSnapshotIsOlderThanTheKey) {
  auto first = begin();
  must(first->once(a_claim(), {.digest = "first"}));
  auto second = begin();
  begin_to_look(*second, repeatable);
  EXPECT_TRUE(first->commit());
  EXPECT_EQ(code_of(second->once(a_claim(), {.digest = "second"})), "STORAGE.UNAVAILABLE");
  EXPECT_FALSE(second->commit());
  EXPECT_EQ(must(begin()->once(a_claim(), {})).result.digest, "first") << "tried again";
}

/// A transaction that stays open has one key, and not those that were asked for beside it.
TEST_P(IdempotencyIsolation, AnOpenTransactionHoldsUpItsOwnKeyOnly) {
  auto open = begin();
  must(open->once(a_claim("k1"), {.digest = "open"}));
  std::vector<ClaimRequest> batch = {a_claim("k0"), a_claim("k1"), a_claim("k2")};
  const auto answers = real_->claim(batch);
  EXPECT_EQ(must(answers[0]).outcome, ClaimOutcome::fresh);
  EXPECT_EQ(must(answers[1]).outcome, ClaimOutcome::busy);
  EXPECT_EQ(must(answers[2]).outcome, ClaimOutcome::fresh);
  EXPECT_TRUE(open->commit());
  EXPECT_EQ(must(real_->claim(a_claim("k1"))).result.digest, "open");
}

}  // namespace makegood::conformance
