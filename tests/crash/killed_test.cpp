// Processes that are killed with SIGKILL under load lose nothing, deliver nothing that was rolled back, and keep the
// order of first deliveries per key (I1, I2, I4, I9). The accounts are kept outside the relay: see ledger.hpp.
#include <chrono>
#include <random>
#include <thread>

#include "tests/crash/child.hpp"
#include "tests/crash/ledger.hpp"
#include "tests/crash/stores.hpp"

namespace makegood::crash {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr int kills = 20;

class Killed : public testing::TestWithParam<Kind> {
 protected:
  std::vector<std::string> process(const std::string& mode) {
    return {RELAY_PROCESS, mode, url_, receipts_, std::to_string(lease().count()), std::to_string(random_())};
  }
  /// The operating system tells at once that the owner of a file is dead. A server does not know, so it must be quick.
  static milliseconds lease() { return GetParam() == Kind::sqlite ? 10s : 200ms; }
  static milliseconds followed_within() { return GetParam() == Kind::sqlite ? 5s : lease() + 6s; }
  /// The one thing here that is left to chance: when the blow falls. Half of the lives have delivered something by
  /// then, however busy the machine is; the others may be cut short at their very beginning.
  void live_for_a_while() {
    if (random_() % 2 == 0) await_receipts(receipt_count(receipts_) + 1);
    std::this_thread::sleep_for(milliseconds(random_() % 300));
  }
  void await_receipts(std::size_t count) {
    for (int i = 0; i < 1000 && receipt_count(receipts_) < count; ++i) std::this_thread::sleep_for(10ms);
    ASSERT_GE(receipt_count(receipts_), count);
  }
  void expect_sound_accounts() {
    const std::size_t before = receipt_count(receipts_);
    ASSERT_EQ(Child(process("drain")).wait(60), 0);
    const sim::Checker checker = audit(url_, receipts_);
    EXPECT_EQ(checker.violations(), std::vector<std::string>());
    EXPECT_GT(checker.committed_count(), 0U) << "a run in which nothing happened shows nothing";
    EXPECT_GT(before, 0U) << "the killed ones delivered nothing";
    RecordProperty("committed", static_cast<int>(checker.committed_count()));
    RecordProperty("duplicates", static_cast<int>(checker.duplicate_count()));
  }

  FreshPlace fresh_{GetParam()};
  std::string url_ = fresh_.place().url();
  std::string receipts_ = (fresh_.place().folder / "receipts").string();
  std::mt19937 random_{std::random_device{}()};
};

TEST_P(Killed, LosesNothingWhenTheProcessIsKilledAtRandomMoments) {
  {
    const Child first(process("produce"));  // However slow the machine is, one has got somewhere.
    await_receipts(1);
  }
  for (int i = 0; i < kills; ++i) {
    Child child(process("produce"));
    live_for_a_while();
  }
  expect_sound_accounts();
}

TEST_P(Killed, LosesNothingWhenOneOfTwoProcessesIsKilledAgainAndAgain) {
  auto survivor = std::make_unique<Child>(process("produce"));
  await_receipts(1);
  for (int i = 0; i < kills / 2; ++i) {
    auto next = std::make_unique<Child>(process("produce"));
    live_for_a_while();
    survivor = std::move(next);
  }
  survivor.reset();
  expect_sound_accounts();
}

TEST_P(Killed, IsFollowedByTheOtherProcessOnTheDatabase) {
  auto owner = std::make_unique<Child>(process("produce"));
  await_receipts(50);
  Child standby(process("produce"));
  live_for_a_while();
  owner->kill();
  const std::size_t before = receipt_count(receipts_);
  const auto killed_at = std::chrono::steady_clock::now();
  await_receipts(before + 50);
  EXPECT_LT(std::chrono::steady_clock::now() - killed_at, followed_within());
}

INSTANTIATE_TEST_SUITE_P(On, Killed, testing::ValuesIn(stores()), name_of_store);

}  // namespace
}  // namespace makegood::crash
