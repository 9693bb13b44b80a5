#include "base/machine.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

class Incarnation : public PostgresTest {
 protected:
  void record(const std::string& change) { app().run("UPDATE " + schema().in("makegood_store") + " SET " + change); }
  std::string recorded() {
    return app().run("SELECT concat_ws('-', system, timeline, database) FROM " + schema().in("makegood_store"));
  }
};

TEST_F(Incarnation, IsTheServersSystemAndTimelineAndTheDatabase) {
  const auto taken = value_of(store().take("a", lease, {}));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->incarnation, recorded());
  EXPECT_TRUE(
      taken->incarnation.ends_with("-" + app().run("SELECT oid FROM pg_database WHERE datname = current_database()")));
  EXPECT_FALSE(value_of(examine_origin(url(), outbox(), "")).is_copy);
}

TEST_F(Incarnation, ARestoredCopySendsNothingUntilItIsAdopted) {
  record("system = system - 1");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign);
  EXPECT_TRUE(value_of(examine_origin(url(), outbox(), "")).is_copy);
  must(adopt(url(), outbox()));
  EXPECT_TRUE(value_of(store().take("a", lease, {})));
}

TEST_F(Incarnation, APromotedStandbyAtAKnownPlaceGoesOn) {
  record("timeline = timeline - 1");
  const auto taken = value_of(store().take("a", lease, {}));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->incarnation, recorded()) << "and its timeline is recorded";
}

TEST_F(Incarnation, AnotherDatabaseOfTheSameServerIsACopy) {
  record("database = database - 1");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign);
  EXPECT_TRUE(value_of(examine_origin(url(), outbox(), "")).is_copy);
  must(adopt(url(), outbox()));
  EXPECT_TRUE(value_of(store().take("a", lease, {})));
}

TEST_F(Incarnation, APromotedStandbyOfAnotherDatabaseIsACopy) {
  record("timeline = timeline - 1, database = database - 1");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign);
}

TEST_F(Incarnation, ARecordWithoutADatabaseIsCompletedByTheNextTaker) {
  const std::string whole = recorded();
  record("database = NULL");
  EXPECT_FALSE(value_of(examine_origin(url(), outbox(), "")).is_copy);
  EXPECT_EQ(value_of(store().take("a", lease, {}))->incarnation, whole);
  EXPECT_EQ(recorded(), whole);
}

TEST_F(Incarnation, ATableFromBeforeDatabasesWereToldApartGetsItsColumn) {
  app().run("ALTER TABLE " + schema().in("makegood_store") + " DROP COLUMN database");
  must(value_of(open_store(url(), schema().in("other_outbox")))->migrate());
  EXPECT_TRUE(value_of(store().take("a", lease, {})));
}

TEST_F(Incarnation, AnOlderTimelineIsACopy) {
  record("timeline = timeline + 1");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign);
}

/// What is recorded of the tables of an outbox.
class OidsOfTheLog : public Incarnation {
 protected:
  std::string recorded_log() {
    return app().run("SELECT logs -> 'makegood_outbox' ->> 'log' FROM " + schema().in("makegood_store"));
  }
  std::string oid_of(const std::string& table) {
    return app().run("SELECT '" + schema().in(table) + "'::regclass::oid");
  }
  bool is_copy() { return value_of(examine_origin(url(), outbox(), "")).is_copy; }
  /// As pg_restore --clean leaves it: other tables, and a record from before.
  void restore_over_itself() {
    record("logs = jsonb_build_object('makegood_outbox', jsonb_build_object('log', 1, 'number', 2))");
  }
};

TEST_F(OidsOfTheLog, AreRecordedByTheMigration) { EXPECT_EQ(recorded_log(), oid_of("makegood_outbox")); }

TEST_F(OidsOfTheLog, AskForAdoptWhenTheyAreOthers) {
  restore_over_itself();
  const Error error = store().take("a", lease, {}).error();
  EXPECT_EQ(error.code, Errc::store_foreign);
  EXPECT_NE(error.diagnostics.find("oid of the log"), std::string::npos) << error.diagnostics;
  EXPECT_TRUE(is_copy());
  must(adopt(url(), outbox()));
  EXPECT_FALSE(is_copy());
  EXPECT_TRUE(value_of(store().take("a", lease, {})));
}

