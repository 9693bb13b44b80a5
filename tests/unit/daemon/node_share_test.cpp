#include "daemon/node_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace makegood::daemon {
namespace {

using namespace std::chrono_literals;
using Loads = std::vector<NodeLoad>;
constexpr MonotonicTime start{1h};

LaneNames lanes(std::size_t count) {
  LaneNames names;
  for (std::size_t i = 0; i < count; ++i) names.insert("outbox_" + std::to_string(i));
  return names;
}

class NodeShareTest : public testing::Test {
 protected:
  /// What `a` gives after it has taken so many and owned them for long enough.
  std::optional<std::string> gives(const Loads& alive, std::size_t owned) {
    share.lane_to_give(alive, {}, now);
    share.lane_to_give(alive, lanes(owned), now);
    now += 3s;
    return share.lane_to_give(alive, lanes(owned), now);
  }
  NodeShare share{"a"};
  MonotonicTime now = start;
};

TEST_F(NodeShareTest, GivesOneWhenAnotherOwnsTwoLess) { EXPECT_TRUE(gives({{"a", 3}, {"b", 1}}, 3)); }

TEST_F(NodeShareTest, GivesNoneForADifferenceOfOne) { EXPECT_FALSE(gives({{"a", 3}, {"b", 2}}, 3)); }

TEST_F(NodeShareTest, GivesNoneWhenItIsAlone) { EXPECT_FALSE(gives({{"a", 9}}, 9)); }

TEST_F(NodeShareTest, LeavesItToTheOneWithMore) { EXPECT_FALSE(gives({{"a", 3}, {"b", 4}, {"c", 0}}, 3)); }

TEST_F(NodeShareTest, OfEqualsTheFirstByNameGives) {
  EXPECT_TRUE(gives({{"a", 3}, {"b", 3}, {"c", 0}}, 3));
  EXPECT_FALSE(NodeShare("b").lane_to_give(Loads{{"a", 3}, {"b", 3}, {"c", 0}}, lanes(3), start));
}

TEST_F(NodeShareTest, WaitsUntilItHasOwnedTheSameForAWhile) {
  const Loads alive = {{"a", 3}, {"b", 0}};
  EXPECT_FALSE(share.lane_to_give(alive, lanes(3), now));
  EXPECT_FALSE(share.lane_to_give(alive, lanes(3), now + 2s));
  EXPECT_FALSE(share.lane_to_give(alive, lanes(4), now + 3s));
  EXPECT_TRUE(share.lane_to_give(alive, lanes(4), now + 6s));
}

TEST_F(NodeShareTest, DoesNotGiveALaneAgainThatNobodyWanted) {
  const Loads alive = {{"a", 2}, {"b", 0}};
  EXPECT_EQ(gives(alive, 2), "outbox_0");
  EXPECT_EQ(gives(alive, 2), "outbox_1") << "perhaps somebody serves the other one";
  EXPECT_EQ(gives(alive, 2), std::nullopt);
  now += 10min;
  EXPECT_EQ(gives(alive, 2), "outbox_0");
  now += 11min;
  EXPECT_EQ(gives(alive, 2), "outbox_1");
  EXPECT_EQ(gives(alive, 2), std::nullopt) << "and more and more rarely";
}

TEST_F(NodeShareTest, TriesAllAgainWhenAnotherNodeComes) {
  EXPECT_EQ(gives({{"a", 2}, {"b", 0}}, 2), "outbox_0");
  EXPECT_EQ(gives({{"a", 2}, {"b", 0}, {"c", 0}}, 2), "outbox_0");
}

TEST_F(NodeShareTest, WhoeverOwnsMoreLetsOthersFirst) {
  const Loads alive = {{"a", 2}, {"b", 1}, {"c", 1}};
  EXPECT_TRUE(lets_others_first("a", alive));
  EXPECT_FALSE(lets_others_first("b", alive));
  EXPECT_FALSE(lets_others_first("a", Loads{{"a", 2}}));
  EXPECT_FALSE(lets_others_first("a", {}));
}

/// Nodes that know of each other what was said last, and take what is free as the real ones do.
class Cluster {
 public:
  Cluster(std::size_t nodes, std::size_t lanes, unsigned seed) : random_(seed) {
    for (std::size_t i = 0; i < nodes; ++i) join();
    for (std::size_t lane = 0; lane < lanes; ++lane) own(any(nodes), "outbox_" + std::to_string(lane));
  }

