#include <thread>

#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {

TEST_F(SqliteTest, MigratesAgainWithoutHarm) {
  enqueue(a_message("m1"));
  must(store().migrate());
  EXPECT_EQ(app().ask("SELECT count(*) FROM makegood_outbox"), "1");
  EXPECT_EQ(
      app().ask("SELECT outbox, number, name FROM makegood_migration"),
      "makegood_outbox|1|outbox;makegood_outbox|2|side_lanes;makegood_outbox|3|operators;makegood_outbox|4|status;"
      "makegood_outbox|5|changed_at;makegood_outbox|6|turn_rows;makegood_outbox|7|log_mark;makegood_outbox|8|deletes;"
      "makegood_outbox|9|answered;makegood_outbox|10|traits;makegood_outbox|11|replay");
}

TEST_F(SqliteTest, MigratesFromSeveralConnectionsAtOnce) {
  std::vector<std::jthread> threads;
  std::atomic<int> failures = 0;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto opened = open_store(folder_.file("new.db"), "orders_outbox", clock_);
      if (!opened || !(*opened)->migrate()) ++failures;
    });
  }
  threads.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(Application(folder_.file("new.db")).ask("SELECT count(*) FROM makegood_migration"), "11");
}

TEST_F(SqliteTest, RefusesTablesOfANewerVersion) {
  app().run("INSERT INTO makegood_migration (outbox, number, name) VALUES ('makegood_outbox', 1000, 'later')");
  EXPECT_EQ(store().migrate().error().code, Errc::schema_mismatch);
  EXPECT_EQ(store().take("a", lease, {}).error().code, Errc::schema_mismatch);
}

TEST_F(SqliteTest, SaysHowToMakeMissingTables) {
  const auto other = connect("orders_outbox");
  const NewMessage message = a_message("m1");
  for (const Error& error : {other->take("a", lease, {}).error(), other->look({.owner = "a"}).error(),
                             other->enqueue({&message, 1}).error()}) {
    EXPECT_EQ(error.code, Errc::schema_mismatch);
    EXPECT_NE(error.message.find("makegood migrate"), std::string::npos) << error.message;
  }
}

TEST_F(SqliteTest, NamesTheOutboxesThatAreThere) {
  const auto view = open_outbox_view(file(), "orders_outbox", clock_);
  ASSERT_FALSE(view);
  EXPECT_NE(view.error().message.find("There is no outbox orders_outbox here; there are: makegood_outbox"),
            std::string::npos)
      << view.error().message;
}

TEST_F(SqliteTest, KeepsSeveralOutboxesApartInOneFile) {
  const auto orders = connect("orders_outbox");
  must(orders->migrate());
  const NewMessage message = a_message("order");
  EXPECT_EQ(value_of(orders->enqueue({&message, 1})).at(0).sequence, 1);
  take(*orders, "a");
  take(store(), "b");
  EXPECT_EQ(app().ask("SELECT (SELECT count(*) FROM orders_outbox), (SELECT count(*) FROM makegood_outbox)"), "1|0");
}

TEST_F(SqliteTest, OneSpellingOfAnOutboxIsAsGoodAsAnother) {
  enqueue(a_message("m1"));
  const auto shouted = connect("MAKEGOOD_OUTBOX");
  must(shouted->migrate());
  const Found found = value_of(shouted->look({.owner = "a", .rows_max = 10, .bytes_max = 1000}));
  EXPECT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.counter, 1);
}

TEST_F(SqliteTest, MigratesOnTheApplicationsConnection) {
  must(migrate(app().db(), "orders_outbox"));
  app().run("INSERT INTO orders_outbox (topic, payload) VALUES ('t', '{}')");
  take(*connect("orders_outbox"), "a");
  app().run("BEGIN");
  EXPECT_EQ(migrate(app().db(), "other_outbox").error().code, Errc::invalid);
}

