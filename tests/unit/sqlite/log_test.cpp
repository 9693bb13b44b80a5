// The table itself is a public contract: what a plain INSERT may do, and what no statement may do.
#include "makegood/id.hpp"
#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {
namespace {

constexpr auto insert_numbered = "INSERT INTO makegood_outbox (sequence, topic, payload) VALUES ";

}  // namespace

TEST_F(SqliteTest, APlainInsertOfTopicAndPayloadIsEnough) {
  app().run("INSERT INTO makegood_outbox (topic, payload) VALUES ('orders.placed', '{\"n\": 1}')");
  const Found found = value_of(store().look({.owner = "a", .rows_max = 10, .bytes_max = 1000}));
  ASSERT_EQ(found.rows.size(), 1U);
  const Message& message = *found.rows[0];
  EXPECT_EQ(message.topic, "orders.placed");
  EXPECT_EQ(message.content, "{\"n\": 1}");
  EXPECT_EQ(message.content_type, "application/json");
  EXPECT_EQ(message.tenant_id, "default");
  EXPECT_TRUE(is_uuid(message.event_id)) << message.event_id;
  EXPECT_EQ(message.event_id[14], '4');
  const Duration age = system_clock().now() - message.created_at;
  EXPECT_LT(std::chrono::abs(age), 60s);
  EXPECT_EQ(message.available_at, message.created_at);
}

TEST_F(SqliteTest, OneStatementMayInsertManyRows) {
  app().run(
      "INSERT INTO makegood_outbox (topic, payload) "
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT 't', i FROM n");
  EXPECT_EQ(app().ask("SELECT count(*), min(sequence), max(sequence) FROM makegood_outbox"), "1000|1|1000");
}

TEST_F(SqliteTest, OneStatementMayIgnoreRowsThatAreThere) {
  app().run("INSERT INTO makegood_outbox (event_id, topic, payload) VALUES ('e1', 't', '1')");
  app().run(
      "INSERT OR IGNORE INTO makegood_outbox (event_id, topic, payload) "
      "VALUES ('e1', 't', '1'), ('e2', 't', '2'), ('e1', 't', '1'), ('e3', 't', '3')");
  EXPECT_EQ(app().ask("SELECT group_concat(event_id, ' ') FROM makegood_outbox"), "e1 e2 e3");
}

TEST_F(SqliteTest, InsertOrReplaceTakesAnUndeliveredRowAwayAndItsSuccessorIsRead) {
  // SQLite asks no trigger about the row that gives way; docs/sqlite.md says so.
  app().run("INSERT INTO makegood_outbox (event_id, topic, payload) VALUES ('e1', 't', '\"first\"')");
  EXPECT_NE(app().attempt("DELETE FROM makegood_outbox"), "");
  app().run("INSERT OR REPLACE INTO makegood_outbox (event_id, topic, payload) VALUES ('e1', 't', '\"second\"')");
  const Found found = value_of(store().look({.owner = "a", .rows_max = 10, .bytes_max = 1000}));
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0]->sequence, 2);
  EXPECT_EQ(found.rows[0]->content, "\"second\"");
  EXPECT_TRUE(found.open.empty()) << "number 1 counts as rolled back";
}

TEST_F(SqliteTest, TheNextNumberMayBeGiven) {
  app().run(std::string(insert_numbered) + "(1, 't', '1'), (2, 't', '2')");
  app().run(std::string(insert_numbered) + "(NULL, 't', '3'), (4, 't', '4')");
  EXPECT_EQ(app().ask("SELECT max(sequence), count(*) FROM makegood_outbox"), "4|4");
}

TEST_F(SqliteTest, AForeignNumberIsRefused) {
  enqueue(a_message("m1"));
  enqueue(a_message("m2"));
  for (const std::string number : {"9223372036854775807", "4", "2", "1", "0", "-1", "-5"}) {
    const std::string error = app().attempt(insert_numbered + ("(" + number + ", 't', '{}')"));
    EXPECT_FALSE(error.empty()) << number;
  }
  EXPECT_EQ(app().attempt(std::string(insert_numbered) + "(9, 't', '{}')"),
            "The sequence of makegood_outbox is drawn by the database; leave the column out.");
  EXPECT_EQ(enqueue(a_message("m3")), 3);
}

TEST_F(SqliteTest, ALowNumberIsRefusedWhenTheLogWasCleaned) {
  for (int i = 0; i < 5; ++i) enqueue(a_message("m" + std::to_string(i)));
  commit({.position = {.reached = 5}});
  app().run("DELETE FROM makegood_outbox");
  EXPECT_NE(app().attempt(std::string(insert_numbered) + "(1, 't', '{}')"), "");
  EXPECT_NE(app().attempt(std::string(insert_numbered) + "(5, 't', '{}')"), "");
  app().run("INSERT INTO makegood_outbox (topic, payload) VALUES ('t', '1'), ('t', '2')");
  EXPECT_EQ(app().ask("SELECT min(sequence), max(sequence) FROM makegood_outbox"), "6|7");
}

TEST_F(SqliteTest, RowsAreNeverChanged) {
  enqueue(a_message("m1"));
  EXPECT_NE(app().attempt("UPDATE makegood_outbox SET payload = '2'").find("immutable"), std::string::npos);
}

TEST_F(SqliteTest, ExactlyOneOfPayloadAndBodyIsNeeded) {
  EXPECT_NE(app().attempt("INSERT INTO makegood_outbox (topic) VALUES ('t')"), "");
  EXPECT_NE(app().attempt("INSERT INTO makegood_outbox (topic, payload, body) VALUES ('t', '{}', x'00')"), "");
  EXPECT_NE(app().attempt("INSERT INTO makegood_outbox (topic, payload) VALUES ('', '{}')"), "");
  EXPECT_EQ(app().attempt("INSERT INTO makegood_outbox (topic, body) VALUES ('t', x'00')"), "");
}

}  // namespace makegood::sqlite
