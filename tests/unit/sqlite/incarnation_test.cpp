#include <filesystem>

#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {

class Copy : public SqliteTest {
 protected:
  Copy() {
    enqueue(a_message("m1"));
    close_store();
    std::filesystem::copy_file(file(), copy_);
  }
  std::unique_ptr<OutboxStore> open_copy() { return value_of(open_store(copy_, "makegood_outbox", clock_)); }

  const std::string copy_ = folder_.file("copy.db");
};

TEST_F(Copy, SendsNothing) {
  const auto error = open_copy()->take("a", lease, {}).error();
  EXPECT_EQ(error.code, Errc::store_foreign);
  EXPECT_NE(error.message.find("makegood adopt"), std::string::npos);
  EXPECT_TRUE(value_of(connect()->take("a", lease, {}))) << "the original goes on";
}

TEST_F(Copy, IsTheRealOneOnceAdopted) {
  const std::string before = Application(copy_).ask("SELECT incarnation FROM makegood_store");
  must(adopt(copy_));
  EXPECT_TRUE(value_of(open_copy()->take("a", lease, {})));
  EXPECT_NE(Application(copy_).ask("SELECT incarnation FROM makegood_store"), before);
}

TEST_F(Copy, IsNoticedAlsoWhenItsIdentityWasRemoved) {
  Application(copy_).run("DELETE FROM makegood_store");
  EXPECT_EQ(open_copy()->take("a", lease, {}).error().code, Errc::store_foreign);
}

TEST_F(Copy, IsNotAdoptedWithoutTables) {
  const std::string other = folder_.file("other.db");
  Application(other).run("CREATE TABLE orders (id INTEGER)");
  EXPECT_EQ(adopt(other).error().code, Errc::schema_mismatch);
}

TEST_F(SqliteTest, AMovedFileIsStillTheSame) {
  close_store();
  std::filesystem::rename(file(), folder_.file("moved.db"));
  const auto moved = value_of(open_store(folder_.file("moved.db"), "makegood_outbox", clock_));
  EXPECT_TRUE(value_of(moved->take("a", lease, {})));
}

}  // namespace makegood::sqlite
