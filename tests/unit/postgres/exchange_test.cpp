// Look and turn are one transaction; what breaks it voids both.
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

class Exchange : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    taken_ = value_of(store().take("a", lease, {})).value();
  }
  Turn turn() const { return {.owner = "a", .after = taken_.turn, .lease = lease}; }
  /// Of the store's own sessions.
  std::string sessions(const std::string& what) {
    return app().run("SELECT " + what + " FROM pg_stat_activity WHERE application_name = 'makegood' AND query LIKE '%" +
                     schema().name() + "%'");
  }
  void kill_sessions() {
    sessions("pg_terminate_backend(pid)");
    ASSERT_TRUE(becomes_true([&] { return sessions("count(*)") == "0"; }));
  }

  Taken taken_;
};

TEST_F(Exchange, ALookFailsOnceAfterTheConnectionWasLost) {  // The server may have forgotten what was not written.
  look(0);
  kill_sessions();
  EXPECT_EQ(code_of(store().look(all_beyond(0))), Errc::store_unavailable);
  // If it was the loss that showed, the new session has to be told of, too.
  EXPECT_TRUE(store().look(all_beyond(0)) || store().look(all_beyond(0)));
}

TEST_F(Exchange, ATurnIsVoidWhenTheConnectionWasLostSinceItsLook) {
  look(0);
  kill_sessions();
  const Errc code = code_of(store().commit(turn()));
  EXPECT_TRUE(code == Errc::fenced || code == Errc::in_doubt);
  EXPECT_EQ(code_of(store().commit(turn())), Errc::fenced) << "not on a new session either";
  EXPECT_TRUE(value_of(store().take("b", lease, "a"))) << "but it can be taken back at once";
}

TEST_F(Exchange, NoticesThatItLostTheConnection) {
  look(0);
  kill_sessions();
  EXPECT_TRUE(store().has_changed());
  EXPECT_FALSE(store().look(all_beyond(0)));
}

TEST_F(Exchange, AnIdleLaneHoldsNoTransaction) {
  look(0);
  EXPECT_EQ(sessions("count(*)"), "1");
  EXPECT_FALSE(store().has_changed());
  EXPECT_EQ(app().run("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'makegood' AND state LIKE "
                      "'idle in transaction%' AND pid IN (SELECT pid FROM pg_locks WHERE relation = '" +
                      outbox() + "'::regclass)"),
            "0");
}

TEST_F(Exchange, ATurnIsSyncedWhateverTheSessionSays) {
  app().run("ALTER ROLE CURRENT_USER SET synchronous_commit = off");
  const auto other = open();
  app().run("ALTER ROLE CURRENT_USER RESET synchronous_commit");
  app().run("CREATE TABLE " + schema().in("seen") + " (value text);" + "CREATE FUNCTION " + schema().in("see") +
            "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + "INSERT INTO " + schema().in("seen") +
            " VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;" +
            "CREATE TRIGGER see AFTER INSERT ON " + outbox() + "_turn FOR EACH ROW EXECUTE FUNCTION " +
            schema().in("see") + "()");
  value_of(other->take("b", lease, "a"));
  value_of(other->look(all_beyond(0)));
  value_of(other->commit({.owner = "b", .after = taken_.turn + 1, .lease = lease}));
  EXPECT_EQ(app().run("SELECT string_agg(value, ',') FROM " + schema().in("seen")), "on,on");
}

TEST_F(Exchange, ATurnThatFailsHalfWayMayBeTriedAgain) {
  app().run("ALTER TABLE " + outbox() + "_parked ADD CONSTRAINT no_moment CHECK (destination <> 'fn:a')");
  Turn parking = turn();
  parking.parked = {a_parked(1, "fn:a").held()};
  look(0);
  EXPECT_EQ(code_of(store().commit(parking)), Errc::conflict);
  app().run("ALTER TABLE " + outbox() + "_parked DROP CONSTRAINT no_moment");
  EXPECT_EQ(value_of(store().commit(parking)).turn, taken_.turn + 1);
  EXPECT_EQ(app().run("SELECT count(*) FROM " + outbox() + "_parked"), "1");
}

TEST_F(Exchange, TheSameRowTwiceInATurnEndsAsTheLastOneSays) {
  Turn parking = turn();
  parking.parked = {a_parked(1, "fn:a").held(), a_parked(1, "fn:a").dead(), a_parked(2, "fn:a").held()};
  value_of(store().commit(parking));
  EXPECT_EQ(app().run("SELECT string_agg(state, ',' ORDER BY sequence) FROM " + outbox() + "_parked"), "dead,held");
}

TEST_F(Exchange, AnErrorTextMayHoldAnyByte) {
  Turn parking = turn();
  parking.parked = {a_parked(1, "fn:a").with_error("TX.X", std::string("a\0b", 3))};
  parking.parked.front().note = AttemptNote{.attempt = 1, .outcome = "retry", .error = std::string("c\0d", 3)};
  value_of(store().commit(parking));
  EXPECT_EQ(app().run("SELECT last_error || (story -> 0 ->> 'error') FROM " + outbox() + "_parked"), "abcd");
}

TEST_F(Exchange,
       ACommitWithAWarningIsInDoubt) {  // As when the wait for the standby was cancelled: the row is there, and may go.
  app().run("CREATE FUNCTION " + schema().in("warn") +
            "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'cancelled'; RETURN NULL; END $$;" +
            "CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON " + outbox() +
            "_turn INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION " + schema().in("warn") + "()");
  look(0);
  EXPECT_EQ(code_of(store().commit(turn())), Errc::in_doubt);
}

TEST_F(Exchange, ACommitThatFailsIsNot) {
  app().run("CREATE FUNCTION " + schema().in("refuse") +
            "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$;" +
            "CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON " + outbox() +
            "_turn INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION " + schema().in("refuse") + "()");
  look(0);
  EXPECT_EQ(code_of(store().commit(turn())), Errc::store_unavailable);
  app().run("DROP TRIGGER refuse ON " + outbox() + "_turn");
  EXPECT_TRUE(store().commit(turn())) << "nothing was written, so the same turn may be tried again";
}

TEST_F(Exchange, ATakerNamesWhoKeepsItWaiting) {
  app().run("BEGIN; INSERT INTO " + outbox() +
            "_turn SELECT lane, turn + 1, owner, at, lease_until, reached, settled, position " + "FROM " + outbox() +
            "_turn");
  const auto taken = store().take("b", lease, "a");
  EXPECT_EQ(code_of(taken), Errc::store_unavailable);
  EXPECT_NE(taken.error().diagnostics.find("process " + std::to_string(PQbackendPID(app().handle()))),
            std::string::npos)
      << taken.error().diagnostics;
}

TEST_F(Exchange, AFrozenOwnersSessionIsEndedByTheServer) {
  const auto other = open();
  value_of(other->take("b", 2s, "a"));
  value_of(other->look(all_beyond(0)));
  const auto idle = [&] {
    return app().run(
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND pid IN "
        "(SELECT pid FROM pg_locks WHERE relation = '" +
        outbox() + "'::regclass)");
  };
  EXPECT_EQ(idle(), "1");
  EXPECT_TRUE(becomes_true([&] { return idle() == "0"; })) << "after half a lease";
}

}  // namespace
}  // namespace makegood::postgres
