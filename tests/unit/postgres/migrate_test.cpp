
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/migrations.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

class Migrate : public PostgresTest {};

TEST_F(Migrate, SeveralAtOnceDoItOnce) {
  const std::string place = schema().in("another");
  {
    std::vector<std::jthread> programs;
    for (int count = 0; count < 4; ++count) {
      programs.emplace_back([&] { must(value_of(open_store(url(), place))->migrate()); });
    }
  }
  EXPECT_EQ(app().run("SELECT count(*) FROM " + schema().in("makegood_migration") + " WHERE outbox = 'another'"), "11");
}

TEST_F(Migrate, WhoHadToWaitFindsTheFirstTablesOfAnEmptySchema) {
  const PostgresSchema empty;
  const std::string place = empty.in("outbox");
  app().run("SELECT pg_advisory_lock(hashtextextended('makegood migration', 0))");
  Result<> late = Error{Errc::internal, "It has not ended."};
  {
    const std::jthread program([&] { late = value_of(open_store(url_with_name(), place))->migrate(); });
    const std::string waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory' AND application_name = '" +
        schema().name() + "'";
    EXPECT_TRUE(becomes_true([&] { return app().run(waiting) == "1"; }));
    app().run(value_of(migration_script(place)));
    app().run("SELECT pg_advisory_unlock(hashtextextended('makegood migration', 0))");
  }
  EXPECT_TRUE(late) << late.error().message << late.error().diagnostics;
}

/// An outbox as it was before its log had triggers, with a producer that does not end its transaction.
class MigrateLater : public Migrate {
 protected:
  void SetUp() override {
    Migrate::SetUp();
    if (IsSkipped()) return;
    const auto texts = value_of(migration_texts(place()));
    for (const MigrationText& text : texts) {
      if (text.name == "deletes") break;
      app().run("BEGIN; " + text.up + "; COMMIT");
    }
    writer_.emplace(url());
    writer_->run("BEGIN");
    insert(*writer_, place(), "m1");
  }
  std::string place() const { return schema().in("older"); }
  PostgresClient& writer() { return *writer_; }

 private:
  std::optional<PostgresClient> writer_;
};

TEST_F(MigrateLater, KeepsNoProducerWaitingBehindAnother) {
  Result<> migrated = Error{Errc::internal, "It has not ended."};
  {
    const std::jthread program([&] { migrated = value_of(open_store(url_with_name(), place()))->migrate(); });
    const std::string waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
        "application_name = '" +
        schema().name() + "'";
    EXPECT_TRUE(becomes_true([&] { return app().run(waiting) == "1"; }));
    app().run("SET statement_timeout = '10s'");
    EXPECT_GT(insert(app(), place(), "m2"), 0) << "though the first transaction is open all the time";
    writer().run("COMMIT");
  }
  EXPECT_TRUE(migrated) << migrated.error().message << migrated.error().diagnostics;
  EXPECT_EQ(app().state_of("DELETE FROM " + place()), "MG002");
}

TEST_F(MigrateLater, NamesWhomItWaitsFor) {
  Connection connection = value_of(Connection::open(url(), value_of(Identifier::from(place()))));
  const Result<> migrated = migrate(connection, {.tries = 2, .pause = 0ms});
  ASSERT_FALSE(migrated);
  EXPECT_EQ(migrated.error().code, Errc::store_unavailable);
  EXPECT_NE(migrated.error().diagnostics.find("idle in transaction"), std::string::npos)
      << migrated.error().diagnostics;
}

TEST_F(Migrate, MakesTheSchemaWhereThereIsNone) {
  const std::string place = schema().name() + "_made.outbox";
  must(value_of(open_store(url(), place))->migrate());
  insert(app(), place, "m1");
  app().run("DROP SCHEMA " + schema().name() + "_made CASCADE");
}

TEST_F(Migrate, TheScriptDoesTheSame) {
  const std::string place = schema().in("by_script");
  app().run(value_of(migration_script(place)));
  const auto store = value_of(open_store(url(), place));
  must(store->migrate());
  insert(app(), place, "m1");
  EXPECT_TRUE(value_of(store->take("a", lease, {})));
  EXPECT_EQ(value_of(store->look(all_beyond(0))).rows.size(), 1U);
}

TEST_F(Migrate, TheScriptDoesTheSameForSagas) {
  const std::string log = schema().in("sagas_by_script");
  app().run(value_of(saga_migration_script(log)));
  EXPECT_TRUE(value_of(missing_parts(url(), log, TablesOf::sagas)).empty());
  const auto sagas = value_of(open_saga_store(url(), {.log = log, .outbox = outbox()}));
  must(sagas->migrate());
  EXPECT_TRUE(value_of(sagas->take("a", lease, {})));
}

TEST_F(Migrate, TellsWhatSagasLack) {
  must(value_of(open_store(url(), schema().in("sagas")))->migrate());
  const std::string log = schema().in("sagas");
  EXPECT_EQ(value_of(missing_parts(url(), log, TablesOf::sagas)).front(), "migration 0001 sagas");
  EXPECT_EQ(code_of(open_saga_view(url(), {.log = log, .outbox = outbox()})), Errc::schema_mismatch);
  must(value_of(open_saga_store(url(), {.log = log, .outbox = outbox()}))->migrate());
  EXPECT_TRUE(value_of(missing_parts(url(), log, TablesOf::sagas)).empty());
  app().run("ALTER TABLE " + log + "_end DROP COLUMN open; DROP TRIGGER makegood_waits ON " + log + "; DROP INDEX " +
            log + "_waiting_due");
  EXPECT_EQ(value_of(missing_parts(url(), log, TablesOf::sagas)).size(), 3U);
}

TEST_F(Migrate, SagasGoDownWithTheirLog) {
  const std::string log = schema().in("sagas");
  must(value_of(open_saga_store(url(), {.log = log, .outbox = outbox()}))->migrate());
  must(migrate_down(url(), log, false));
  EXPECT_EQ(app().run("SELECT count(*) FROM pg_class WHERE relnamespace = '" + schema().name() +
                      "'::regnamespace AND relname LIKE 'sagas%'"),
            "0");
  EXPECT_EQ(app().run("SELECT count(*) FROM pg_proc WHERE pronamespace = '" + schema().name() +
                      "'::regnamespace AND proname LIKE 'sagas%'"),
            "0");
}

TEST_F(Migrate, DownRefusesWhileMessagesWait) {
  insert("m1");
  EXPECT_EQ(code_of(migrate_down(url(), outbox(), false)), Errc::conflict);
  must(migrate_down(url(), outbox(), true));
  EXPECT_EQ(app().run("SELECT count(*) FROM pg_class WHERE relnamespace = '" + schema().name() +
                      "'::regnamespace AND relname LIKE 'makegood\\_outbox%'"),
            "0");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::schema_mismatch);
}

TEST_F(Migrate, RefusesTablesOfANewerVersion) {
  app().run("INSERT INTO " + schema().in("makegood_migration") + " VALUES ('makegood_outbox', 999, 'future')");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::schema_mismatch);
}

}  // namespace
}  // namespace makegood::postgres
