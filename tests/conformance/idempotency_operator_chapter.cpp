// What operators see of keys and do about them.
#include "tests/conformance/idempotency_suite.hpp"

namespace makegood::conformance {

TEST_P(IdempotencySuite, ShowsAKeyWithAllThatIsKnown) {
  const TimePoint began = under_test_->clock.now();
  const ClaimToken claim = claimed(a_claim());
  pass(1s);
  must(store_->finish(claim, {.digest = "d"}));
  const KeyView view = must(store_->look_up(a_claim().key)).value();
  EXPECT_EQ(view.record.state, KeyState::succeeded);
  EXPECT_EQ(view.record.created_at, began);
  EXPECT_EQ(view.record.updated_at, began + 1s);
  EXPECT_EQ(view.record.expires_at, began + 1s + 1h);
  EXPECT_EQ(view.record.ttl, 1h);
  EXPECT_EQ(view.record.claims, 1);
  EXPECT_EQ(view.now, began + 1s);
  EXPECT_EQ(view.outcome, ClaimOutcome::hit);
}

TEST_P(IdempotencySuite, ShowsNoKeyWhoseTimeIsOver) {
  EXPECT_EQ(must(store_->look_up(a_claim().key)), std::nullopt);
  must(store_->finish(claimed(a_claim())));
  pass(1h);
  EXPECT_EQ(must(store_->look_up(a_claim().key)), std::nullopt);
}

TEST_P(IdempotencySuite, CountsHowOftenAKeyWasClaimed) {
  for (int i = 0; i < 3; ++i) must(store_->fail(claimed(a_claim()), {.code = "X"}));
  EXPECT_EQ(must(store_->look_up(a_claim().key))->record.claims, 3);
  pass(2h);
  claimed(a_claim());
  EXPECT_EQ(must(store_->look_up(a_claim().key))->record.claims, 1) << "a new life";
}

TEST_P(IdempotencySuite, ListsKeysPageByPage) {
  for (const char* key : {"c", "a", "b"}) claimed(a_claim(key));
  const auto names = [](const std::vector<KeyView>& keys) {
    std::string all;
    for (const KeyView& key : keys) all += key.record.key.key;
    return all;
  };
  const auto first = must(store_->list({}, {.tenant_id = ""}, 2));
  EXPECT_EQ(names(first), "ab");
  EXPECT_EQ(names(must(store_->list({}, first.back().record.key, 2))), "c");
}

TEST_P(IdempotencySuite, ListsWhatIsInDoubtAndWhatBelongsToATenant) {
  claimed(a_claim("doubtful"));
  pass(30s);
  claimed(a_claim("live"));
  ClaimRequest other = a_claim("other");
  other.key.tenant_id = "t2";
  claimed(other);
  const auto doubtful = must(store_->list({.is_in_doubt = true}, {.tenant_id = ""}, 10));
  ASSERT_EQ(doubtful.size(), 1U);
  EXPECT_EQ(doubtful[0].record.key.key, "doubtful");
  EXPECT_EQ(must(store_->list({.tenant_id = "t2"}, {.tenant_id = ""}, 10)).size(), 1U);
  EXPECT_EQ(must(store_->list({.scope = "orders"}, {.tenant_id = ""}, 10)).size(), 3U);
  EXPECT_EQ(must(store_->list({.scope = ""}, {.tenant_id = ""}, 10)).size(), 0U);
}

TEST_P(IdempotencySuite, CountsKeysByWhatTheyAre) {
  ClaimRequest brief = a_claim("over");
  brief.ttl = 1s;
  must(store_->finish(claimed(brief)));
  claimed(a_claim("doubtful"));
  pass(30s);
  claimed(a_claim("live"));
  must(store_->finish(claimed(a_claim("done"))));
  must(store_->fail(claimed(a_claim("failed")), {.code = "X"}));
  const KeyCounts counts = must(store_->count({}));
  EXPECT_EQ(counts.in_flight, 1);
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.in_doubt, 1);
  EXPECT_EQ(counts.expired, 1);
}

