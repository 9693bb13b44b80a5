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

/// A store of which the first renewal of the key "slow" hangs until it is let go.
class SlowRenewals final : public IdempotencyStore {
 public:
  SlowRenewals(std::unique_ptr<IdempotencyStore> store, std::binary_semaphore& began, std::binary_semaphore& may_end)
      : store_(std::move(store)), began_(began), may_end_(may_end) {}

  Result<TimePoint> renew(const ClaimToken& claim, Duration lease) override {
    if (claim.key.key == "slow" && !std::exchange(has_hung_, true)) {
      began_.release();
      may_end_.acquire();
    }
    return store_->renew(claim, lease);
  }
  // Renewals ask for nothing else.
  Result<> migrate() override { return store_->migrate(); }
  std::vector<Result<ClaimAnswer>> claim(std::span<const ClaimRequest> requests) override {
    return store_->claim(requests);
  }
  std::vector<Result<>> finish(std::span<const Finish> finishes) override { return store_->finish(finishes); }
  Result<> fail(const ClaimToken& claim, const Failure& failure) override { return store_->fail(claim, failure); }
  Result<std::optional<KeyView>> look_up(const IdempotencyKey& key) override { return store_->look_up(key); }
  Result<std::vector<KeyView>> list(const KeyFilter& filter, const IdempotencyKey& after, std::size_t max) override {
    return store_->list(filter, after, max);
  }
  Result<KeyCounts> count(const KeyFilter& filter) override { return store_->count(filter); }
  Result<> forget(const IdempotencyKey& key) override { return store_->forget(key); }
  Result<> resolve(const IdempotencyKey& key, bool was_done, const StoredResult& result) override {
    return store_->resolve(key, was_done, result);
  }
  Result<std::size_t> purge(Duration grace, std::size_t max) override { return store_->purge(grace, max); }
  Result<std::size_t> purge_inbox(Duration kept, std::size_t max) override { return store_->purge_inbox(kept, max); }

 private:
  const std::unique_ptr<IdempotencyStore> store_;
  std::binary_semaphore& began_;
  std::binary_semaphore& may_end_;
  bool has_hung_ = false;
};

TEST_F(IdempotencyTest, AFinishWaitsForNoRenewalOfAnotherKey) {
  std::binary_semaphore began{0};
  std::binary_semaphore may_end{0};
  Idempotency idempotency =
      Idempotency::over(open_idempotency_store(url_).value(),
                        std::make_unique<SlowRenewals>(open_idempotency_store(url_).value(), began, may_end));
  ClaimRequest request = a_request("slow");
  request.lease = 30ms;
  const Claim slow = idempotency.claim(request).value();
  began.acquire();
  EXPECT_TRUE(idempotency.claim(a_request("quick")).value().finish());
  may_end.release();
  EXPECT_TRUE(idempotency.run_once(a_request("next"), [](const ClaimToken&) { return StoredResult(); }));
}

TEST_F(IdempotencyTest, RenewsAShortLeaseThatComesBehindALongOne) {
  const Claim lasting = idempotency_.claim(a_request("long")).value();
  ClaimRequest request = a_request("short");
  request.lease = 50ms;
  Claim claim = idempotency_.claim(request).value();
  const TimePoint first = idempotency_.look_up(request.key).value()->record.lease_until;
  while (idempotency_.look_up(request.key).value()->record.lease_until <= first) std::this_thread::yield();
  EXPECT_TRUE(claim.finish());
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