TEST_F(OidsOfTheLog, AreCompletedByTheNextTakerWhereTheyAreNotRecorded) {
  record("logs = NULL");
  EXPECT_FALSE(is_copy());
  ASSERT_TRUE(value_of(store().take("a", lease, {})));
  EXPECT_EQ(recorded_log(), oid_of("makegood_outbox"));
}

TEST_F(OidsOfTheLog, OfADroppedOutboxDoNotAlarmTheOneThatIsMadeAnew) {
  ASSERT_TRUE(value_of(store().take("a", lease, {})));
  const std::string before = recorded_log();
  must(migrate_down(url(), outbox(), true));
  EXPECT_EQ(recorded_log(), "");
  must(store().migrate());
  EXPECT_NE(recorded_log(), before);
  EXPECT_TRUE(value_of(store().take("b", lease, {})));
}

TEST_F(OidsOfTheLog, ThatWereLeftBehindByTablesDroppedByHandAreReplacedByTheMigration) {
  must(migrate_down(url(), outbox(), true));
  restore_over_itself();  // The record is what DROP TABLE leaves behind.
  must(store().migrate());
  EXPECT_EQ(recorded_log(), oid_of("makegood_outbox"));
  EXPECT_TRUE(value_of(store().take("a", lease, {})));
}

TEST_F(OidsOfTheLog, OfAnotherOutboxStayWhenOneIsRecordedAndGoWhenTheDatabaseIsAdopted) {
  const auto other = value_of(open_store(url(), schema().in("other_outbox")));
  must(other->migrate());
  const std::string count = "SELECT count(*) FROM " + schema().in("makegood_store") + ", jsonb_object_keys(logs)";
  record("places = NULL");
  ASSERT_TRUE(value_of(other->take("a", lease, {})));
  EXPECT_EQ(app().run(count), "2");
  must(adopt(url(), outbox()));
  EXPECT_EQ(app().run(count), "1");
  EXPECT_TRUE(value_of(other->take("b", lease, "a")));
  EXPECT_EQ(app().run(count), "2");
}

TEST_F(OidsOfTheLog, AreTheSameAfterTheTableWasRewritten) {
  ASSERT_TRUE(value_of(store().take("a", lease, {})));
  app().run("VACUUM FULL " + schema().in("makegood_outbox"));
  app().run("ALTER SEQUENCE " + schema().in("makegood_outbox_number") + " CACHE 1");
  EXPECT_FALSE(is_copy());
}

TEST_F(OidsOfTheLog, OfWhichTheSequenceWasAlteredAreAWarningUntilTheDatabaseIsAdopted) {
  const auto view = value_of(open_outbox_view(url(), outbox()));
  const auto is_told = [&] { return value_of(view->lane()).is_counter_altered; };
  EXPECT_FALSE(is_told()) << "not recorded yet";
  ASSERT_TRUE(value_of(store().take("a", lease, {})));
  app().run("VACUUM FULL " + schema().in("makegood_outbox"));
  EXPECT_FALSE(is_told());
  app().run("ALTER SEQUENCE " + schema().in("makegood_outbox_number") + " CACHE 1");
  EXPECT_TRUE(is_told());
  record("places = NULL");
  ASSERT_TRUE(value_of(store().take("b", lease, "a"))) << "it is no copy";
  EXPECT_TRUE(is_told()) << "whoever takes the lane has not looked";
  must(adopt(url(), outbox()));
  EXPECT_FALSE(is_told());
}

/// The places that are recorded; a process in an environment; another way to the same server.
class Reached : public Incarnation {
 protected:
  std::unique_ptr<OutboxStore> open_in(const std::string& environment) {
    return value_of(open_store(url(), outbox(), {.environment = environment}));
  }
  void take_once(OutboxStore& store) {
    const auto taken = value_of(store.take("a", lease, {}));
    ASSERT_TRUE(taken);
    must_commit(store, {.owner = "a", .after = taken->turn, .position = taken->position});
  }
  static void must_commit(OutboxStore& store, const Turn& turn) { value_of(store.commit(turn)); }
  std::string column(const std::string& what) {
    return app().run("SELECT " + what + " FROM " + schema().in("makegood_store"));
  }
  void record_place(const std::string& host, const std::string& port) {
    record("places = jsonb_build_array(jsonb_build_object('host', '" + host + "', 'port', '" + port +
           "', 'database', current_database(), 'machine', '" + machine_digest() + "'))");
  }
};