TEST_P(IdempotencySuite, ForgetsAKeyThatNobodyIsAtWorkOn) {
  EXPECT_EQ(code_of(store_->forget(a_claim().key)), "REQUEST.NOT_FOUND");
  const ClaimToken claim = claimed(a_claim());
  EXPECT_EQ(code_of(store_->forget(a_claim().key)), "TX.IDEMPOTENT_BUSY");
  must(store_->finish(claim));
  must(store_->forget(a_claim().key));
  EXPECT_EQ(outcome(a_claim()), ClaimOutcome::fresh);
}

TEST_P(IdempotencySuite, FencesTheOwnerOfAKeyThatWasForgotten) {
  const ClaimToken claim = claimed(a_claim());
  pass(30s);
  must(store_->forget(a_claim().key));
  EXPECT_EQ(code_of(store_->finish(claim)), "TX.FENCED");
}

TEST_P(IdempotencySuite, ResolvesADoubtAsDone) {
  const ClaimToken claim = claimed(a_claim());
  pass(30s);
  must(store_->resolve(a_claim().key, true, {.digest = "by hand"}));
  EXPECT_EQ(outcome(a_claim()), ClaimOutcome::hit);
  EXPECT_EQ(code_of(store_->finish(claim)), "TX.FENCED") << "its former owner";
}

TEST_P(IdempotencySuite, ResolvesADoubtAsNotDone) {
  const ClaimToken claim = claimed(a_claim());
  pass(30s);
  must(store_->resolve(a_claim().key, false));
  EXPECT_EQ(code_of(store_->finish(claim)), "TX.FENCED") << "its former owner";
  EXPECT_EQ(claim_code(), "RESOLVED.NOT_DONE");
}

TEST_P(IdempotencySuite, ResolvesNothingThatIsNotInDoubt) {
  EXPECT_EQ(code_of(store_->resolve(a_claim().key, true)), "REQUEST.NOT_FOUND");
  const ClaimToken claim = claimed(a_claim());
  EXPECT_EQ(code_of(store_->resolve(a_claim().key, true)), "TX.IDEMPOTENT_BUSY");
  must(store_->finish(claim));
  EXPECT_EQ(code_of(store_->resolve(a_claim().key, true)), "STORAGE.CONFLICT");
}

TEST_P(IdempotencySuite, PurgesInBoundedStepsWhatHasBeenOverForLongEnough) {
  for (const char* key : {"a", "b", "c"}) must(store_->finish(claimed(a_claim(key))));
  pass(1h + 1min);
  EXPECT_EQ(must(store_->purge(1min + 1ms, 10)), 0U);
  pass(2ms);
  EXPECT_EQ(must(store_->purge(1min, 2)), 2U);
  EXPECT_EQ(must(store_->purge(1min, 2)), 1U);
  EXPECT_EQ(must(store_->purge(1min, 2)), 0U);
}

/// A database may keep the plan that it made when there was nothing to purge.
TEST_P(IdempotencySuite, PurgesInBoundedStepsAlsoWhenItBeganWithAnEmptyTable) {
  under_test_->ask("ANALYZE makegood_idempotency");
  EXPECT_EQ(must(store_->purge(0s, 10)), 0U);
  constexpr int keys = 300;
  std::vector<ClaimRequest> claims;
  for (int i = 0; i < keys; ++i) claims.push_back(a_claim(std::to_string(i)));
  std::vector<Finish> finishes;
  for (auto& answer : store_->claim(claims)) {
    finishes.push_back({{claims[finishes.size()].key, must(std::move(answer)).token}, {}});
  }
  for (const auto& finished : store_->finish(finishes)) must(finished);
  pass(2h);
  EXPECT_EQ(must(store_->purge(0s, 10)), 10U);
  EXPECT_EQ(under_test_->ask("SELECT count(*) FROM makegood_idempotency"), std::to_string(keys - 10));
}

TEST_P(IdempotencySuite, PurgesNothingThatIsStillRemembered) {
  must(store_->finish(claimed(a_claim("old"))));
  pass(50min);
  must(store_->finish(claimed(a_claim("young"))));
  pass(20min);
  EXPECT_EQ(must(store_->purge(0s, 10)), 1U);
  EXPECT_EQ(outcome(a_claim("young")), ClaimOutcome::hit);
}

}  // namespace makegood::conformance
