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
  EXPECT_FALSE(value_of(is_copy(url(), outbox())));
}

TEST_F(Incarnation, ARestoredCopySendsNothingUntilItIsAdopted) {
  record("system = system - 1");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign);
  EXPECT_TRUE(value_of(is_copy(url(), outbox())));
  must(adopt(url(), outbox()));
  EXPECT_TRUE(value_of(store().take("a", lease, {})));
}

TEST_F(Incarnation, APromotedStandbyGoesOn) {
  record("timeline = timeline - 1");
  const auto taken = value_of(store().take("a", lease, {}));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->incarnation, recorded()) << "and its timeline is recorded";
}

TEST_F(Incarnation, AnotherDatabaseOfTheSameServerIsACopy) {
  record("database = database - 1");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign);
  EXPECT_TRUE(value_of(is_copy(url(), outbox())));
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
  EXPECT_FALSE(value_of(is_copy(url(), outbox())));
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

}  // namespace
}  // namespace makegood::postgres
