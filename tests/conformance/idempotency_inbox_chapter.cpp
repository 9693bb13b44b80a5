// The inbox: which events a consumer has applied, in the transaction that applies them.
#include "tests/conformance/idempotency_suite.hpp"

namespace makegood::conformance {
namespace {

const TimePoint noon = std::chrono::sys_days(std::chrono::year(2024) / 5 / 17) + 12h;

InboxEvent an_event(const std::string& id, TimePoint time = noon) {
  return {.consumer = "billing", .source = "shop", .event_id = id, .event_time = time};
}

}  // namespace

TEST_P(IdempotencyTransactionSuite, SeesAnEventOnce) {
  auto first = begin();
  EXPECT_EQ(must(first->seen(an_event("e1"))), Seen::fresh);
  EXPECT_TRUE(first->commit());
  auto second = begin();
  EXPECT_EQ(must(second->seen(an_event("e1"))), Seen::repeat);
  EXPECT_EQ(must(second->seen(an_event("e2"))), Seen::fresh);
}

TEST_P(IdempotencyTransactionSuite, HasNotSeenWhatWasRolledBack) {
  EXPECT_EQ(must(begin()->seen(an_event("e1"))), Seen::fresh);
  EXPECT_EQ(must(begin()->seen(an_event("e1"))), Seen::fresh);
}

TEST_P(IdempotencyTransactionSuite, KeepsConsumersSourcesAndTenantsApart) {
  auto transaction = begin();
  InboxEvent event = an_event("e1");
  EXPECT_EQ(must(transaction->seen(event)), Seen::fresh);
  event.consumer = "shipping";
  EXPECT_EQ(must(transaction->seen(event)), Seen::fresh);
  event.source = "market";
  EXPECT_EQ(must(transaction->seen(event)), Seen::fresh);
  event.tenant_id = "other";
  EXPECT_EQ(must(transaction->seen(event)), Seen::fresh);
  EXPECT_EQ(must(transaction->seen(event)), Seen::repeat);
}

TEST_P(IdempotencyTransactionSuite, CallsAnEventExpiredThatItNoLongerRemembers) {
  pass(5 * 24h);
  auto first = begin();
  for (const auto& [id, time] : {std::pair{"old", noon}, {"older", noon - 1h}, {"young", noon + 3 * 24h}}) {
    must(first->seen(an_event(id, time)));
  }
  EXPECT_TRUE(first->commit());
  EXPECT_EQ(must(store_->purge_inbox(3 * 24h, 100)), 2U);
  auto second = begin();
  EXPECT_EQ(must(second->seen(an_event("old", noon))), Seen::expired) << "never fresh";
  EXPECT_EQ(must(second->seen(an_event("never seen", noon - 2h))), Seen::expired);
  EXPECT_EQ(must(second->seen(an_event("late", noon + 1h))), Seen::fresh) << "nothing so young was purged";
  EXPECT_EQ(must(second->seen(an_event("young", noon + 3 * 24h))), Seen::repeat);
  EXPECT_TRUE(second->commit());
}

TEST_P(IdempotencyTransactionSuite, PurgesTheInboxInBoundedSteps) {
  pass(5 * 24h);
  auto transaction = begin();
  for (int i = 0; i < 5; ++i) must(transaction->seen(an_event("e" + std::to_string(i), noon + i * 1s)));
  EXPECT_TRUE(transaction->commit());
  EXPECT_EQ(must(store_->purge_inbox(24h, 2)), 2U);
  EXPECT_EQ(must(begin()->seen(an_event("e2", noon + 2s))), Seen::repeat) << "what is not purged is remembered";
  EXPECT_EQ(must(begin()->seen(an_event("e1", noon + 1s))), Seen::expired);
  EXPECT_EQ(must(store_->purge_inbox(24h, 2)), 2U);
  EXPECT_EQ(must(store_->purge_inbox(24h, 2)), 1U);
  EXPECT_EQ(must(store_->purge_inbox(24h, 2)), 0U);
}

TEST_P(IdempotencyTransactionSuite, SeesAnEventInPlainSql) {
  pass(5 * 24h);
  const std::string moment = GetParam().name == "postgres" ? "'2024-05-17T12:00:00Z'" : "1715947200000";
  const std::string insert =
      "INSERT INTO makegood_inbox (consumer, source, event_id, event_time) VALUES ('billing', 'shop', 'e1', " + moment +
      ") ON CONFLICT DO NOTHING";
  under_test_->ask(insert);
  EXPECT_EQ(must(begin()->seen(an_event("e1"))), Seen::repeat);
  under_test_->ask(insert);
  EXPECT_EQ(must(store_->purge_inbox(24h, 2)), 1U);
  EXPECT_THROW(under_test_->ask(insert), std::runtime_error) << "expired is never taken for a repeat";
}

}  // namespace makegood::conformance
