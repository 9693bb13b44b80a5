// Enqueue on the caller's own connection: a message that is missing must not go unnoticed.
#include "makegood/schema.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

class Enqueue : public PostgresTest {
 protected:
  EnqueueOptions options() const { return {.outbox = outbox()}; }
  Result<Enqueued> try_enqueue(const NewMessage& message) {
    return postgres::enqueue(app().handle(), message, options());
  }
  Names log() { return names(look(0).rows); }
};

TEST_F(Enqueue, CommitsWithTheCallersTransaction) {
  app().run("BEGIN");
  EXPECT_EQ(value_of(try_enqueue(a_message("m1"))).sequence, 1);
  EXPECT_TRUE(log().empty());
  must(postgres::commit(app().handle()));
  EXPECT_EQ(log(), Names({"m1"}));
}

TEST_F(Enqueue, AsksTheProgramForTheTraceOfAMessageThatNamesNone) {
  EnqueueOptions traced = options();
  traced.trace_source = [] { return TraceContext{.traceparent = "00-1", .tracestate = "a=b"}; };
  app().run("BEGIN");
  value_of(postgres::enqueue(app().handle(), a_message("m1"), traced));
  NewMessage own = a_message("m2");
  own.traceparent = "own";
  value_of(postgres::enqueue(app().handle(), own, traced));
  must(postgres::commit(app().handle()));
  const auto found = look(0);
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0]->traceparent, "00-1");
  EXPECT_EQ(found.rows[0]->tracestate, "a=b");
  EXPECT_EQ(found.rows[1]->traceparent, "own");
}

TEST_F(Enqueue, RefusesToStandAlone) {
  EXPECT_EQ(code_of(try_enqueue(a_message("m1"))), Errc::not_in_transaction);
  EXPECT_TRUE(log().empty());
}

TEST_F(Enqueue, StandsAloneWhenAllowed) {
  EnqueueOptions alone = options();
  alone.may_autocommit = true;
  value_of(postgres::enqueue(app().handle(), a_message("m1"), alone));
  EXPECT_EQ(log(), Names({"m1"}));
}

TEST_F(Enqueue, RefusesATransactionThatHasFailed) {
  app().run("BEGIN");
  ASSERT_EQ(app().state_of("SELECT 1 / 0"), "22012");
  const auto enqueued = try_enqueue(a_message("m1"));
  EXPECT_EQ(code_of(enqueued), Errc::not_in_transaction);
  EXPECT_NE(enqueued.error().message.find("failed already"), std::string::npos);
}

TEST_F(Enqueue, TellsWhenACommitWasARollback) {  // PostgreSQL does not call it an error.
  app().run("BEGIN");
  value_of(try_enqueue(a_message("m1")));
  ASSERT_EQ(app().state_of("SELECT 1 / 0"), "22012");
  EXPECT_EQ(code_of(postgres::commit(app().handle())), Errc::not_in_transaction);
  EXPECT_TRUE(log().empty());
}

TEST_F(Enqueue, AnErrorOfOursDoomsTheTransactionToo) {
  app().run("BEGIN");
  value_of(try_enqueue(a_message("m1")));
  EXPECT_EQ(code_of(try_enqueue(a_message("m2").with_topic(""))), Errc::invalid);
  EXPECT_EQ(code_of(postgres::commit(app().handle())), Errc::not_in_transaction);
  EXPECT_TRUE(log().empty());
}

TEST_F(Enqueue, ANameThatIsNoneDoomsItToo) {
  app().run("BEGIN");
  value_of(try_enqueue(a_message("m1")));
  EXPECT_EQ(code_of(postgres::enqueue(app().handle(), a_message("m2"), {.outbox = "not..a name"})), Errc::invalid);
  EXPECT_EQ(code_of(postgres::commit(app().handle())), Errc::not_in_transaction);
  EXPECT_TRUE(log().empty());
}

TEST_F(Enqueue, TellsThatThereWasNothingToCommit) {  // PostgreSQL says COMMIT, and warns.
  EXPECT_EQ(code_of(postgres::commit(app().handle())), Errc::not_in_transaction);
}

