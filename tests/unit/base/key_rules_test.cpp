#include "base/key_rules.hpp"

#include <gtest/gtest.h>

namespace makegood {
namespace {

using namespace std::chrono_literals;

const TimePoint noon = TimePoint(1h);

KeyRecord in_flight(AfterLease after_lease, Duration lease_left, Duration time_left = 1h) {
  return {.fingerprint = "f",
          .token = "t",
          .after_lease = after_lease,
          .lease_until = noon + lease_left,
          .expires_at = noon + time_left};
}

KeyRecord ended(KeyState state, bool is_final = false, Duration time_left = 1h) {
  return {.fingerprint = "f",
          .state = state,
          .expires_at = noon + time_left,
          .failure = {.code = "X", .is_final = is_final}};
}

ClaimOutcome told(const KeyRecord& record) { return outcome_of(record, "f", noon); }

}  // namespace

TEST(KeyRules, CallAKeyBusyUntilTheLastMomentOfItsLease) {
  EXPECT_EQ(told(in_flight(AfterLease::take_over, 1us)), ClaimOutcome::busy);
  EXPECT_EQ(told(in_flight(AfterLease::take_over, 0us)), ClaimOutcome::fresh);
  EXPECT_EQ(told(in_flight(AfterLease::hold, 0us)), ClaimOutcome::in_doubt);
}

TEST(KeyRules, RememberAKeyUntilTheLastMomentOfItsTime) {
  EXPECT_EQ(told(ended(KeyState::succeeded, false, 1us)), ClaimOutcome::hit);
  EXPECT_EQ(told(ended(KeyState::succeeded, false, 0us)), ClaimOutcome::fresh);
  EXPECT_EQ(told(in_flight(AfterLease::hold, -1s, 0us)), ClaimOutcome::fresh) << "in doubt until then";
}

TEST(KeyRules, NeverEndALiveClaimByItsTime) {
  EXPECT_EQ(told(in_flight(AfterLease::take_over, 1s, -1s)), ClaimOutcome::busy);
}

TEST(KeyRules, KeepOnlyFailuresThatAreFinal) {
  EXPECT_EQ(told(ended(KeyState::failed)), ClaimOutcome::fresh);
  EXPECT_EQ(told(ended(KeyState::failed, true)), ClaimOutcome::last_failed);
}

TEST(KeyRules, CompareTheFingerprintBeforeEverythingElse) {
  for (const KeyRecord& record :
       {in_flight(AfterLease::take_over, 1s), in_flight(AfterLease::take_over, 0s), in_flight(AfterLease::hold, 0s),
        ended(KeyState::succeeded), ended(KeyState::failed)}) {
    EXPECT_EQ(outcome_of(record, "other", noon), ClaimOutcome::mismatch);
  }
}

TEST(KeyRules, TellHowTheLastTryFailedButNotOfAFormerLife) {
  const ClaimRequest request{.fingerprint = "f"};
  EXPECT_EQ(answer_of(ended(KeyState::failed), request, noon).failure_code, "X");
  EXPECT_EQ(answer_of(ended(KeyState::failed, false, 0us), request, noon).failure_code, "");
}

TEST(Fingerprint, IsTheSameOnlyForTheSameRequest) {
  const RequestParts request{
      .method = "POST", .path = "/pay", .query = "a=1", .content_type = "text/plain", .body = "x"};
  const std::string same = fingerprint_of(request);
  EXPECT_EQ(fingerprint_of(request), same);
  EXPECT_NE(
      fingerprint_of({.method = "POST", .path = "/paya", .query = "=1", .content_type = "text/plain", .body = "x"}),
      same);
  EXPECT_NE(
      fingerprint_of({.method = "POST", .path = "/pay", .query = "a=1", .content_type = "text/plain", .body = "y"}),
      same);
  EXPECT_NE(
      fingerprint_of({.method = "PUT", .path = "/pay", .query = "a=1", .content_type = "text/plain", .body = "x"}),
      same);
  EXPECT_NE(
      fingerprint_of({.method = "POST", .path = "/pay", .query = "a=1", .content_type = "text/html", .body = "x"}),
      same);
}

TEST(Fingerprint, IsTheDigestThatOtherLanguagesCompute) {
  EXPECT_EQ(fingerprint_of({.method = "POST", .path = "/pay", .body = "x"}),
            "1eb07e74fdb83b849779cfc53a7707626219c55d2ae5a8bea3b64ad37d2847ef");
}

TEST(BoundedResult, LeavesABodyOutThatIsTooLargeAndKeepsItsDigest) {
  const ResultLimits limits{.snapshot_bytes_max = 4};
  const StoredResult whole = bounded({.snapshot = Snapshot{.status = 200, .body = "1234"}}, limits).value();
  EXPECT_FALSE(whole.is_truncated);
  const StoredResult cut = bounded({.snapshot = Snapshot{.status = 200, .body = "12345"}}, limits).value();
  EXPECT_TRUE(cut.is_truncated);
  EXPECT_EQ(cut.snapshot, Snapshot{.status = 200});
  EXPECT_NE(cut.digest, whole.digest);
}

}  // namespace makegood
