// What SQLite adds to the taking of a lane: the operating system's lock tells at once that an owner is gone.
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {

TEST_F(SqliteTest, ALaneIsFreeAtOnceWhenItsOwnersStoreIsClosed) {
  const auto other = connect();
  take(store(), "a");
  EXPECT_FALSE(value_of(other->take("b", lease, {})));
  close_store();
  EXPECT_TRUE(value_of(other->take("b", lease, {})));
}

TEST_F(SqliteTest, ALaneIsFreeAtOnceWhenItsOwnersProcessDies) {
  close_store();
  int taken_pipe[2];
  ASSERT_EQ(pipe(taken_pipe), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto owner = connect();
    take(*owner, "a");
    (void)!write(taken_pipe[1], "t", 1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(taken_pipe[0], &byte, 1), 1);
  const auto other = connect();
  EXPECT_FALSE(value_of(other->take("b", lease, {})));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(value_of(other->take("b", lease, {})));
  close(taken_pipe[0]);
  close(taken_pipe[1]);
}

TEST_F(SqliteTest, AFrozenOwnerKeepsItsLockAndLosesTheLane) {
  const Taken frozen = take(store(), "a");
  const auto other = connect();
  clock_.advance(lease);
  take(*other, "b");
  EXPECT_EQ(store().commit({.owner = "a", .after = frozen.turn, .lease = lease}).error().code, Errc::fenced);
}

TEST_F(SqliteTest, AnOwnerWithoutTheLockIsNotRobbedWhenTheLockIsFree) {
  take(store(), "frozen");
  const auto other = connect();
  clock_.advance(lease);
  take(*other, "b");  // Without the lock, which the frozen owner still holds.
  close_store();
  const auto third = connect();
  EXPECT_FALSE(value_of(third->take("c", lease, {})));
}

TEST_F(SqliteTest, AnOwnerGetsTheLockWhenTheFrozenOneIsGone) {
  take(store(), "frozen");
  auto other = connect();
  clock_.advance(lease);
  const Taken taken = take(*other, "b");
  close_store();
  value_of(other->commit({.owner = "b", .after = taken.turn, .lease = lease}));
  const auto third = connect();
  EXPECT_FALSE(value_of(third->take("c", lease, {})));
  other.reset();
  EXPECT_TRUE(value_of(third->take("c", lease, {})));
}

TEST_F(SqliteTest, WhoWaitsForTheLaneDoesNotTakeTheWriteLock) {
  take(store(), "a");
  const auto other = connect();
  app().run("BEGIN IMMEDIATE");
  EXPECT_FALSE(value_of(other->take("b", lease, {})));
}

TEST_F(SqliteTest, TellsThatTheDatabaseIsLocked) {
  app().run("BEGIN IMMEDIATE");
  EXPECT_EQ(store().take("a", lease, {}).error().code, Errc::store_unavailable);
}

TEST_F(SqliteTest, TimeDoesNotRunBackwards) {
  const Taken taken = take(store(), "a");
  clock_.shift_wall(-30s);
  EXPECT_EQ(value_of(store().look({.owner = "a"})).now, taken.now);
  value_of(store().commit({.owner = "a", .after = taken.turn, .lease = lease}));
  EXPECT_EQ(app().ask("SELECT count(DISTINCT at) FROM makegood_outbox_turn"), "1");
}

TEST_F(SqliteTest, AClockThatWasFarAheadIsForgotten) {
  const Taken taken = take(store(), "a");
  clock_.shift_wall(-61s);
  EXPECT_EQ(value_of(store().look({.owner = "a"})).now, taken.now - 61s);
}

}  // namespace makegood::sqlite
