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

}  // namespace makegood::sqlite