TEST_F(SqliteTest, ThePrintedScriptMakesTheSameTables) {
  Application other(folder_.file("by_hand.db"));
  other.run(value_of(migration_script("makegood_outbox")));
  const std::string schema = "SELECT name, sql FROM sqlite_schema ORDER BY name";
  EXPECT_EQ(other.ask(schema), app().ask(schema));
  const auto store = value_of(open_store(folder_.file("by_hand.db"), "makegood_outbox", clock_));
  must(store->migrate());
  take(*store, "a");
}

TEST_F(SqliteTest, ThePrintedScriptMakesTheSameTablesForSagas) {
  Application other(folder_.file("by_hand.db"));
  other.run(value_of(saga_migration_script("makegood_saga")));
  const auto sagas = value_of(open_saga_store(folder_.file("by_hand.db"), {}, clock_));
  must(sagas->migrate());
  const std::string tables = "SELECT name, sql FROM sqlite_schema WHERE name LIKE 'makegood_saga%' ORDER BY name";
  const auto here = value_of(open_saga_store(file(), {}, clock_));
  must(here->migrate());
  EXPECT_EQ(other.ask(tables), app().ask(tables));
  const std::string applied = "SELECT number, name FROM makegood_migration WHERE outbox = 'makegood_saga_journal'";
  EXPECT_EQ(other.ask(applied), app().ask(applied));
  EXPECT_TRUE(app().ask(applied).starts_with("1|sagas;2|views;"));
  EXPECT_TRUE(value_of(sagas->take("a", lease, {})));
}

TEST_F(SqliteTest, SaysHowToMakeMissingTablesOfSagas) {
  must(connect("makegood_saga")->migrate());  // An outbox of that name, and no more.
  EXPECT_EQ(code_of(open_saga_view(file(), {}, clock_)), Errc::schema_mismatch);
  const auto sagas = value_of(open_saga_store(file(), {}, clock_));
  EXPECT_EQ(code_of(sagas->take("a", lease, {})), Errc::schema_mismatch);
  must(sagas->migrate());
  EXPECT_TRUE(value_of(sagas->take("a", lease, {})));
}

