// What was committed is read, late or not; what was rolled back is never, and does not stay open for ever.
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

class Exactness : public PostgresTest {
 protected:
  /// Looks again and again at the same; true when nothing is open in the end.
  bool closes(Sequence reached, const NumberSet& numbers) {
    return becomes_true([&] { return look(reached, numbers).open.empty(); });
  }
  /// Long enough for the witnesses to be asked several times.
  bool stays_open(Sequence reached, const NumberSet& numbers) {
    const auto until = std::chrono::steady_clock::now() + 500ms;
    while (std::chrono::steady_clock::now() < until) {
      if (look(reached, numbers).open != numbers) return false;
    }
    return true;
  }
};

TEST_F(Exactness, ANumberStaysOpenAsLongAsItsTransaction) {
  PostgresClient slow(url());
  slow.run("BEGIN");
  const Sequence late = insert(slow, "late");
  const Sequence reached = insert("early");
  EXPECT_TRUE(stays_open(reached, {late}));
  slow.run("COMMIT");
  EXPECT_EQ(names(look(reached, {late}).rows), Names({"late"}));
}

TEST_F(Exactness, ARolledBackNumberIsClosedWhileOthersGoOn) {
  PostgresClient slow(url());
  slow.run("BEGIN");
  const Sequence never = insert(slow, "never");
  const Sequence reached = insert("early");
  EXPECT_TRUE(stays_open(reached, {never}));
  PostgresClient later(url());
  later.run("BEGIN");
  insert(later, "begun when the witnesses were known already");
  slow.run("ROLLBACK");
  EXPECT_TRUE(closes(reached, {never}));
}

TEST_F(Exactness, ASavepointThatIsRolledBackStaysOpenWithItsTransaction) {  // The lock is the whole transaction's.
  app().run("BEGIN; SAVEPOINT s");
  const Sequence never = insert("never");
  app().run("ROLLBACK TO s");
  const Sequence kept = insert("kept");
  PostgresClient other(url());
  const Sequence reached = insert(other, "early");
  EXPECT_TRUE(stays_open(reached, {never, kept}));
  app().run("COMMIT");
  EXPECT_EQ(names(look(reached, {never, kept}).rows), Names({"kept"}));
  EXPECT_TRUE(closes(reached, {never}));
}

TEST_F(Exactness, PreparedBeforeTheNumberWasMissed) {
  app().run("BEGIN");
  const Sequence late = insert("late");
  app().run("PREPARE TRANSACTION 'before_" + schema().name() + "'");
  const Sequence reached = insert("early");
  EXPECT_TRUE(stays_open(reached, {late}));
  app().run("COMMIT PREPARED 'before_" + schema().name() + "'");
  EXPECT_EQ(names(look(reached, {late}).rows), Names({"late"}));
}

TEST_F(Exactness, PreparedAfterTheWitnessesWereNoted) {  // Its name is another from then on.
  PostgresClient slow(url());
  slow.run("BEGIN");
  const Sequence late = insert(slow, "late");
  const Sequence reached = insert("early");
  EXPECT_TRUE(stays_open(reached, {late}));
  slow.run("PREPARE TRANSACTION 'after_" + schema().name() + "'");
  EXPECT_TRUE(stays_open(reached, {late}));
  slow.run("COMMIT PREPARED 'after_" + schema().name() + "'");
  EXPECT_EQ(names(look(reached, {late}).rows), Names({"late"}));
}

TEST_F(Exactness, ARolledBackPreparedTransactionClosesItsNumber) {
  app().run("BEGIN");
  const Sequence never = insert("never");
  app().run("PREPARE TRANSACTION 'never_" + schema().name() + "'");
  const Sequence reached = insert("early");
  EXPECT_TRUE(stays_open(reached, {never}));
  app().run("ROLLBACK PREPARED 'never_" + schema().name() + "'");
  EXPECT_TRUE(closes(reached, {never}));
}

