// What only a file can do wrong: not be there, be somebody else's, be locked.
#include <filesystem>
#include <fstream>

#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {
namespace {

bool is_folder_empty(const testing_support::TemporaryFolder& folder) {
  return std::filesystem::is_empty(folder.path());
}

}  // namespace

TEST(OpeningToRead, CreatesNoFile) {
  const testing_support::TemporaryFolder folder;
  const std::string typo = folder.file("typo.db");
  for (const Error& error : {open_outbox_view(typo, "makegood_outbox").error(), adopt(typo).error(),
                             migrate_down(typo, "makegood_outbox", true).error()}) {
    EXPECT_EQ(error.code, Errc::not_found);
    EXPECT_NE(error.message.find(typo), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("makegood migrate"), std::string::npos) << error.message;
  }
  EXPECT_TRUE(is_folder_empty(folder));
}

TEST(OpeningToRead, LeavesAnotherDatabaseAsItIs) {
  const testing_support::TemporaryFolder folder;
  const std::string file = folder.file("shop.db");
  Application(file).run("CREATE TABLE orders (id INTEGER)");
  const Error error = open_outbox_view(file, "makegood_outbox").error();
  EXPECT_EQ(error.code, Errc::schema_mismatch);
  EXPECT_NE(error.message.find("makegood migrate"), std::string::npos) << error.message;
  EXPECT_EQ(Application(file).ask("PRAGMA journal_mode"), "delete");
}

TEST(OpeningToRead, SaysThatAnEmptyFileHasNoTables) {
  const testing_support::TemporaryFolder folder;
  const std::string file = folder.file("empty.db");
  std::ofstream(file).close();
  EXPECT_EQ(open_outbox_view(file, "makegood_outbox").error().code, Errc::schema_mismatch);
  EXPECT_EQ(std::filesystem::file_size(file), 0U);
}

TEST(OpeningToRead, RefusesAFileThatIsNotADatabase) {
  const testing_support::TemporaryFolder folder;
  const std::string file = folder.file("notes.txt");
  std::ofstream(file) << std::string(4096, 'x');
  EXPECT_EQ(open_outbox_view(file, "makegood_outbox").error().code, Errc::store_corrupt);
}

class OutboxViewOf : public SqliteTest {
 protected:
  std::unique_ptr<OutboxView> view() { return value_of(open_outbox_view(file(), "makegood_outbox")); }
};

TEST_F(OutboxViewOf, ALockedFileIsReadAtOnce) {
  enqueue(a_message("m1"));
  const auto view = this->view();
  app().run("BEGIN IMMEDIATE");
  app().run("INSERT INTO makegood_outbox (topic, payload) VALUES ('t', '{}')");
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(value_of(view->list({}, {}, 10)).messages.size(), 1U);
  EXPECT_EQ(value_of(view->backlog()).pending_count, 1U);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s) << "a wait for the lock takes 2 s";
  app().run("COMMIT");
}

TEST_F(OutboxViewOf, NoWriterWaitsForWhoeverReads) {
  enqueue(a_message("m1"));
  const auto view = this->view();
  value_of(view->list({}, {}, 10));
  app().run("PRAGMA busy_timeout = 0");
  app().run("INSERT INTO makegood_outbox (topic, payload) VALUES ('t', '{}')");
  EXPECT_EQ(app().ask("PRAGMA wal_checkpoint(TRUNCATE)").substr(0, 1), "0") << "nor does a checkpoint";
}

TEST_F(OutboxViewOf, MessagesOfAPlainInsertAreShown) {
  app().run("INSERT INTO makegood_outbox (topic, payload) VALUES ('stock.low', '{}')");
  const MessageSummary summary = value_of(view()->list({}, {}, 10)).messages.at(0);
  EXPECT_EQ(summary.topic, "stock.low");
  EXPECT_EQ(summary.tenant_id, "default");
  EXPECT_EQ(summary.dispatch_key, "");
  EXPECT_FALSE(summary.available_at);
}

