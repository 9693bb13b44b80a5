#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {

TEST_F(SqliteTest, ATurnThatDoesNotFollowTheLastWritesNothing) {
  const Taken taken = take(store(), "a");
  const Turn late{.owner = "a", .after = taken.turn, .lease = lease, .parked = {a_parked(1).dead()}};
  value_of(store().commit({.owner = "a", .after = taken.turn, .lease = lease}));
  EXPECT_EQ(store().commit(late).error().code, Errc::fenced);
  EXPECT_EQ(
      app().ask("SELECT (SELECT max(turn) FROM makegood_outbox_turn), (SELECT count(*) FROM makegood_outbox_parked)"),
      "2|0");
}

TEST_F(SqliteTest, ATurnThatMeetsALockedDatabaseMayBeTriedAgain) {
  const Taken taken = take(store(), "a");
  const Turn turn{.owner = "a", .after = taken.turn, .lease = lease};
  app().run("BEGIN IMMEDIATE");
  EXPECT_EQ(store().commit(turn).error().code, Errc::store_unavailable);
  app().run("ROLLBACK");
  EXPECT_EQ(value_of(store().commit(turn)).turn, 2);
}

TEST_F(SqliteTest, TheStoryKeepsItsFirstNoteAndTheNewest) {
  Taken taken = take(store(), "a");
  for (std::uint32_t attempt = 1; attempt <= 40; ++attempt) {
    Turn turn{.owner = "a", .after = taken.turn, .lease = lease};
    turn.parked.push_back(a_parked(1).dead());
    turn.parked[0].note = AttemptNote{.attempt = attempt, .at = clock_.now(), .outcome = "retry", .code = "a\"b"};
    taken.turn = value_of(store().commit(turn)).turn;
  }
  EXPECT_EQ(app().ask("SELECT json_array_length(story), story ->> '$[0].attempt', story ->> '$[1].attempt', "
                      "story ->> '$[31].attempt', story ->> '$[31].code' FROM makegood_outbox_parked"),
            "32|1|10|40|a\"b");
}

TEST_F(SqliteTest, OfLongTurnsTheLastIsKeptAndOneOfMany) {
  const Position is_long{.reached = 2000, .under_way = {{"fn:a", a_thousand_holes()}}};
  for (int i = 0; i < 99; ++i) commit({.position = is_long});
  EXPECT_EQ(app().ask("SELECT group_concat(turn, ' ') FROM makegood_outbox_turn WHERE position <> ''"),
            "1 32 64 96 100");
  clock_.advance(1h);
  EXPECT_EQ(take(*connect(), "b").position, is_long);
}

TEST_F(SqliteTest, ShortTurnsAreAllKept) {
  for (int i = 0; i < 9; ++i) commit({.position = {.reached = 2, .under_way = {{"fn:a", {1}}}}});
  EXPECT_EQ(app().ask("SELECT count(*) FROM makegood_outbox_turn WHERE position = ''"), "0");
}

TEST_F(SqliteTest, LongTurnsDoNotMakeTheFileGrow) {
  const Position is_long{.reached = 2000, .under_way = {{"fn:a", a_thousand_holes()}}};
  for (int i = 0; i < 64; ++i) commit({.position = is_long});
  const std::int64_t before = std::stoll(app().ask("PRAGMA page_count"));
  for (int i = 0; i < 64; ++i) commit({.position = is_long});
  EXPECT_LE(std::stoll(app().ask("PRAGMA page_count")), before + 8)
      << "of 64 that were written, and one kept of each 32";
}

TEST_F(SqliteTest, TheTimeOfParkingStays) {
  const Taken taken = take(store(), "a");
  const Turn turn{
      .owner = "a", .after = taken.turn, .lease = lease, .parked = {a_parked(1).waiting_until(clock_.now())}};
  value_of(store().commit(turn));
  clock_.advance(5s);
  value_of(store().commit({.owner = "a", .after = taken.turn + 1, .lease = lease, .parked = {a_parked(1).dead()}}));
  EXPECT_EQ(app().ask("SELECT state, changed_at - parked_at, slot BETWEEN 0 AND 63 FROM makegood_outbox_parked"),
            "dead|5000|1");
}

TEST_F(SqliteTest, AVersionOfTheRoutesIsARowOfItsOwn) {
  commit({.routing = Routing{.version = 4, .from = 17, .routes = {{"order.*", "fn:a"}}}});
  EXPECT_EQ(app().ask("SELECT version, from_sequence, owner, document FROM makegood_outbox_route"),
            R"(4|17|a|{"routes":[{"pattern":"order.*","destination":"fn:a"}],"destinations":[]})");
}

TEST_F(SqliteTest, ARouteThatCannotBeReadStopsTheTaker) {
  commit({.routing = Routing{.version = 1}});
  app().run("UPDATE makegood_outbox_route SET document = '{'");
  clock_.advance(1h);
  EXPECT_EQ(connect()->take("b", lease, {}).error().code, Errc::store_corrupt);
}

}  // namespace makegood::sqlite
