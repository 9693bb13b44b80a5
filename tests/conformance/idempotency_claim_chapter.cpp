// What claims are told: the failures I1 to I12 that others have had.
#include "tests/conformance/idempotency_suite.hpp"

namespace makegood::conformance {

TEST_P(IdempotencySuite, GivesAKeyToOneClaimerOnly) {
  EXPECT_EQ(outcome(a_claim()), ClaimOutcome::fresh);
  EXPECT_EQ(outcome(a_claim()), ClaimOutcome::busy);
  EXPECT_EQ(must(another()->claim(a_claim())).outcome, ClaimOutcome::busy);
}

TEST_P(IdempotencySuite, TellsTheLoserWhenToAskAgain) {
  claimed(a_claim());
  pass(10s);
  EXPECT_EQ(claim(a_claim()).retry_after, 20s);
}

TEST_P(IdempotencySuite, GivesTheResultAgainAfterTheFinish) {
  const StoredResult result{.digest = "d", .snapshot = Snapshot{.status = 201, .headers = "{}", .body = "made"}};
  must(store_->finish(claimed(a_claim()), result));
  const ClaimAnswer again = claim(a_claim());
  EXPECT_EQ(again.outcome, ClaimOutcome::hit);
  EXPECT_EQ(again.result, result);
}

TEST_P(IdempotencySuite, GivesEveryByteOfABodyBack) {
  std::string body;
  for (int byte = 0; byte < 256; ++byte) body += static_cast<char>(byte);
  must(store_->finish(claimed(a_claim()), {.snapshot = Snapshot{.status = 200, .body = body}}));
  EXPECT_EQ(claim(a_claim()).result.snapshot->body, body);
}

TEST_P(IdempotencySuite, WritesNothingForAHit) {
  must(store_->finish(claimed(a_claim())));
  const auto before = must(store_->look_up(a_claim().key));
  pass(1min);
  EXPECT_EQ(outcome(a_claim()), ClaimOutcome::hit);
  EXPECT_EQ(must(store_->look_up(a_claim().key))->record, before->record);
}

/// I3: its owner died; the lease is much shorter than the key's time.
TEST_P(IdempotencySuite, FreesTheKeyOfADeadOwnerAfterItsLease) {
  claimed(a_takeable_claim());
  pass(30s - 1ms);
  EXPECT_EQ(outcome(a_takeable_claim()), ClaimOutcome::busy);
  pass(1ms);
  EXPECT_EQ(outcome(a_takeable_claim()), ClaimOutcome::fresh);
}

TEST_P(IdempotencySuite, SaysThatAKeyWasTakenOver) {
  EXPECT_FALSE(claim(a_takeable_claim()).is_taken_over);
  pass(30s);
  const ClaimAnswer second = claim(a_takeable_claim());
  EXPECT_TRUE(second.is_taken_over);
  must(store_->fail({a_claim().key, second.token}, {.code = "X"}));
  EXPECT_FALSE(claim(a_takeable_claim()).is_taken_over) << "it was released";
  pass(2h);
  EXPECT_FALSE(claim(a_takeable_claim()).is_taken_over) << "its time was over";
}

TEST_P(IdempotencySuite, HoldsTheKeyOfASilentOwnerInDoubt) {
  claimed(a_claim());
  pass(30s);
  EXPECT_EQ(outcome(a_claim()), ClaimOutcome::in_doubt);
  EXPECT_EQ(outcome(a_takeable_claim()), ClaimOutcome::in_doubt) << "the policy is that of who claimed it";
}

TEST_P(IdempotencySuite, CallsAKeyInDoubtFreshAtTheEndOfItsTime) {
  claimed(a_claim());
  pass(1h);
  EXPECT_EQ(outcome(a_claim()), ClaimOutcome::fresh);
}

TEST_P(IdempotencySuite, TakesALateFinishOfAKeyInDoubt) {
  const ClaimToken claim = claimed(a_claim());
  pass(30min);
  must(store_->finish(claim));
  EXPECT_EQ(outcome(a_claim()), ClaimOutcome::hit);
}

/// I4: the lease ended while the owner was alive.
TEST_P(IdempotencySuite, FencesAnOwnerWhoseKeyWasTakenOver) {
  const ClaimToken former = claimed(a_takeable_claim());
  pass(30s);
  const ClaimToken owner = claimed(a_takeable_claim());
  EXPECT_EQ(code_of(store_->finish(former)), "TX.FENCED");
  EXPECT_EQ(code_of(store_->fail(former, {.code = "X"})), "TX.FENCED");
  EXPECT_EQ(code_of(store_->renew(former, 30s)), "TX.FENCED");
  must(store_->finish(owner));
  EXPECT_EQ(code_of(store_->finish(former)), "TX.FENCED");
}

TEST_P(IdempotencySuite, KeepsAKeyThatIsRenewed) {
  const ClaimToken claim = claimed(a_takeable_claim());
  for (int i = 0; i < 5; ++i) {
    pass(20s);
    EXPECT_EQ(must(store_->renew(claim, 30s)), under_test_->clock.now() + 30s);
  }
  EXPECT_EQ(outcome(a_takeable_claim()), ClaimOutcome::busy);
}

/// I5: zero is no time, and none is not zero.
TEST_P(IdempotencySuite, RefusesTimesOfZero) {
  ClaimRequest request = a_claim();
  request.lease = Duration(0);
  EXPECT_EQ(code_of(store_->claim(request)), "REQUEST.INVALID");
  request = a_claim();
  request.ttl = Duration(0);
  EXPECT_EQ(code_of(store_->claim(request)), "REQUEST.INVALID");
  request.ttl = 1ms;
  request.lease = 1ms;
  EXPECT_EQ(outcome(request), ClaimOutcome::fresh);
}

TEST_P(IdempotencySuite, RefusesKeysThatAreNoText) {
  for (const std::string& key : {std::string(), std::string(256, 'k'), std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_EQ(code_of(store_->claim(a_claim(key))), "REQUEST.INVALID");
  }
  EXPECT_EQ(outcome(a_claim(std::string(255, 'k'))), ClaimOutcome::fresh);
  EXPECT_EQ(outcome(a_claim("Ünï·キー 'quoted\"\\")), ClaimOutcome::fresh);
}

/// I6: whatever state the key is in.
TEST_P(IdempotencySuite, RefusesTheKeyForOtherContent) {
  ClaimRequest other = a_claim();
  other.fingerprint = "f2";
  const ClaimToken claim = claimed(a_claim());
  EXPECT_EQ(outcome(other), ClaimOutcome::mismatch) << "in flight";
  pass(30s);
  EXPECT_EQ(outcome(other), ClaimOutcome::mismatch) << "in doubt";
  must(store_->finish(claim));
  EXPECT_EQ(outcome(other), ClaimOutcome::mismatch) << "succeeded";
  pass(1h);
  EXPECT_EQ(outcome(other), ClaimOutcome::fresh) << "over";
}

TEST_P(IdempotencySuite, RefusesAFailedKeyForOtherContent) {
  ClaimRequest other = a_claim();
  other.fingerprint = "f2";
  must(store_->fail(claimed(a_claim()), {.code = "X"}));
  EXPECT_EQ(outcome(other), ClaimOutcome::mismatch);
}

/// I7: only what the owner calls final is kept.
TEST_P(IdempotencySuite, TriesAgainAfterAFailure) {
  must(store_->fail(claimed(a_claim()), {.code = "BANK.AWAY"}));
  const ClaimAnswer again = claim(a_claim());
  EXPECT_EQ(again.outcome, ClaimOutcome::fresh);
  EXPECT_EQ(again.failure_code, "BANK.AWAY");
}

TEST_P(IdempotencySuite, KeepsAFailureThatIsFinal) {
  must(store_->fail(claimed(a_claim()), {.code = "CARD.DECLINED", .is_final = true}));
  const ClaimAnswer again = claim(a_claim());
  EXPECT_EQ(again.outcome, ClaimOutcome::last_failed);
  EXPECT_EQ(again.failure_code, "CARD.DECLINED");
}

/// I8: decided when it is written, and said.
TEST_P(IdempotencySuite, LeavesAnAnswerThatIsTooLargeOutAndSaysSo) {
  const Snapshot large{.status = 200, .headers = "h", .body = std::string((std::size_t{64} << 10) + 1, 'x')};
  must(store_->finish(claimed(a_claim()), {.snapshot = large}));
  const StoredResult result = claim(a_claim()).result;
  EXPECT_TRUE(result.is_truncated);
  EXPECT_EQ(result.snapshot, (Snapshot{.status = 200, .headers = "h"}));
  EXPECT_EQ(result.digest.size(), 64U) << "of the whole answer";
}

TEST_P(IdempotencySuite, RefusesADigestThatIsTooLong) {
  const ClaimToken claim = claimed(a_claim());
  EXPECT_EQ(code_of(store_->finish(claim, {.digest = std::string(4097, 'd')})), "TX.PAYLOAD_TOO_LARGE");
  must(store_->finish(claim, {.digest = std::string(4096, 'd')}));
}

/// I9: neither expiry nor a purge ends a claim that is live, and a finish extends.
TEST_P(IdempotencySuite, NeverEndsAClaimThatIsLive) {
  ClaimRequest request = a_claim();
  request.ttl = 1s;
  const ClaimToken claim = claimed(request);
  pass(29s);
  EXPECT_EQ(outcome(request), ClaimOutcome::busy);
  EXPECT_EQ(must(store_->purge(0s, 100)), 0U);
  must(store_->finish(claim));
  EXPECT_EQ(outcome(request), ClaimOutcome::hit) << "its time begins with the finish";
}

TEST_P(IdempotencySuite, RemembersAFinishedKeyForItsWholeTime) {
  const ClaimToken claim = claimed(a_claim());
  pass(20s);
  must(store_->finish(claim));
  pass(1h - 1ms);
  EXPECT_EQ(outcome(a_claim()), ClaimOutcome::hit);
  pass(1ms);
  EXPECT_EQ(outcome(a_claim()), ClaimOutcome::fresh);
}

/// I11: what is stored is told to nobody else.
TEST_P(IdempotencySuite, KeepsTenantsAndScopesApart) {
  must(store_->finish(claimed(a_claim()), {.digest = "secret"}));
  ClaimRequest other = a_claim();
  other.key.tenant_id = "other";
  EXPECT_EQ(outcome(other), ClaimOutcome::fresh);
  other = a_claim();
  other.key.scope = "orders of somebody else";
  EXPECT_EQ(outcome(other), ClaimOutcome::fresh);
}

TEST_P(IdempotencySuite, TellsALostAnswerAgainToItsOwnToken) {
  ClaimRequest request = a_claim();
  request.token = "mine";
  EXPECT_EQ(claim(request).token, "mine");
  EXPECT_EQ(claim(request).token, "mine");
  request.token = "another";
  EXPECT_EQ(outcome(request), ClaimOutcome::busy);
}

TEST_P(IdempotencySuite, TakesTheSameFinishTwice) {
  const ClaimToken claim = claimed(a_claim());
  must(store_->finish(claim, {.digest = "d"}));
  must(store_->finish(claim, {.digest = "d"}));
  EXPECT_EQ(code_of(store_->finish(claim, {.digest = "other"})), "TX.FENCED");
}

TEST_P(IdempotencySuite, AnswersABatchInItsOrderAndClaimsAKeyOnce) {
  must(store_->finish(claimed(a_claim("done"))));
  const std::vector<ClaimRequest> batch = {a_claim("b"), a_claim("done"), a_claim("a"), a_claim("b"), a_claim("")};
  const auto answers = store_->claim(batch);
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[0]->outcome, ClaimOutcome::fresh);
  EXPECT_EQ(answers[1]->outcome, ClaimOutcome::hit);
  EXPECT_EQ(answers[2]->outcome, ClaimOutcome::fresh);
  EXPECT_EQ(answers[3]->outcome, ClaimOutcome::busy);
  EXPECT_EQ(code_of(answers[4]), "REQUEST.INVALID");
}

TEST_P(IdempotencySuite, FinishesABatchAndTellsWhichAreStale) {
  const ClaimToken first = claimed(a_claim("a"));
  const ClaimToken second = claimed(a_claim("b"));
  const std::vector<Finish> batch = {{first, {.digest = "1"}}, {{first.key, "stale"}}, {second, {.digest = "2"}}};
  const auto answers = store_->finish(batch);
  EXPECT_TRUE(answers[0]);
  EXPECT_EQ(code_of(answers[1]), "TX.FENCED");
  EXPECT_TRUE(answers[2]);
  EXPECT_EQ(claim(a_claim("b")).result.digest, "2");
}

TEST_P(IdempotencySuite, GivesEveryByteOfABatchBack) {
  std::string body;
  for (int byte = 0; byte < 256; ++byte) body += static_cast<char>(byte);
  const Snapshot answer{.status = 201, .headers = "\"Ünï\n\\", .body = body};
  const std::vector<Finish> batch = {{claimed(a_claim("b")), {.digest = "d\"", .snapshot = answer}},
                                     {claimed(a_claim("a")), {.snapshot = answer, .is_truncated = true}}};
  for (const auto& finished : store_->finish(batch)) must(finished);
  EXPECT_EQ(claim(a_claim("b")).result, batch[0].result);
  EXPECT_TRUE(claim(a_claim("a")).result.is_truncated);
}

TEST_P(IdempotencySuite, FinishesAKeyThatIsTwiceInABatchOnce) {
  const ClaimToken claim = claimed(a_claim("a"));
  const std::vector<Finish> batch = {{claim, {.digest = "1"}}, {claim, {.digest = "1"}}, {claim, {.digest = "2"}}};
  const auto answers = store_->finish(batch);
  const std::string kept = this->claim(a_claim("a")).result.digest;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(answers[i].has_value(), batch[i].result.digest == kept) << i;
  }
}

TEST_P(IdempotencySuite, HasTheSimpleFormOfTheSourceDocuments) {
  const auto put = must(store_->check_and_put("t", "k", "hash", 1h));
  ASSERT_TRUE(put.handle);
  EXPECT_EQ(code_of(store_->check_and_put("t", "k", "hash", 1h)), "TX.IDEMPOTENT_BUSY");
  EXPECT_EQ(code_of(store_->check_and_put("t", "k", "other", 1h)), "TX.IDEMPOTENT_MISMATCH");
  must(store_->finish(*put.handle, {.digest = "d"}));
  EXPECT_EQ(must(store_->check_and_put("t", "k", "hash", 1h)).digest, "d");
  const auto failed = must(store_->check_and_put("t", "k2", "hash", 1h));
  must(store_->fail(*failed.handle, {.code = "X", .is_final = true}));
  EXPECT_EQ(code_of(store_->check_and_put("t", "k2", "hash", 1h)), "TX.IDEMPOTENT_LAST_FAILED");
}

}  // namespace makegood::conformance