TEST_F(Reached, TheFirstOwnerRecordsWhereItFoundTheServer) {
  EXPECT_EQ(column("places"), "");
  take_once(store());
  EXPECT_EQ(column("places -> 0 ->> 'port'"), std::string(PQport(app().handle())));
  EXPECT_EQ(column("places -> 0 ->> 'host'"), std::string(PQhost(app().handle())));
  EXPECT_EQ(column("jsonb_array_length(places)"), "1");
  take_once(store());
  EXPECT_EQ(column("jsonb_array_length(places)"), "1");
  EXPECT_EQ(column("places::text LIKE '%password%'"), "f");
}

TEST_F(Reached, APlaceThatIsSilentDoesNotVouchForAnother) {
  record_place("127.0.0.1", "1");
  const Error error = store().take("a", lease, {}).error();
  EXPECT_EQ(error.code, Errc::store_foreign);
  EXPECT_NE(error.diagnostics.find("127.0.0.1:1/"), std::string::npos) << error.diagnostics;
  EXPECT_TRUE(value_of(examine_origin(url(), outbox(), "")).is_copy);
  must(adopt(url(), outbox()));
  take_once(store());
}

TEST_F(Reached, AnotherWayToTheSameServerIsAddedToThePlaces) {
  take_once(store());
  const std::string folder = app().run("SHOW unix_socket_directories");
  record("places = jsonb_set(places, '{0,host}', to_jsonb('" + folder + "'::text))");
  EXPECT_FALSE(value_of(examine_origin(url(), outbox(), "")).is_copy);
  EXPECT_EQ(column("jsonb_array_length(places)"), "1") << "who only looks records nothing";
  take_once(store());
  EXPECT_EQ(column("jsonb_array_length(places)"), "2");
}

TEST_F(Reached, AnotherDatabaseOfTheServerDoesNotVouchForThisOne) {
  take_once(store());
  record("places = jsonb_set(places, '{0,database}', '\"template1\"')");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign);
}

TEST_F(Reached, PlacesAreNotAskedAgainAtOnce) {
  record_place("127.0.0.1", "1");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign);
  record_place("localhost", PQport(app().handle()));
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign) << "the original has its rest for a while";
  EXPECT_EQ(value_of(examine_origin(url(), outbox(), "")).is_copy, false) << "an operator is answered at once";
}

TEST_F(Reached, UnderTheSameNameEverythingElseMayDiffer) {
  take_once(*open_in("production"));
  EXPECT_EQ(column("environment"), "production");
  record_place("127.0.0.1", "1");
  record("system = system - 1, timeline = timeline + 5, database = database + 1");
  take_once(*open_in("production"));
  EXPECT_EQ(code_of(open_in("staging")->take("a", lease, {})), Errc::store_foreign);
  EXPECT_EQ(code_of(open_in("")->take("a", lease, {})), Errc::store_foreign);
}

TEST_F(Reached, AdoptionForgetsThePlacesAndSaysWhereItBelongs) {
  take_once(*open_in("production"));
  must(adopt(url(), outbox(), "staging"));
  EXPECT_EQ(column("places"), "");
  EXPECT_EQ(code_of(open_in("production")->take("a", lease, {})), Errc::store_foreign);
  take_once(*open_in("staging"));
}

TEST_F(Reached, ARecordOfAnOlderVersionIsCompletedByTheNextOwner) {
  record("places = NULL, environment = NULL, database = NULL");
  take_once(*open_in("production"));
  EXPECT_EQ(column("environment"), "production");
  EXPECT_EQ(column("jsonb_array_length(places)"), "1");
}

}  // namespace
}  // namespace makegood::postgres
