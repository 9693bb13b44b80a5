// Claims that renew themselves and functions that run once, over a real store in a file.
#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>
#include <vector>

#include "makegood/claims.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;

ClaimRequest a_request(const std::string& key = "k") {
  return {.key = {.scope = "s", .key = key}, .fingerprint = "f", .ttl = 1h, .lease = 30s};
}

class IdempotencyTest : public ::testing::Test {
 protected:
  const testing_support::TemporaryFolder folder_;
  const std::string url_ = "sqlite:" + folder_.file("keys.db");
  Idempotency idempotency_ = Idempotency::open(url_).value();
};

TEST_F(IdempotencyTest, RunsAFunctionOnceAndReturnsWhatItReturned) {
  int runs = 0;
  const auto work = [&](const ClaimToken&) -> Result<StoredResult> {
    ++runs;
    return StoredResult{.digest = "d", .snapshot = Snapshot{.status = 201, .body = "made"}};
  };
  const auto first = idempotency_.run_once(a_request(), work).value();
  const auto second = idempotency_.run_once(a_request(), work).value();
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(first.is_replay);
  EXPECT_TRUE(second.is_replay);
  EXPECT_EQ(second.result, first.result);
}

TEST_F(IdempotencyTest, RunsAFunctionAgainThatFailedUnlessItsErrorIsFinal) {
  int runs = 0;
  const auto work = [&](const ClaimToken&) -> Result<StoredResult> {
    ++runs;
    return Error{runs == 1 ? Errc::unavailable : Errc::rejected, "no"};
  };
  const auto is_final = [](const Error& error) { return error.code == Errc::rejected; };
  EXPECT_EQ(idempotency_.run_once(a_request(), work, is_final).error().code, Errc::unavailable);
  EXPECT_EQ(idempotency_.run_once(a_request(), work, is_final).error().code, Errc::rejected);
  EXPECT_EQ(idempotency_.run_once(a_request(), work, is_final).error().code, Errc::idempotent_last_failed);
  EXPECT_EQ(runs, 2);
}

TEST_F(IdempotencyTest, SaysThatAKeyIsBusyWhileAnotherRunsIt) {
  const Claim claim = idempotency_.claim(a_request()).value();
  EXPECT_TRUE(claim.is_fresh());
  EXPECT_TRUE(claim.is_held());
  const auto other = idempotency_.run_once(a_request(), [](const ClaimToken&) { return StoredResult(); });
  EXPECT_EQ(other.error().code, Errc::idempotent_busy);
}

/// As long as it lives, whatever its lease is.
TEST_F(IdempotencyTest, RenewsAClaimUntilItIsSettled) {
  ClaimRequest request = a_request();
  request.lease = 50ms;
  request.after_lease = AfterLease::take_over;
  Claim claim = idempotency_.claim(request).value();
  const TimePoint first = idempotency_.look_up(request.key).value()->record.lease_until;
  while (idempotency_.look_up(request.key).value()->record.lease_until <= first) std::this_thread::yield();
  EXPECT_TRUE(claim.finish());
  const TimePoint last = idempotency_.look_up(request.key).value()->record.updated_at;
  EXPECT_EQ(idempotency_.look_up(request.key).value()->record.updated_at, last);
}

TEST_F(IdempotencyTest, KnowsThatItHasLostAKey) {
  ClaimRequest request = a_request();
  request.lease = 20ms;
  Claim claim = idempotency_.claim(request).value();
  auto other = open_idempotency_store(url_).value();
  ASSERT_TRUE(other->finish(claim.token(), {.digest = "by somebody else"}));
  while (claim.is_held()) std::this_thread::yield();
  EXPECT_EQ(claim.finish().error().code, Errc::fenced);
}

TEST_F(IdempotencyTest, LetsManyThreadsShareCommitsAndGivesEachKeyToOne) {
  constexpr int threads = 16;
  constexpr int keys = 20;
  std::vector<std::atomic<int>> runs(keys);
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < threads; ++i) {
      clients.emplace_back([&] {
        for (int key = 0; key < keys; ++key) {
          (void)idempotency_.run_once(a_request(std::to_string(key)), [&](const ClaimToken&) -> Result<StoredResult> {
            ++runs[static_cast<std::size_t>(key)];
            return StoredResult();
          });
        }
      });
    }
  }
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace makegood