TEST_F(Exactness, AForgottenPreparedTransactionKeepsNoLaterNumbersOpen) {
  app().run("BEGIN");
  const Sequence forgotten = insert("forgotten");
  app().run("PREPARE TRANSACTION 'forgotten_" + schema().name() + "'");
  const Sequence first = insert("early");
  EXPECT_TRUE(stays_open(first, {forgotten}));
  app().run("BEGIN");
  const Sequence never = insert("never");
  app().run("ROLLBACK");
  const Sequence reached = insert("next");
  EXPECT_TRUE(becomes_true([&] { return look(reached, {forgotten, never}).open == NumberSet({forgotten}); }));
  app().run("ROLLBACK PREPARED 'forgotten_" + schema().name() + "'");
}

TEST_F(Exactness, ATransactionThatIsLeftOpenKeepsNoLaterNumbersOpen) {  // Nor does one whose application went to lunch.
  PostgresClient idle(url());
  idle.run("BEGIN");
  const Sequence forgotten = insert(idle, "forgotten");
  const Sequence first = insert("early");
  EXPECT_TRUE(stays_open(first, {forgotten}));
  app().run("BEGIN");
  const Sequence never = insert("never");
  app().run("ROLLBACK");
  const Sequence reached = insert("next");
  EXPECT_TRUE(becomes_true([&] { return look(reached, {forgotten, never}).open == NumberSet({forgotten}); }));
  idle.run("COMMIT");
  EXPECT_EQ(names(look(reached, {forgotten}).rows), Names({"forgotten"}));
}

TEST_F(Exactness, ATransactionThatGoesOnMayHaveDrawnWhatIsMissing) {
  PostgresClient slow(url());
  slow.run("BEGIN");
  const Sequence first = insert(slow, "first");
  Sequence reached = insert("early");
  EXPECT_TRUE(stays_open(reached, {first}));
  const Sequence second = insert(slow, "second");
  reached = insert("next");
  EXPECT_TRUE(stays_open(reached, {first, second}));
  slow.run("COMMIT");
  EXPECT_EQ(names(look(reached, {first, second}).rows), Names({"first", "second"}));
}

TEST_F(Exactness, ATriggerMaySleepBetweenNumberAndRow) {
  app().run("CREATE FUNCTION " + schema().in("slow") +
            "() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.7); RETURN NEW; END';"
            "CREATE TRIGGER slow BEFORE INSERT ON " +
            outbox() + " FOR EACH ROW WHEN (NEW.topic = 'orders.placed')" + "EXECUTE FUNCTION " + schema().in("slow") +
            "()");
  std::jthread sleeper([this] { insert(PostgresClient(url()), "late"); });
  ASSERT_TRUE(becomes_true([&] { return look(0).counter == 1; }));
  app().run("INSERT INTO " + outbox() + " (topic, payload) VALUES ('quick', '\"early\"')");
  const Found before = look(0);
  EXPECT_EQ(names(before.rows), Names({"early"}));
  EXPECT_EQ(before.open, NumberSet({1}));
  Found found = before;
  while (found.rows.size() == 1 && !found.open.empty()) found = look(0);  // The whole time, past every question.
  EXPECT_EQ(names(found.rows), Names({"late", "early"}));
}

TEST_F(Exactness, AMillionNumbersThatWereRolledBackAreOneRange) {
  app().run("BEGIN; SELECT nextval('" + outbox() + "_number') FROM generate_series(1, 1000000)");
  PostgresClient other(url());
  const Sequence last = insert(other, "after");
  ASSERT_GT(last, 1'000'000);
  const Found found = look(0);
  EXPECT_EQ(names(found.rows), Names({"after"}));
  EXPECT_EQ(found.open.count(), 1'000'000U);
  EXPECT_EQ(look(last, found.open).open.count(), 1'000'000U);
  app().run("ROLLBACK");
  EXPECT_TRUE(becomes_true([&] { return look(last, found.open).open.empty(); }));
}

