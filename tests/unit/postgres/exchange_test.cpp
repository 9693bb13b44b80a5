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
            " VALUES (current_setting('synchronous_commit') || ' ' || "
            "current_setting('idle_in_transaction_session_timeout')); RETURN NEW; END $$;" +
            "CREATE TRIGGER see AFTER INSERT ON " + outbox() + "_turn FOR EACH ROW EXECUTE FUNCTION " +
            schema().in("see") + "()");
  value_of(other->take("b", lease, "a"));
  value_of(other->look(all_beyond(0)));
  other->has_changed();  // That look was rolled back, and its settings with it.
  for (TurnNumber after = taken_.turn + 1; after <= taken_.turn + 2; ++after) {
    value_of(other->look(all_beyond(0)));
    value_of(other->commit({.owner = "b", .after = after, .lease = lease}));
  }
  EXPECT_EQ(app().run("SELECT string_agg(value, ',') FROM " + schema().in("seen")), "on 0,on 5s,on 5s");
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

class ReadingAhead : public Exchange {
 protected:
  void SetUp() override {
    Exchange::SetUp();
    if (IsSkipped()) return;
    for (int number = 1; number <= 20; ++number) insert("m" + std::to_string(number));
    look_on();
    process_ = sessions("pid");
    for (int turns = 0; turns < 3; ++turns) take_turn();
  }
  Result<Found> try_look_on() {
    LookFor wanted = all_beyond(reached_);
    wanted.rows_max = 2;
    return store().look(wanted);
  }
  Found look_on() { return value_of(try_look_on()); }
  Result<Committed> commit(const Found& found) {
    Turn next = turn();
    next.after = last_;
    next.position.reached = found.looked_to;
    return store().commit(next);
  }
  void take_turn() {
    const Found found = look_on();
    last_ = value_of(commit(found)).turn;
    reached_ = found.looked_to;
  }
  std::string state() { return app().run("SELECT state FROM pg_stat_activity WHERE pid = " + process_); }
  /// Whether the server is already in the transaction of a look that nobody has asked for.
  bool has_begun() {
    return becomes_true([&] { return state() == "idle in transaction"; });
  }

  std::string process_;  ///< Of the server, for the store.
  Sequence reached_ = 0;
  TurnNumber last_ = 1;
};

TEST_F(ReadingAhead, BeginsWithTheTurn) {
  EXPECT_TRUE(has_begun());
  insert("late");
  EXPECT_EQ(names(look_on().rows), Names({"m7", "m8"}));
  EXPECT_EQ(look_on().rows.size(), 2U) << "the same again, and not from what was read before";
}

TEST_F(ReadingAhead, ReadsEachRowOnceInItsOrder) {
  Names all;
  for (Found found = look_on(); !found.rows.empty(); found = look_on()) {
    for (const std::string& name : names(found.rows)) all.push_back(name);
    last_ = value_of(commit(found)).turn;
    reached_ = found.looked_to;
  }
  Names expected;
  for (int number = 7; number <= 20; ++number) expected.push_back("m" + std::to_string(number));
  EXPECT_EQ(all, expected);
}

TEST_F(ReadingAhead, EndsWhenThereIsAQuestionInBetween) {
  EXPECT_TRUE(has_begun());
  EXPECT_FALSE(store().has_changed()) << "there is more, but nothing new";
  EXPECT_EQ(state(), "idle");
  EXPECT_EQ(names(look_on().rows), Names({"m7", "m8"}));
}

TEST_F(ReadingAhead, IsForgottenWithAFencedTurn) {
  const Found found = look_on();
  value_of(open()->take("b", lease, "a"));
  EXPECT_EQ(code_of(commit(found)), Errc::fenced);
  EXPECT_EQ(state(), "idle");
  EXPECT_EQ(names(look_on().rows), Names({"m7", "m8"}));
}

TEST_F(ReadingAhead, IsVoidWhenTheConnectionIsLost) {
  EXPECT_TRUE(has_begun());
  kill_sessions();
  const auto answered = try_look_on();
  EXPECT_FALSE(answered && commit(*answered)) << "it may have been answered before, but its transaction is gone";
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
