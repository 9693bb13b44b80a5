// Every promise about idempotency keys and the inbox, demanded of each store.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>

#include "makegood/inbox.hpp"
#include "makegood/spi/idempotency_store.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood::conformance {

using namespace std::chrono_literals;

/// What a program does in a transaction of its own, on a connection of its own. Rolled back unless committed.
class KeyTransaction {
 public:
  virtual ~KeyTransaction() = default;
  virtual Result<ClaimAnswer> claim(const ClaimRequest& request) = 0;
  virtual Result<ClaimAnswer> once(const ClaimRequest& request, const StoredResult& result) = 0;
  virtual Result<> finish(const ClaimToken& claim, const StoredResult& result) = 0;
  virtual Result<> fail(const ClaimToken& claim, const Failure& failure) = 0;
  virtual Result<Seen> seen(const InboxEvent& event) = 0;
  /// Columns joined by `|`, rows by `;`. What fails throws.
  virtual std::string ask(const std::string& sql) = 0;
  /// False: nothing was committed.
  virtual bool commit() = 0;
};

/// One fresh, empty database.
class KeysUnderTest {
 public:
  virtual ~KeysUnderTest() = default;
  /// Another connection, by the clock below.
  virtual std::unique_ptr<IdempotencyStore> connect(const ResultStorage& storage) = 0;
  std::unique_ptr<IdempotencyStore> connect() { return connect({}); }
  /// Another connection, by the real clock, as transactions and plain SQL go by it.
  virtual std::unique_ptr<IdempotencyStore> connect_in_real_time() = 0;
  virtual std::unique_ptr<KeyTransaction> begin(const ResultStorage& storage) = 0;
  std::unique_ptr<KeyTransaction> begin() { return begin({}); }
  /// A statement that commits by itself.
  virtual std::string ask(const std::string& sql) = 0;

  testing_support::FakeClock clock;
};

struct KeysKind {
  std::string name;
  std::function<std::unique_ptr<KeysUnderTest>()> open;
};
inline std::ostream& operator<<(std::ostream& out, const KeysKind& kind) { return out << kind.name; }

class IdempotencySuite : public ::testing::TestWithParam<KeysKind> {
 protected:
  static ClaimRequest a_claim(const std::string& key = "k1") {
    return {.key = {.scope = "orders", .key = key}, .fingerprint = "f1", .ttl = 1h, .lease = 30s};
  }
  static ClaimRequest a_takeable_claim(const std::string& key = "k1") {
    ClaimRequest request = a_claim(key);
    request.after_lease = AfterLease::take_over;
    return request;
  }
  ClaimAnswer claim(const ClaimRequest& request) { return must(store_->claim(request)); }
  ClaimOutcome outcome(const ClaimRequest& request) { return claim(request).outcome; }
  ClaimToken claimed(const ClaimRequest& request) {
    const ClaimAnswer answer = claim(request);
    EXPECT_EQ(answer.outcome, ClaimOutcome::fresh);
    return {request.key, answer.token};
  }
  /// How the last try failed, as the next claim is told.
  std::string claim_code() { return claim(a_claim()).failure_code; }
  template <class T>
  static T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message + " (" + result.error().diagnostics + ")");
    return *std::move(result);
  }
  static void must(const Result<>& result) {
    if (!result) throw std::runtime_error(result.error().message + " (" + result.error().diagnostics + ")");
  }
  /// The code of what must be an error.
  template <class T>
  static std::string code_of(const Result<T>& result) {
    return std::string(result ? "no error" : to_string(result.error().code));
  }
  void pass(Duration time) { under_test_->clock.advance(time); }
  std::unique_ptr<IdempotencyStore> another() { return under_test_->connect(); }

  std::unique_ptr<KeysUnderTest> under_test_ = GetParam().open();
  std::unique_ptr<IdempotencyStore> store_ = under_test_->connect();
};

/// The same, for stores that programs share a transaction with.
class IdempotencyTransactionSuite : public IdempotencySuite {
 protected:
  IdempotencyTransactionSuite() { under_test_->ask("CREATE TABLE effect (name varchar(50))"); }
  std::unique_ptr<KeyTransaction> begin() { return under_test_->begin(); }
  std::string effects() { return under_test_->ask("SELECT count(*) FROM effect"); }
  ClaimToken really_claimed(const ClaimRequest& request) { return {request.key, must(real_->claim(request)).token}; }

  std::unique_ptr<IdempotencyStore> real_ = under_test_->connect_in_real_time();
};

inline constexpr std::string_view only_one_writer =
    "What a transaction is told beside another open one is not tested on SQLite, where there is no such moment: a "
    "second "
    "BEGIN IMMEDIATE waits until the first has ended (IdempotencyTransactionSuite.WaitsForWhoDoesItOnceAtThisMoment).";

/// The same, for stores whose writers work beside each other.
class IdempotencyIsolation : public IdempotencyTransactionSuite {
 protected:
  void SetUp() override {
    if (GetParam().name == "sqlite") GTEST_SKIP() << only_one_writer;
  }
};

}  // namespace makegood::conformance
