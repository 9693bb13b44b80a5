#include <algorithm>

#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

using Loads = std::vector<NodeLoad>;

class NodesTest : public PostgresTest {
 protected:
  std::unique_ptr<Nodes> open_ours() const { return value_of(open_nodes(url(), outbox())); }
  static Loads beat(Nodes& nodes, const std::string& node, std::size_t lanes) {
    Loads alive = value_of(nodes.beat(node, lanes));
    std::ranges::sort(alive, {}, &NodeLoad::node);
    return alive;
  }
  std::string table() const { return schema().in("makegood_node"); }
};

TEST_F(NodesTest, SeeEachOther) {
  const auto a = open_ours();
  const auto b = open_ours();
  EXPECT_EQ(beat(*a, "a", 3), Loads({{"a", 3}}));
  EXPECT_EQ(beat(*b, "b", 0), Loads({{"a", 3}, {"b", 0}}));
  EXPECT_EQ(beat(*a, "a", 2), Loads({{"a", 2}, {"b", 0}}));
  must(b->leave("b"));
  EXPECT_EQ(beat(*a, "a", 2), Loads({{"a", 2}}));
}

TEST_F(NodesTest, ForgetOneThatHasSaidNothingForTooLong) {
  const auto a = open_ours();
  beat(*a, "a", 1);
  beat(*a, "silent", 1);
  app().run("UPDATE " + table() + " SET seen_at = clock_timestamp() - interval '14 s' WHERE node = 'silent'");
  EXPECT_EQ(beat(*a, "a", 1).size(), 2U);
  app().run("UPDATE " + table() + " SET seen_at = clock_timestamp() - interval '16 s'");
  EXPECT_EQ(beat(*a, "a", 1), Loads({{"a", 1}}));
  EXPECT_EQ(app().run("SELECT string_agg(node, ',') FROM " + table()), "a");
}

TEST_F(NodesTest, ForgetOneFromBeforeTheClockWasPutBack) {
  const auto a = open_ours();
  beat(*a, "ghost", 1);
  app().run("UPDATE " + table() + " SET seen_at = clock_timestamp() + interval '1 hour'");
  EXPECT_EQ(beat(*a, "a", 1), Loads({{"a", 1}}));
}

TEST_F(NodesTest, DoNotWaitForOneThatIsAboutToForgetTheSame) {
  const auto a = open_ours();
  beat(*a, "silent", 1);
  app().run("UPDATE " + table() + " SET seen_at = '2000-01-01'");
  app().run("BEGIN; DELETE FROM " + table());
  EXPECT_EQ(beat(*a, "a", 1), Loads({{"a", 1}}));
  app().run("COMMIT");
}

TEST_F(NodesTest, GoOnAfterTheConnectionWasLost) {
  const auto a = open_ours();
  beat(*a, "a", 1);
  app().run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%makegood_node%' AND query LIKE '%" +
      schema().name() + "%' AND pid <> pg_backend_pid()");
  EXPECT_TRUE(becomes_true([&] { return bool(a->beat("a", 1)); }));
}

TEST_F(NodesTest, LeaveTheirTableSmall) {
  const auto a = open_ours();
  // Rows that a snapshot of somebody else may still see stay for as long as it lasts: then once more.
  EXPECT_TRUE(becomes_true([&] {
    app().run("TRUNCATE " + table());
    for (int i = 0; i < 1000; ++i) beat(*a, "a", 1);
    return std::stol(app().run("SELECT pg_relation_size('" + table() + "')")) <= 2 * 8192;
  }));
}

}  // namespace
}  // namespace makegood::postgres
