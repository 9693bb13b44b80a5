#include <poll.h>

#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {
namespace {

LookFor from(Sequence reached) { return {.owner = "a", .reached = reached, .rows_max = 100, .bytes_max = 1 << 20}; }

}  // namespace

TEST_F(SqliteTest, NoticesWhatAnotherConnectionCommits) {
  EXPECT_TRUE(store().has_changed()) << "before the first look nobody knows";
  value_of(store().look(from(0)));
  EXPECT_FALSE(store().has_changed());
  app().run("BEGIN; INSERT INTO makegood_outbox (topic, payload) VALUES ('t', '{}')");
  EXPECT_FALSE(store().has_changed());
  app().run("COMMIT");
  EXPECT_TRUE(store().has_changed());
  EXPECT_TRUE(store().has_changed()) << "until it has looked";
  value_of(store().look(from(0)));
  EXPECT_FALSE(store().has_changed());
}

TEST_F(SqliteTest, ShowsOnItsDescriptorThatSomebodyWrites) {
  const auto is_readable = [this] {
    pollfd event{.fd = store().change_descriptor(), .events = POLLIN, .revents = 0};
    return poll(&event, 1, 0) == 1;
  };
  ASSERT_TRUE(value_of(store().take("a", std::chrono::seconds(10), "")));
  ASSERT_GE(store().change_descriptor(), 0);
  store().has_changed();
  EXPECT_FALSE(is_readable());
  app().run("INSERT INTO makegood_outbox (topic, payload) VALUES ('t', '{}')");
  EXPECT_TRUE(is_readable());
  EXPECT_TRUE(store().has_changed());
  EXPECT_FALSE(is_readable()) << "the question takes it back";
}

TEST_F(SqliteTest, NoticesWhatItEnqueuedItself) {
  value_of(store().look(from(0)));
  enqueue(a_message("m1"));
  EXPECT_TRUE(store().has_changed());
}

TEST_F(SqliteTest, ANumberThatWasUsedUpInVainHoldsNothingUp) {
  enqueue(a_message("m1"));
  enqueue(a_message("m1"));
  app().run("BEGIN; INSERT INTO makegood_outbox (topic, payload) VALUES ('t', '{}'); ROLLBACK");
  const Found found = value_of(store().look(from(0)));
  EXPECT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.looked_to, found.counter);
  EXPECT_FALSE(found.is_more);
  EXPECT_TRUE(found.open.empty());
}

TEST_F(SqliteTest, ARowAboveTheCounterIsRefused) {
  enqueue(a_message("m1"));
  enqueue(a_message("m2"));
  app().run("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'makegood_outbox'");
  EXPECT_EQ(value_of(store().look(from(0))).trouble, LogTrouble::foreign_number);
}

TEST_F(SqliteTest, ADueDeliveryWhoseMessageWasDeletedIsStillReported) {
  const Sequence sequence = enqueue(a_message("m1"));
  const Taken taken = take(store(), "a");
  value_of(store().commit({.owner = "a",
                           .after = taken.turn,
                           .lease = lease,
                           .position = {.reached = sequence},
                           .parked = {a_parked(sequence).waiting_until(clock_.now())}}));
  app().run("DROP TRIGGER makegood_outbox_needed; DELETE FROM makegood_outbox");
  LookFor wanted = from(sequence);
  wanted.due = {{"fn:a", 10}};
  const Found found = value_of(store().look(wanted));
  ASSERT_EQ(found.due.size(), 1U);
  EXPECT_EQ(found.due[0].message, nullptr);
}

TEST_F(SqliteTest, ALookWaitsForNoProducer) {
  enqueue(a_message("m1"));
  app().run("BEGIN IMMEDIATE; INSERT INTO makegood_outbox (topic, payload) VALUES ('t', '{}')");
  EXPECT_EQ(value_of(store().look(from(0))).rows.size(), 1U);
}

TEST_F(SqliteTest, TenantsThatAreLeftOutArePassedOnTheIndexAlone) {
  const std::string plan = app().ask(
      "EXPLAIN QUERY PLAN SELECT p.attempts FROM makegood_outbox_parked AS due "
      "CROSS JOIN makegood_outbox_parked AS p ON p.sequence = due.sequence AND p.destination = due.destination "
      "WHERE due.state = 'waiting' AND due.destination = 'fn:a' "
      "AND due.tenant_id NOT IN (SELECT value FROM json_each('[\"acme\"]')) ORDER BY due.due_at, due.sequence");
  EXPECT_NE(plan.find("SEARCH due USING COVERING INDEX makegood_outbox_parked_due"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << plan;
}

}  // namespace makegood::sqlite
