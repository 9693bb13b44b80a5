// What the conformance suite cannot see: the tables that are left behind.
#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {
namespace {

constexpr Clean step{.retention = 1h, .dead_retention = 24h, .rows_max = 100};

}  // namespace

class Cleaner : public SqliteTest {
 protected:
  std::string count(const std::string& table) { return app().ask("SELECT count(*) FROM makegood_outbox" + table); }
};

TEST_F(Cleaner, KeepsAMessageOnlyAsLongAsItsExceptionIsKnown) {
  const Sequence n = enqueue(a_message("m1"));
  commit({.position = {.reached = n}, .parked = {a_parked(n).waiting_until(clock_.now())}});
  clock_.advance(2h);
  commit({.position = {.reached = n}, .clean = step});
  EXPECT_EQ(count("") + count("_kept"), "01");
  commit({.position = {.reached = n}, .parked = {a_parked(n).done()}});
  clock_.advance(2h);
  commit({.position = {.reached = n}, .clean = step});
  EXPECT_EQ(count("_parked") + count("_kept"), "00");
}

TEST_F(Cleaner, RemovesOldTurnsButNeverTheLast) {
  const Sequence n = enqueue(a_message("m1"));
  for (int i = 0; i < 5; ++i) commit({.position = {.reached = n}});
  clock_.advance(2h);
  commit({.position = {.reached = n}, .clean = step});
  EXPECT_EQ(count("_turn"), "1");
}

TEST_F(Cleaner, KeepsTheTurnsThatTellWhenAMessageWasDelivered) {
  const Sequence first = enqueue(a_message("m1"));
  const Sequence second = enqueue(a_message("m2"));
  commit({.position = {.reached = first}});
  commit({.position = {.reached = second}});
  const std::string delivered = "SELECT published_at FROM makegood_outbox_status WHERE sequence = 2";
  const std::string before = app().ask(delivered);
  clock_.advance(2h);
  commit({.position = {.reached = second}, .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 1}});
  EXPECT_EQ(count(""), "1");
  EXPECT_EQ(app().ask(delivered), before);
}

TEST_F(Cleaner, KeepsADeadDeliveryThatBlocksItsKey) {
  const Sequence n = enqueue(a_message("m1").with_key("k"));
  commit({.position = {.reached = n}, .parked = {a_parked(n).with_key("k").dead().blocking()}});
  clock_.advance(1000h);
  commit({.position = {.reached = n}, .clean = step});
  EXPECT_EQ(count("_parked") + count("_kept"), "11");
}

TEST_F(SqliteTest, RetiredRoutesGoWithTheMessagesThatWentByThem) {
  for (const char* name : {"m1", "m2"}) enqueue(a_message(name));
  commit({.position = {.reached = 1}, .routing = Routing{.version = 1, .from = 0}});
  commit({.position = {.reached = 2}, .routing = Routing{.version = 2, .from = 1}});
  const Said cleaning{.position = {.reached = 2},
                      .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 1},
                      .oldest_routing = 2};
  commit(cleaning);
  const std::string versions = "SELECT version, is_retired FROM makegood_outbox_route";
  EXPECT_EQ(app().ask(versions), "1|1;2|0");
  clock_.advance(2h);
  commit(cleaning);
  EXPECT_EQ(app().ask("SELECT min(sequence) FROM makegood_outbox"), "2");
  EXPECT_EQ(app().ask(versions), "2|0");
}

TEST_F(SqliteTest, KeepsABoundedNumberOfRetiredRoutes) {  // I10
  enqueue(a_message("m1"));
  for (std::int64_t version = 1; version <= 130; ++version)
    commit({.routing = Routing{.version = version, .from = version}});
  commit({.clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 1000}, .oldest_routing = 130});
  EXPECT_EQ(app().ask("SELECT min(version), count(*) FROM makegood_outbox_route"), "30|101");
}

}  // namespace makegood::sqlite
