// When the disk is full in a plain statement, SQLite rolls the whole transaction back by itself, and the next statement
// would then stand alone. A statement on a table with triggers, as the log is one, is rolled back alone.
#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {
namespace {

NewMessage large() { return {.topic = "t", .body = std::string(100'000, 'x')}; }

}  // namespace

class FullDisk : public SqliteTest {
 protected:
  FullDisk() { app().run("CREATE TABLE business (id INTEGER, filler BLOB)"); }
  void fill(Application& application) {
    application.run("PRAGMA max_page_count = " + application.ask("PRAGMA page_count"));
  }
  void make_room(Application& application) { application.run("PRAGMA max_page_count = 1000000"); }
  std::string counts() {
    return app().ask("SELECT (SELECT count(*) FROM business), (SELECT count(*) FROM makegood_outbox)");
  }
};

TEST_F(FullDisk, InTheBusinessStatementLeavesNoMessageAlone) {
  auto enqueuer = value_of(Enqueuer::open(app().db()));
  fill(app());
  app().run("BEGIN; INSERT INTO business VALUES (1, NULL)");
  EXPECT_NE(app().attempt("INSERT INTO business VALUES (2, zeroblob(100000))"), "");
  EXPECT_EQ(enqueuer.enqueue({.topic = "t", .payload = "{}"}).error().code, Errc::not_in_transaction);
  EXPECT_EQ(counts(), "0|0");
}

TEST_F(FullDisk, InTheEnqueueLeavesTheTransactionToItsOwner) {
  auto enqueuer = value_of(Enqueuer::open(app().db()));
  fill(app());
  app().run("BEGIN; INSERT INTO business VALUES (1, NULL)");
  EXPECT_EQ(enqueuer.enqueue(large()).error().code, Errc::store_full);
  app().run("ROLLBACK");
  EXPECT_EQ(counts(), "0|0");
  EXPECT_EQ(enqueuer.enqueue({.topic = "t", .payload = "{}"}).error().code, Errc::not_in_transaction);
}

TEST_F(FullDisk, IsForgottenWhenThereIsRoomAgain) {
  auto enqueuer = value_of(Enqueuer::open(app().db()));
  fill(app());
  app().run("BEGIN; INSERT INTO business VALUES (1, NULL)");
  EXPECT_EQ(enqueuer.enqueue(large()).error().code, Errc::store_full);
  app().run("ROLLBACK");
  make_room(app());
  app().run("BEGIN; INSERT INTO business VALUES (1, NULL)");
  EXPECT_TRUE(enqueuer.enqueue(large()));
  app().run("COMMIT");
  EXPECT_EQ(counts(), "1|1");
}

}  // namespace makegood::sqlite
