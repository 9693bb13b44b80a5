// The checker must be able to fail: each promise, broken on purpose.
#include "sim/checker.hpp"

namespace makegood::sim {
namespace {

class Accounts : public testing::Test {
 protected:
  void commit(const std::string& event_id, Sequence sequence, const std::string& key = {}) {
    checker_.committed(event_id, {.sequence = sequence, .key = key, .content = "c", .destinations = {"d"}});
  }
  void arrive(const std::string& event_id, const std::string& content = "c") {
    checker_.arrived("d", event_id, content);
  }
  void expect_violation(const std::string& promise) {
    ASSERT_EQ(checker_.violations().size(), 1U);
    EXPECT_EQ(checker_.violations()[0].substr(0, promise.size()), promise);
  }

  Checker checker_;
};

TEST_F(Accounts, AreSoundWhenEverythingArrivesInOrder) {
  commit("a", 1, "k");
  commit("b", 2, "k");
  arrive("a");
  arrive("a");
  arrive("b");
  checker_.at_rest({});
  EXPECT_TRUE(checker_.violations().empty());
  EXPECT_EQ(checker_.duplicate_count(), 1U);
}

TEST_F(Accounts, ShowALoss) {
  commit("a", 1);
  checker_.at_rest({});
  expect_violation("P1");
}

TEST_F(Accounts, CountADeadLetterAsNoLoss) {
  commit("a", 1);
  checker_.at_rest({{"d", "a"}});
  EXPECT_TRUE(checker_.violations().empty());
}

TEST_F(Accounts, ShowAPhantom) {
  checker_.rolled_back("a");
  arrive("a");
  ASSERT_FALSE(checker_.violations().empty());
  EXPECT_EQ(checker_.violations()[0].substr(0, 2), "P2");
}

TEST_F(Accounts, ShowABrokenOrder) {
  commit("a", 1, "k");
  commit("b", 2, "k");
  arrive("b");
  arrive("a");
  expect_violation("P4");
}

TEST_F(Accounts, ExcuseTheOrderOfWhatWasDead) {
  commit("a", 1, "k");
  commit("b", 2, "k");
  arrive("b");
  checker_.excuse("d", "a");
  arrive("a");
  EXPECT_TRUE(checker_.violations().empty());
}

TEST_F(Accounts, ShowOtherBytes) {
  commit("a", 1);
  arrive("a", "x");
  expect_violation("P5");
}

TEST_F(Accounts, ShowASendThatItsOwnerKnewHadArrived) {
  commit("a", 1);
  checker_.sent("owner", "d", "a");
  arrive("a");
  checker_.acknowledged("owner", "d", "a");
  checker_.sent("another", "d", "a");
  EXPECT_TRUE(checker_.violations().empty());
  checker_.sent("owner", "d", "a");
  expect_violation("P12");
}

}  // namespace
}  // namespace makegood::sim