TEST_F(OutboxViewOf, ANumberThatWasDrawnAgainIsShownOnce) {
  enqueue(a_message("old"));
  commit({.position = {.reached = 1}, .parked = {a_parked(1).dead()}});
  clock_.advance(2h);
  commit({.position = {.reached = 1}, .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 10}});
  app().run("DELETE FROM sqlite_sequence WHERE name = 'makegood_outbox'");
  EXPECT_EQ(enqueue(a_message("new")), 1);
  const auto page = value_of(view()->list({}, {}, 10));
  ASSERT_EQ(page.messages.size(), 1U);
  EXPECT_EQ(page.messages[0].event_id, testing_support::event_id_for("new"));
}

TEST_F(OutboxViewOf, ADeadLetterWhoseMessageWasDeletedIsStillShown) {
  commit({.position = {.reached = 1}, .parked = {a_parked(1).dead().with_error("E", "e")}});
  const auto view = this->view();
  EXPECT_EQ(value_of(view->list_dead({}, {}, 10)).at(0).topic, "");
  EXPECT_EQ(value_of(view->group_dead({}, 10)).at(0).count, 1U);
  EXPECT_TRUE(value_of(view->list({.state = MessageState::dead}, {}, 10)).messages.empty());
}

TEST_F(OutboxViewOf, AStoryFindsItsTurnAmongThoseThatForgot) {
  for (const char* name : {"m1", "m2"}) enqueue(a_message(name));
  std::vector<Sequence> holes = a_thousand_holes();
  commit({.position = {.reached = 2000, .under_way = {{"fn:a", holes}}},
          .routing = Routing{.version = 1, .routes = {{"*", "fn:a"}}}});
  for (int i = 0; i < 40; ++i) commit({.position = {.reached = 2000, .under_way = {{"fn:a", holes}}}});
  holes.erase(holes.begin());  // The first one is delivered by turn 43; the next that is kept is the 64th.
  for (int i = 0; i < 40; ++i) {
    clock_.advance(1s);
    commit({.position = {.reached = 2000, .under_way = {{"fn:a", holes}}}});
  }
  const MessageView story = value_of(view()->story(1));
  ASSERT_EQ(story.deliveries.size(), 1U);
  ASSERT_EQ(story.deliveries[0].story.size(), 1U);
  EXPECT_EQ(story.deliveries[0].story[0].outcome, "ok");
  EXPECT_EQ(clock_.now() - story.deliveries[0].story[0].at, 18s) << "turn 64 of 82";
}

TEST_F(OutboxViewOf, AStoryThatWasChangedByHandIsReportedAsDamage) {
  enqueue(a_message("m1"));
  commit({.position = {.reached = 1}, .parked = {a_parked(1).dead()}});
  app().run("UPDATE makegood_outbox_parked SET story = 'once upon a time'");
  EXPECT_EQ(view()->story(1).error().code, Errc::store_corrupt);
}

TEST_F(OutboxViewOf, SaysTheSameAsTheStatusView) {
  for (int i = 1; i <= 12; ++i) enqueue(a_message("m" + std::to_string(i)).of_tenant(i % 2 == 0 ? "acme" : "b"));
  Position position{.reached = 10, .open = {7}, .under_way = {{"fn:a", {5, 9}}}};
  position.sides = {{.scope = {.destination = "fn:a", .tenant_id = "acme"}, .reached = 6, .under_way = {4}}};
  commit({.position = position,
          .parked = {a_parked(1).dead(), a_parked(2).quarantined(), a_parked(3).waiting_until(clock_.now())},
          .routing = Routing{.version = 1, .from = 0, .routes = {{"orders.*", "fn:a"}}}});
  std::string states;
  for (const MessageSummary& summary : value_of(view()->list({}, {}, 100)).messages) {
    states += std::string(states.empty() ? "" : " ") + std::string(to_string(summary.state));
  }
  EXPECT_EQ(states, app().ask("SELECT group_concat(state, ' ') FROM (SELECT state FROM makegood_outbox_status "
                              "ORDER BY sequence DESC)"));
}

}  // namespace makegood::sqlite
