// How far the log is read, what was left behind, and what stops it.
#include "core/log_cursor.hpp"

#include <gtest/gtest.h>

#include "core/request_answer.hpp"

namespace makegood::core {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<Sequence>;

LogCursor cursor_at(Position position, std::size_t careful_rows = 0) {
  LogCursor log;
  log.begin(position, {}, careful_rows);
  return log;
}

Found look(LogTrouble trouble, Sequence first_row = 0) {
  Found found{};
  found.trouble = trouble;
  found.first_row = first_row;
  return found;
}

Found look_to(Sequence looked_to, Numbers unread = {}) {
  Found found{};
  found.counter = looked_to;
  found.looked_to = looked_to;
  found.unread = std::move(unread);
  return found;
}

Position with_holes() { return {.reached = 9, .under_way = {{"fn:a", {3, 5}}, {"fn:b", {5}}}}; }

TEST(LogCursor, HandsOutAHoleOnceWithAllItsDestinations) {
  LogCursor log = cursor_at(with_holes());
  EXPECT_EQ(log.take_hole(5), Names({"fn:a", "fn:b"}));
  EXPECT_EQ(log.take_hole(5), Names());
  EXPECT_TRUE(log.has_hole(3, "fn:a"));
}

TEST(LogCursor, HandsOutTheHolesOfADestinationAndKeepsThoseOfOthers) {
  LogCursor log = cursor_at(with_holes());
  EXPECT_EQ(log.take_holes_at("fn:a"), Numbers({3, 5}));
  EXPECT_FALSE(log.has_hole(5, "fn:a"));
  EXPECT_TRUE(log.has_hole(5, "fn:b"));
  EXPECT_EQ(log.holes().size(), 1U);
}

TEST(LogCursor, TellsWhichHolesAreMissingWhenItHasPassedThem) {
  LogCursor log = cursor_at(with_holes());
  EXPECT_EQ(log.pass(look_to(12, {5})), Numbers({3}));
  EXPECT_EQ(log.reached(), 12);
  EXPECT_EQ(log.holes().size(), 1U);
}

TEST(LogCursor, FallsBackToTheLastTurnWhenALookFails) {
  LogCursor log = cursor_at({.reached = 9});
  log.follow(look_to(12));
  log.pass(look_to(12));
  log.fall_back({.reached = 9});
  EXPECT_EQ(log.reached(), 9);
  EXPECT_EQ(log.mark(), LogMark());
  EXPECT_TRUE(log.has_look_failed());
  log.committed({});
  EXPECT_FALSE(log.has_look_failed());
}

TEST(LogCursor, StaysStoppedUntilAnOperatorLetsItGoOn) {
  LogCursor log = cursor_at({.reached = 9});
  EXPECT_TRUE(log.watch(look(LogTrouble::drawn_again, 4)));
  EXPECT_FALSE(log.watch(look(LogTrouble::drawn_again, 4))) << "the turn has said so";
  EXPECT_TRUE(log.is_stopped());
  EXPECT_EQ(log.go_on(), done);
  EXPECT_FALSE(log.is_stopped());
  EXPECT_EQ(log.mark().cleaned, 3);
  EXPECT_NE(log.go_on(), done);
}

TEST(LogCursor, IsStoppedByAForeignNumberOnlyAsLongAsItIsThere) {
  LogCursor log = cursor_at({.reached = 9});
  EXPECT_FALSE(log.watch(look(LogTrouble::foreign_number)));
  EXPECT_TRUE(log.is_stopped());
  log.watch(look(LogTrouble::none));
  EXPECT_FALSE(log.is_stopped());
}

}  // namespace
}  // namespace makegood::core