TEST_F(SqliteTest, MigratesSagasDownWithTheirLog) {
  {
    must(value_of(open_saga_store(file(), {}, clock_))->migrate());
  }
  must(migrate_down(file(), "makegood_saga", false));
  EXPECT_EQ(app().ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'makegood_saga%'"), "0");
  EXPECT_EQ(app().ask("SELECT count(*) FROM makegood_migration WHERE outbox LIKE 'makegood_saga%'"), "0");
}

TEST_F(SqliteTest, MigratesDownOnlyWhenEverythingWasDelivered) {
  const Sequence sequence = enqueue(a_message("m1"));
  EXPECT_EQ(migrate_down(file(), "makegood_outbox", false).error().code, Errc::conflict);
  const Taken taken = take(store(), "a");
  value_of(store().commit({.owner = "a", .after = taken.turn, .lease = {}, .position = {.reached = sequence}}));
  close_store();
  must(migrate_down(file(), "makegood_outbox", false));
  EXPECT_EQ(app().ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'makegood_outbox%'"), "0");
  EXPECT_EQ(app().ask("SELECT count(*) FROM makegood_migration"), "0");
}

TEST_F(SqliteTest, MigratesDownAnywayWhenToldTo) {
  enqueue(a_message("m1"));
  must(migrate_down(file(), "makegood_outbox", true));
  must(store().migrate());
  EXPECT_EQ(enqueue(a_message("m1")), 1);
}

TEST_F(SqliteTest, RefusesADatabaseThatIsNotAFile) {
  EXPECT_EQ(open_store(":memory:", "makegood_outbox", clock_).error().code, Errc::store_unavailable);
}

TEST_F(SqliteTest, RefusesAFileThatIsNotADatabase) {
  const std::string text = folder_.file("notes.txt");
  std::FILE* notes = std::fopen(text.c_str(), "w");
  std::fputs(std::string(4096, 'x').c_str(), notes);
  std::fclose(notes);
  EXPECT_EQ(open_store(text, "makegood_outbox", clock_).error().code, Errc::store_corrupt);
}

TEST_F(SqliteTest, WarnsOfALibraryThatCanDamageTheFile) {
  EXPECT_EQ(version_warning().empty(), sqlite3_libversion_number() >= 3051003);
}

TEST_F(SqliteTest, BringsOfOldLongTurnsTheLastUpAndOneOfMany) {
  const std::string script = value_of(migration_script("makegood_outbox"));
  Application old(folder_.file("old.db"));
  old.run(script.substr(0, script.find("-- 0006")));
  old.run(R"(
    WITH RECURSIVE turn (number) AS (VALUES (1) UNION ALL SELECT number + 1 FROM turn WHERE number < 70)
    INSERT INTO makegood_outbox_turn (lane, turn, owner, at, lease_until, locked, reached, settled, position)
    SELECT 0, number, 'a', 1000, 11000, 0, 0, 0,
           '{"reached":0,"open":[],"under_way":{}' || CASE WHEN number > 2 THEN printf('%3000s', '') ELSE '' END || '}'
    FROM turn)");
  must(value_of(open_store(folder_.file("old.db"), "makegood_outbox", clock_))->migrate());
  EXPECT_EQ(old.ask("SELECT group_concat(turn, ' ') FROM makegood_outbox_turn WHERE position <> ''"), "1 2 32 64 70");
  EXPECT_EQ(old.ask("SELECT count(*), max(length(position)) FROM makegood_outbox_turn"), "70|3038");
}

TEST_F(SqliteTest, TakesAllAttemptsOfBeforeForAnswered) {
  const std::string script = value_of(migration_script("makegood_outbox"));
  Application old(folder_.file("old.db"));
  old.run(script.substr(0, script.find("-- 0007")));
  old.run(R"(
    INSERT INTO makegood_outbox_parked (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts,
                                        due_at, owner, error_code, last_error, story, parked_at, changed_at)
    VALUES (1, 'fn:a', 't', '', 0, 'waiting', 0, 0, 1, NULL, '', '', '[]', 1, 1),
           (2, 'fn:a', 't', '', 0, 'waiting', 0, 3, 1, NULL, 'X', '', '[]', 1, 1),
           (3, 'fn:a', 't', '', 0, 'waiting', 0, 3, 1, 'a', 'X', '', '[]', 1, 1),
           (4, 'fn:a', 't', '', 0, 'dead', 0, 12, 1, NULL, 'X', '', '[]', 1, 1))");
  must(value_of(open_store(folder_.file("old.db"), "makegood_outbox", clock_))->migrate());
  EXPECT_EQ(old.ask("SELECT group_concat(answered, ' ') FROM makegood_outbox_parked"), "0 3 2 12");
}

TEST_F(SqliteTest, BringsTablesOfTheFirstVersionUpWithWhatIsInThem) {
  const std::string script = value_of(migration_script("makegood_outbox"));
  const std::string old_file = folder_.file("old.db");
  Application old(old_file);
  old.run(script.substr(0, script.find("-- 0002")));
  old.run(R"(
    INSERT INTO makegood_outbox (topic, payload) VALUES ('t', '1'), ('t', '2'), ('t', '3');
    INSERT INTO makegood_outbox_turn VALUES (0, 1, 'a', 1000, 11000, 0, 0, 0, '{"reached":0,"open":[],"under_way":{}}'),
      (0, 2, 'a', 2000, 12000, 0, 2, 1, '{"reached":2,"open":[],"under_way":{"fn:a":[[2,2]]}}');
    INSERT INTO makegood_outbox_parked (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts,
      due_at, error_code, last_error, story, parked_at, changed_at)
      VALUES (1, 'fn:a', 'default', '', 0, 'waiting', 0, 3, 5000, 'E', 'e', '[]', 0, 0);
    INSERT INTO makegood_outbox_request (kind, sequence, destination, operator, reason, created_at)
      VALUES ('replay', 1, 'fn:a', 'olga', '', 0))");
  const auto upgraded = value_of(open_store(old_file, "makegood_outbox", clock_));
  EXPECT_EQ(upgraded->take("b", lease, {}).error().code, Errc::schema_mismatch);
  must(upgraded->migrate());

  const Taken taken = take(*upgraded, "b");
  EXPECT_EQ(taken.turn, 3);
  EXPECT_EQ(taken.position.under_way.at("fn:a"), std::vector<Sequence>({2}));
  EXPECT_EQ(taken.fruitless_takings, 0U);
  EXPECT_TRUE(taken.is_after_death);
  EXPECT_EQ(taken.parked_counts.at(0).count, 1U);
  const Found found = value_of(upgraded->look(
      {.owner = "b", .reached = 2, .numbers = {2}, .rows_max = 10, .bytes_max = 1000, .due = {{"fn:a", 10}}}));
  EXPECT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.due.at(0).parked.attempts, 3U);
  EXPECT_EQ(found.due.at(0).parked.deaths, 0U);
  EXPECT_EQ(found.requests.at(0).asked.until, 0);
  EXPECT_EQ(old.ask("SELECT group_concat(state, ' ') FROM makegood_outbox_status"), "pending leased pending");
  EXPECT_EQ(old.ask("SELECT turn, owner, at, reached, settled, is_taking FROM makegood_outbox_turn WHERE turn < 3"),
            "1|a|1000|0|0|0;2|a|2000|2|1|0");
}

TEST_F(SqliteTest, BringsTablesOfTheSecondVersionUpWithWhatIsInThem) {
  const std::string script = value_of(migration_script("makegood_outbox"));
  const std::string old_file = folder_.file("old.db");
  Application old(old_file);
  old.run(script.substr(0, script.find("-- 0003")));
  old.run(R"(
    INSERT INTO makegood_outbox (topic, payload) VALUES ('t', '1'), ('t', '2');
    INSERT INTO makegood_outbox_turn VALUES (0, 1, 'a', 1000, 11000, 0, 2, 2,
      '{"reached":2,"open":[],"under_way":{}}', 1);
    INSERT INTO makegood_outbox_parked (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts,
      due_at, error_code, last_error, story, parked_at, changed_at, deaths)
      VALUES (1, 'fn:a', 'default', '', 0, 'waiting', 0, 3, 5000, 'E', 'e', '[]', 0, 0, 0),
             (2, 'fn:a', 'default', '', 0, 'dead', 0, 3, 5000, 'E', 'e',
              '[{"attempt":3,"at":1715936400000,"outcome":"fail","code":"E"}]', 0, 7000, 0);
    INSERT INTO makegood_outbox_request (kind, sequence, destination, operator, reason, created_at)
      VALUES ('replay', 2, 'fn:a', 'olga', '', 0))");
  EXPECT_EQ(open_outbox_view(old_file, "makegood_outbox").error().code, Errc::schema_mismatch);
  const auto upgraded = value_of(open_store(old_file, "makegood_outbox", clock_));
  must(upgraded->migrate());

  take(*upgraded, "b");
  const Found found = value_of(upgraded->look({.owner = "b", .reached = 2, .due = {{"fn:a", 10}}}));
  EXPECT_EQ(found.due.at(0).parked.attempts, 3U);
  EXPECT_EQ(found.requests.at(0).asked.document, "");
  const auto view = value_of(open_outbox_view(old_file, "makegood_outbox"));
  const MessageView dead = value_of(view->story(2));
  EXPECT_EQ(dead.deliveries.at(0).story.at(0).outcome, "fail");
  EXPECT_EQ(dead.deliveries[0].story[0].owner, "") << "nobody wrote it down then";
  EXPECT_EQ(dead.requests.size(), 1U);
  EXPECT_EQ(value_of(view->count_dead({})), 1U);
}

}  // namespace makegood::sqlite