TEST_F(Enqueue, ACommitPassesWarningsOnAndSucceeds) {
  std::string heard;
  PQsetNoticeProcessor(
      app().handle(), [](void* text, const char* words) { *static_cast<std::string*>(text) += words; }, &heard);
  app().run("CREATE FUNCTION " + schema().in("warn") +
            "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'look out'; RETURN NULL; END $$;" +
            "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON " + outbox() +
            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION " + schema().in("warn") + "()");
  app().run("BEGIN");
  value_of(try_enqueue(a_message("m1")));
  must(postgres::commit(app().handle()));
  EXPECT_NE(heard.find("look out"), std::string::npos);
  app().run("DO $$ BEGIN RAISE WARNING 'afterwards'; END $$");
  EXPECT_NE(heard.find("afterwards"), std::string::npos);
}

TEST_F(Enqueue, ASavepointSavesTheRest) {
  app().run("BEGIN");
  value_of(try_enqueue(a_message("m1")));
  app().run("SAVEPOINT s");
  EXPECT_EQ(code_of(try_enqueue(a_message("m1").with_payload("2"))), Errc::conflict);
  app().run("ROLLBACK TO s");
  must(postgres::commit(app().handle()));
  EXPECT_EQ(log(), Names({"m1"}));
}

TEST_F(Enqueue, RefusesWhatIsNotJson) {
  app().run("BEGIN");
  EXPECT_EQ(code_of(try_enqueue(a_message("m1").with_payload("{not json"))), Errc::invalid);
}

TEST_F(Enqueue, RefusesAConnectionInPipelineMode) {
  app().run("BEGIN");
  ASSERT_EQ(PQenterPipelineMode(app().handle()), 1);
  EXPECT_EQ(code_of(try_enqueue(a_message("m1"))), Errc::invalid);
}

TEST_F(Enqueue, TellsThatTheConnectionIsGone) {
  app().run("BEGIN");
  value_of(try_enqueue(a_message("m1")));
  PostgresClient(url()).run("SELECT pg_terminate_backend(" + std::to_string(PQbackendPID(app().handle())) + ")");
  EXPECT_EQ(code_of(try_enqueue(a_message("m2"))), Errc::store_unavailable);
  EXPECT_TRUE(log().empty());
}

TEST_F(Enqueue, ALostCommitIsInDoubt) {
  app().run("BEGIN");
  value_of(try_enqueue(a_message("m1")));
  PostgresClient(url()).run("SELECT pg_terminate_backend(" + std::to_string(PQbackendPID(app().handle())) + ")");
  EXPECT_EQ(code_of(postgres::commit(app().handle())), Errc::in_doubt);
}

TEST_F(Enqueue, AnEnqueuerKeepsItsStatementsAndTakesManyAtOnce) {
  Enqueuer enqueuer = value_of(Enqueuer::open(app().handle(), options()));
  app().run("BEGIN");
  value_of(enqueuer.enqueue(a_message("m1")));
  std::vector<NewMessage> many;
  for (int number = 2; number <= 2500; ++number) many.push_back(a_message("m" + std::to_string(number)));
  const auto enqueued = value_of(enqueuer.enqueue(many));
  EXPECT_EQ(enqueued.back().sequence, 2500);
  must(postgres::commit(app().handle()));
  EXPECT_EQ(app().run("SELECT count(*) FROM pg_prepared_statements"), "2");
  EXPECT_EQ(log().size(), 2500U);
}

TEST_F(Enqueue, AnEnqueuerLeavesNothingBehind) {
  {
    Enqueuer enqueuer = value_of(Enqueuer::open(app().handle(), options()));
    app().run("BEGIN");
    value_of(enqueuer.enqueue(a_message("m1")));
    app().run("COMMIT");
  }
  EXPECT_EQ(app().run("SELECT count(*) FROM pg_prepared_statements"), "0");
}

TEST_F(Enqueue, NumbersOfAKeyComeInTheOrderOfCommitsWhenAskedFor) {
  EnqueueOptions ordered = options();
  ordered.is_ordered = true;
  app().run("BEGIN");
  value_of(postgres::enqueue(app().handle(), a_message("first").with_key("k"), ordered));
  PostgresClient other(url());
  std::jthread second([&] {
    other.run("BEGIN");
    value_of(postgres::enqueue(other.handle(), a_message("second").with_key("k"), ordered));
    other.run("COMMIT");
  });
  PostgresClient watcher(url());
  ASSERT_TRUE(becomes_true([&] {
    return watcher.run("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND pid = " +
                       std::to_string(PQbackendPID(other.handle()))) == "1";
  }));
  value_of(postgres::enqueue(app().handle(), a_message("first too").with_key("k"), ordered));
  app().run("COMMIT");
  second.join();
  EXPECT_EQ(log(), Names({"first", "first too", "second"}));
}

}  // namespace
}  // namespace makegood::postgres