  void join() {
    const std::string name = "node_" + std::to_string(nodes_.size());
    nodes_.push_back({.name = name, .share = NodeShare(name)});
    said_.push_back({name, 0});
  }
  /// What it owned is taken by the others when its lease is over.
  void kill(std::size_t index) {
    const LaneNames orphans = nodes_[index].owned;
    nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(index));
    said_.erase(said_.begin() + static_cast<std::ptrdiff_t>(index));
    for (const std::string& lane : orphans) take(lane, nodes_.size());
  }

  /// Every node speaks once, in any order. Answers how many lanes were handed over.
  std::size_t pass_two_seconds() {
    now_ += 2s;
    std::vector<std::size_t> order(nodes_.size());
    std::ranges::generate(order, [next = std::size_t{0}]() mutable { return next++; });
    std::ranges::shuffle(order, random_);
    std::size_t handed_over = 0;
    for (const std::size_t index : order) {
      Node& node = nodes_[index];
      said_[index].lanes = node.owned.size();
      const auto lane = node.share.lane_to_give(said_, node.owned, now_);
      if (!lane) continue;
      ++handed_over;
      node.owned.erase(*lane);
      take(*lane, index);
    }
    return handed_over;
  }

  std::size_t difference() const {
    const auto [least, most] = std::ranges::minmax(nodes_, {}, [](const Node& node) { return node.owned.size(); });
    return most.owned.size() - least.owned.size();
  }

 private:
  struct Node {
    std::string name;
    NodeShare share;
    LaneNames owned = {};
  };

  std::size_t any(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  void own(std::size_t index, const std::string& lane) { nodes_[index].owned.insert(lane); }

  /// By one that does not let others first; now and then one of those is faster.
  void take(const std::string& lane, std::size_t giver) {
    while (true) {
      const std::size_t index = any(nodes_.size());
      if (index == giver && nodes_.size() > 1) continue;
      const bool is_patient = lets_others_first(nodes_[index].name, said_);
      if (is_patient && any(10) != 0) continue;
      own(index, lane);
      if (any(2) == 0) said_[index].lanes = nodes_[index].owned.size();  // Else it says so with its next word.
      return;
    }
  }

  std::mt19937 random_;
  MonotonicTime now_ = start;
  std::vector<Node> nodes_;
  Loads said_;
};

/// Until it is even and has been so for a minute.
void expect_even(Cluster& cluster, std::size_t steps_max) {
  std::size_t steps = 0;
  for (; cluster.difference() > 1 && steps < steps_max; ++steps) cluster.pass_two_seconds();
  ASSERT_LE(cluster.difference(), 1U) << "after " << steps << " steps";
  for (int still = 0; still < 5; ++still) cluster.pass_two_seconds();  // What was decided from old news.
  ASSERT_LE(cluster.difference(), 1U);
  for (int still = 0; still < 30; ++still) ASSERT_EQ(cluster.pass_two_seconds(), 0U) << "it stands still";
}

TEST(NodesTogether, ComeToOwnAboutAsManyAndThenStandStill) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::size_t nodes = 1 + random() % 12;
    const std::size_t lanes = random() % 60;
    Cluster cluster(nodes, lanes, seed);
    expect_even(cluster, 40 + 10 * lanes);
    cluster.join();
    expect_even(cluster, 40 + 10 * lanes);
    cluster.kill(random() % nodes);
    expect_even(cluster, 40 + 10 * lanes);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace makegood::daemon
