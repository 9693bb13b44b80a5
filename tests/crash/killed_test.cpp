// Processes that are killed with SIGKILL under load lose nothing, deliver nothing that was rolled back, and keep the
// order of first deliveries per key (I1, I2, I4, I9). The accounts are kept outside the relay: see ledger.hpp.
#include <chrono>
#include <random>
#include <thread>

#include "tests/crash/child.hpp"
#include "tests/crash/ledger.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::crash {
namespace {

using namespace std::chrono_literals;

constexpr int kills = 20;

class Killed : public testing::Test {
 protected:
  std::vector<std::string> process(const std::string& mode) {
    return {RELAY_PROCESS, mode, database_, receipts_, std::to_string(random_())};
  }
  /// The one thing here that is left to chance: when the blow falls.
  void live_for_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(30 + random_() % 270)); }
  void await_receipts(std::size_t count) {
    for (int i = 0; i < 1000 && receipt_count(receipts_) < count; ++i) std::this_thread::sleep_for(10ms);
    ASSERT_GE(receipt_count(receipts_), count);
  }
  void expect_sound_accounts() {
    ASSERT_EQ(Child(process("drain")).wait(60), 0);
    const sim::Checker checker = audit(database_, receipts_);
    EXPECT_EQ(checker.violations(), std::vector<std::string>());
    EXPECT_GT(checker.committed_count(), 0U) << "a run in which nothing happened shows nothing";
    RecordProperty("committed", static_cast<int>(checker.committed_count()));
    RecordProperty("duplicates", static_cast<int>(checker.duplicate_count()));
  }

  testing_support::TemporaryFolder folder_;
  std::string database_ = (folder_.path() / "orders.db").string();
  std::string receipts_ = (folder_.path() / "receipts").string();
  std::mt19937 random_{std::random_device{}()};
};

TEST_F(Killed, LosesNothingWhenTheProcessIsKilledAtRandomMoments) {
  for (int i = 0; i < kills; ++i) {
    Child child(process("produce"));
    live_for_a_while();
  }
  expect_sound_accounts();
}

TEST_F(Killed, LosesNothingWhenOneOfTwoProcessesIsKilledAgainAndAgain) {
  auto survivor = std::make_unique<Child>(process("produce"));
  for (int i = 0; i < kills / 2; ++i) {
    auto next = std::make_unique<Child>(process("produce"));
    live_for_a_while();
    survivor = std::move(next);
  }
  survivor.reset();
  expect_sound_accounts();
}

TEST_F(Killed, IsFollowedAtOnceByTheOtherProcessOnTheFile) {
  auto owner = std::make_unique<Child>(process("produce"));
  await_receipts(50);
  Child standby(process("produce"));
  live_for_a_while();
  owner->kill();
  const std::size_t before = receipt_count(receipts_);
  const auto killed_at = std::chrono::steady_clock::now();
  await_receipts(before + 50);
  // The lease lasts ten seconds; the lock of the operating system told at once.
  EXPECT_LT(std::chrono::steady_clock::now() - killed_at, 5s);
}

}  // namespace
}  // namespace makegood::crash