TEST_F(Exactness, ReadsEveryRowOfACopy) {
  PGconn* const connection = app().handle();
  PQclear(PQexec(connection, ("COPY " + outbox() + " (topic, payload) FROM STDIN").c_str()));
  for (int number = 1; number <= 1500; ++number) {
    const std::string row = "orders.placed\t\"m" + std::to_string(number) + "\"\n";
    ASSERT_EQ(PQputCopyData(connection, row.data(), static_cast<int>(row.size())), 1);
  }
  ASSERT_EQ(PQputCopyEnd(connection, nullptr), 1);
  while (PGresult* const result = PQgetResult(connection)) PQclear(result);
  const Found found = look(0);
  EXPECT_EQ(found.rows.size(), 1500U);
  EXPECT_EQ(name_of(*found.rows.back()), "m1500");
}

TEST_F(Exactness, ANumberThatIsGivenIsRefused) {
  EXPECT_EQ(app().state_of("INSERT INTO " + outbox() + " (sequence, topic, payload) VALUES (99, 't', '1')"), "428C9");
}

TEST_F(Exactness, ALookRefusesARowAboveTheCounter) {  // COPY and OVERRIDING write numbers of their own.
  insert("m1");
  app().run("INSERT INTO " + outbox() +
            " (sequence, topic, payload) OVERRIDING SYSTEM VALUE VALUES (9000000000000000000, 't', '1')");
  EXPECT_EQ(value_of(store().look(all_beyond(0))).trouble, LogTrouble::foreign_number);
  app().run("DELETE FROM " + outbox() + " WHERE sequence = 9000000000000000000");
  EXPECT_EQ(look(0).rows.size(), 1U);
}

TEST_F(Exactness, RowsAreImmutable) {
  insert("m1");
  EXPECT_EQ(app().state_of("UPDATE " + outbox() + " SET topic = 'other'"), "MG001");
}

TEST_F(Exactness, TheLogCannotBeTruncated) {
  EXPECT_EQ(app().state_of("TRUNCATE " + outbox()), "MG003");
  EXPECT_EQ(app().state_of("TRUNCATE " + outbox() + " RESTART IDENTITY CASCADE"), "MG003");
}

TEST_F(Exactness, WhatMayBeDeletedDoesNotDependOnWhoAsks) {
  insert("m1");
  EXPECT_EQ(app().state_of("DELETE FROM " + outbox()), "MG002");
  // Tables and operators of one's own, in the places where names are looked up first.
  app().run(
      "CREATE TEMP TABLE makegood_outbox_turn (lane int, turn bigint, settled bigint); "
      "INSERT INTO makegood_outbox_turn VALUES (0, 1, 999)");
  app().run("SET search_path = pg_temp, " + schema().name());
  EXPECT_EQ(app().state_of("DELETE FROM " + outbox()), "MG002");
  EXPECT_EQ(look(0).rows.size(), 1U);
}

TEST_F(Exactness, LargeContentsAreReadOneByOneWithinTheBytes) {
  const std::string large(100'000, 'x');
  for (const char* name : {"m1", "m2", "m3"}) {
    const NewMessage message = a_message(name).with_body(large);
    value_of(store().enqueue({&message, 1}));
  }
  LookFor wanted = all_beyond(0);
  wanted.bytes_max = 250'000;
  const Found found = value_of(store().look(wanted));
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[1]->content, large);
  EXPECT_TRUE(found.is_more);
}

TEST_F(Exactness, NothingIsReadWhereTheSequenceDoesNotDrawOneNumberAfterTheOther) {  // CACHE 20: 22 of 40.
  const std::string alter = "ALTER SEQUENCE " + outbox() + "_number ";
  EXPECT_EQ(look(0).trouble, LogTrouble::none);
  for (const char* change : {"CACHE 20", "INCREMENT BY 2", "CYCLE"}) {
    app().run(alter + change);
    insert("never read");
    const Found found = look(0);
    EXPECT_EQ(found.trouble, LogTrouble::sequence_changed) << change;
    EXPECT_TRUE(found.rows.empty()) << change;
    app().run(alter + "INCREMENT 1 CACHE 1 NO CYCLE");
    EXPECT_EQ(look(0).trouble, LogTrouble::none) << change;
  }
}

}  // namespace
}  // namespace makegood::postgres
