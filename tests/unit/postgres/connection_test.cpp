#include "stores/postgres/connection.hpp"

#include <libpq-fe.h>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/migration_list.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

constexpr std::int64_t newest = migrations.back().number;

class PostgresConnection : public PostgresTest {
 protected:
  Connection connect() const { return value_of(Connection::open(url(), value_of(Identifier::from(outbox())))); }
};

TEST_F(PostgresConnection, ParsesEachTimeWhereNothingStaysPrepared) {  // As behind a pooler that hands sessions around.
  Connection connection = connect();
  EXPECT_EQ(value_of(connection.number(sql::migration_number)), newest);
  must(connection.run_script("DEALLOCATE ALL"));
  EXPECT_EQ(value_of(connection.number(sql::migration_number)), newest);
  EXPECT_FALSE(connection.session().may_prepare());
}

TEST_F(PostgresConnection, PreparesAStatementOnceHoweverOftenItIsInABatch) {
  Connection connection = connect();
  Pipeline pipeline(connection);
  for (int count = 0; count < 3; ++count) pipeline.add(sql::migration_number);
  EXPECT_EQ(value_of(pipeline.run()).size(), 3U);
  EXPECT_EQ(value_of(pipeline.run()).size(), 3U);
}

TEST_F(PostgresConnection, NothingHappensAfterTheFirstError) {
  Connection connection = connect();
  Pipeline pipeline(connection);
  pipeline.add(verb::begin_write);
  pipeline.add(sql::read_number, "no number");
  pipeline.add(verb::commit);
  EXPECT_FALSE(pipeline.run());
  EXPECT_EQ(connection.last_failed_step(), 1U);
  EXPECT_TRUE(connection.is_in_transaction());
  must(connection.execute(verb::rollback));
}

TEST_F(PostgresConnection, ABatchMayBeLargerThanAllBuffers) {  // Or both sides would wait for each other to read.
  Connection connection = connect();
  const std::string large(4'000'000, 'x');
  const NewMessage message = a_message("m1").with_body(std::string(200'000, 'y'));
  value_of(store().enqueue({&message, 1}));
  Pipeline pipeline(connection);
  for (int count = 0; count < 20; ++count) {
    pipeline.add(sql::read_number, 1);
    pipeline.add(sql::has_table, large);
  }
  EXPECT_EQ(value_of(pipeline.run()).size(), 40U);
}

TEST_F(PostgresConnection, ReplacesASessionThatTheServerHasEndedBeforeItIsUsed) {
  const std::string far_url = url_with_name();
  const auto view = value_of(open_outbox_view(far_url, outbox()));
  const auto operators = value_of(open_outbox_view(far_url, outbox()));
  const auto other = value_of(open_store(far_url, outbox()));
  app().run("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = '" +
            schema().name() + "'");
  EXPECT_TRUE(view->list_requests({}, 10));
  EXPECT_TRUE(operators->list_dead({}, {}, 10));
  const NewMessage message = a_message("m1");
  EXPECT_TRUE(other->enqueue({&message, 1}));
}

TEST_F(PostgresConnection, GivesUpAServerThatDoesNotAnswer) {
  Connection connection = connect();
  app().run("BEGIN; LOCK TABLE " + outbox() + " IN ACCESS EXCLUSIVE MODE");
  connection.wait_at_most(50ms);
  EXPECT_EQ(code_of(connection.query(sql::read_number, 1)), Errc::store_unavailable);
  EXPECT_TRUE(connection.is_lost());
  app().run("ROLLBACK");
  must(connection.reconnect_if_lost());
  EXPECT_EQ(connection.session_number(), 2U);
  EXPECT_TRUE(connection.query(sql::read_number, 1));
}

TEST_F(PostgresConnection, WhatWasBegunInAdvanceIsAnsweredWhenItIsRun) {
  Connection connection = connect();
  const std::vector<Step> now = {{sql::migration_number, Parameters()}};
  const std::vector<Step> next = {{verb::begin_write, Parameters()}, {sql::has_table, Parameters("nothing")}};
  EXPECT_EQ(value_of(connection.run(now, next)).size(), 1U);
  EXPECT_FALSE(connection.is_in_transaction()) << "nobody has run it yet";
  EXPECT_EQ(value_of(connection.run(next)).size(), 2U);
  EXPECT_TRUE(connection.is_in_transaction());
  EXPECT_EQ(value_of(connection.number(sql::migration_number)), newest)
      << "the next answer belongs to the next question";
}

TEST_F(PostgresConnection, WhatWasBegunInAdvanceIsUndoneWhenSomethingElseIsRun) {
  Connection connection = connect();
  const std::vector<Step> now = {{sql::migration_number, Parameters()}};
  const std::vector<Step> next = {{verb::begin_write, Parameters()}, {sql::has_table, Parameters("nothing")}};
  value_of(connection.run(now, next));
  EXPECT_EQ(value_of(connection.number(sql::has_table, "nothing")), 0);
  EXPECT_FALSE(connection.is_in_transaction());
  value_of(connection.run(now, next));
  must(connection.run_script("SELECT 1"));
  EXPECT_FALSE(connection.is_in_transaction());
}

TEST_F(PostgresConnection, WhatWasBegunInAdvanceIsLostWithItsSession) {
  Connection connection = connect();
  const std::vector<Step> now = {{sql::migration_number, Parameters()}};
  value_of(connection.run(now, now));
  app().run("SELECT pg_terminate_backend(" + std::to_string(PQbackendPID(connection.session().handle())) + ")");
  (void)connection.run(now);  // It may have been answered before.
  EXPECT_FALSE(connection.run(now));
  must(connection.reconnect_if_lost());
  EXPECT_TRUE(connection.run(now));
}

TEST_F(PostgresConnection, IsNotPooledWhenItIsDirect) { EXPECT_FALSE(connect().is_pooled()); }

TEST(PostgresUrl, OfAServerThatIsNotThereIsAnError) {
  EXPECT_EQ(code_of(open_store("postgresql://127.0.0.1:1/none", "outbox")), Errc::store_unavailable);
}

}  // namespace
}  // namespace makegood::postgres
