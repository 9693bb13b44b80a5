// The order of events of the WAL-reset bug, one by one: a log that was copied whole, a copy that begins, a commit.
#include "stores/sqlite/log_pin.hpp"

#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {

class Pin : public SqliteTest {
 protected:
  Pin() { app().run("PRAGMA wal_autocheckpoint = 0; CREATE TABLE business (what)"); }
  void commit_business(int rows) {
    for (int row = 0; row < rows; ++row) app().run("INSERT INTO business VALUES (hex(randomblob(3000)))");
  }
  /// Whether somebody was in the way, the frames of the log, and how many of them are in the database.
  std::string copy() { return app().ask("PRAGMA wal_checkpoint(PASSIVE)"); }
  int frames() {
    const std::string told = copy();
    return std::stoi(told.substr(told.find('|') + 1));
  }
};

TEST_F(Pin, AnUnpinnedLogThatWasCopiedWholeIsBegunAnew) {  // Otherwise the next test would show nothing.
  commit_business(20);
  const int before = frames();
  commit_business(1);
  EXPECT_LT(frames(), before);
}

TEST_F(Pin, APinnedLogIsNotBegunAnewThoughItWasCopiedWhole) {
  commit_business(20);
  const auto pin = LogPin::hold(file());
  ASSERT_TRUE(pin);
  const int before = frames();
  EXPECT_EQ(copy(), "0|" + std::to_string(before) + "|" + std::to_string(before));
  commit_business(1);
  EXPECT_GT(frames(), before);
}

TEST_F(Pin, ALogThatWasCopiedWholeCannotBePinnedAndNeedsNoCopy) {
  commit_business(20);
  copy();
  EXPECT_FALSE(LogPin::hold(file()));
  commit_business(1);
  EXPECT_TRUE(LogPin::hold(file()));
}

TEST_F(Pin, ALogIsBegunAnewWhenThePinIsGone) {
  commit_business(20);
  LogPin::hold(file());
  const int before = frames();
  commit_business(1);
  EXPECT_LT(frames(), before);
}

}  // namespace makegood::sqlite
