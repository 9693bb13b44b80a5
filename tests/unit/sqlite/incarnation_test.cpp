#include <filesystem>

#include "base/machine.hpp"
#include "stores/sqlite/file_traits.hpp"
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

/// A process in an environment.
class Named : public SqliteTest {
 protected:
  std::unique_ptr<OutboxStore> open_in(const std::string& environment) { return open_at(file(), environment); }
  std::unique_ptr<OutboxStore> open_at(const std::string& path, const std::string& environment) {
    return value_of(open_store(path, "makegood_outbox", clock_, process_ids(), environment));
  }
  Errc refusal(OutboxStore& store) { return store.take("b", lease, {}).error().code; }
  std::string recorded(const std::string& what, const std::string& path = {}) {
    return Application(path.empty() ? file() : path)
        .ask("SELECT " + what + " FROM makegood_store JOIN makegood_store_traits USING (id)");
  }
  /// As one who restores a backup, or Litestream, makes it.
  std::string a_copy() {
    const std::string path = folder_.file("restored.db");
    app().run("VACUUM INTO '" + path + "'");
    return path;
  }
};

TEST_F(Named, TheFirstOwnerRecordsItsEnvironment) {
  close_store();
  EXPECT_TRUE(value_of(open_in("production")->take("a", lease, {})));
  EXPECT_EQ(recorded("environment"), "production");
  EXPECT_EQ(refusal(*open_in("staging")), Errc::store_foreign);
  EXPECT_EQ(refusal(*open_in("")), Errc::store_foreign) << "a name that only the store has";
}

TEST_F(Named, ARestoredFileOfTheSameEnvironmentGoesOnAsAnotherIncarnation) {
  const Taken before = take(*open_in("production"), "a");
  const std::string copy = a_copy();
  EXPECT_EQ(refusal(*open_at(copy, "staging")), Errc::store_foreign);
  clock_.advance(1min);
  const Taken after = take(*open_at(copy, "production"), "b");
  EXPECT_NE(after.incarnation, before.incarnation) << "numbers may be drawn once more";
  EXPECT_EQ(recorded("inode", copy), std::to_string(value_of(traits_of_file(copy)).inode.value()));
  clock_.advance(1min);
  EXPECT_EQ(take(*open_at(copy, "production"), "c").incarnation, after.incarnation) << "and then stays";
}

TEST_F(Named, ACopyDoesNotBecomeTheOriginalByANameOfItsOwn) {
  must(store().migrate());
  const std::string copy = a_copy();
  EXPECT_EQ(refusal(*open_at(copy, "staging")), Errc::store_foreign);
  EXPECT_EQ(recorded("environment", copy), "NULL");
}

TEST_F(Named, AdoptionSaysWhereItBelongsFromNowOn) {
  take(*open_in("production"), "a");
  const std::string copy = a_copy();
  must(adopt(copy, "staging"));
  clock_.advance(1min);
  EXPECT_EQ(refusal(*open_at(copy, "production")), Errc::store_foreign);
  EXPECT_TRUE(value_of(open_at(copy, "staging")->take("b", lease, {})));
}

TEST_F(Named, ARecordOfTheInodeAloneIsCompletedByTheNextOwner) {
  app().run("DELETE FROM makegood_store_traits");
  take(*open_in("production"), "a");
  const auto birth = value_of(traits_of_file(file())).birth;
  EXPECT_EQ(recorded("birth"), birth ? std::to_string(*birth) : "NULL");
  EXPECT_EQ(recorded("environment"), "production");
}

TEST_F(Named, ACopyOfAFileOfAnOlderVersionIsStillACopy) {
  app().run("DELETE FROM makegood_store_traits");
  const std::string copy = a_copy();
  EXPECT_EQ(refusal(*open_at(copy, "")), Errc::store_foreign);
  EXPECT_EQ(Application(copy).ask("SELECT count(*) FROM makegood_store_traits"), "0") << "and records nothing";
}

TEST_F(Named, AnotherBirthTimeAtTheSameInodeIsACopy) {
  app().run("UPDATE makegood_store_traits SET birth = 5");
  const Error error = store().take("a", lease, {}).error();
  EXPECT_EQ(error.code, Errc::store_foreign);
  EXPECT_NE(error.diagnostics.find("birth time"), std::string::npos) << error.diagnostics;
  EXPECT_TRUE(value_of(examine_origin(file(), "")).is_copy);
}

TEST_F(Named, AnotherMachineIsACopyUnlessThisOneIsUnknown) {
  app().run("UPDATE makegood_store_traits SET machine = 'another'");
  const bool is_known = !machine_digest().empty();
  EXPECT_EQ(value_of(examine_origin(file(), "")).is_copy, is_known);
}

TEST_F(Named, TheReportTellsWhatWasCompared) {
  const std::string told = compared(value_of(examine_origin(file(), "production")));
  EXPECT_NE(told.find("environment production here and none recorded"), std::string::npos) << told;
  EXPECT_NE(told.find("inode"), std::string::npos) << told;
}

}  // namespace makegood::sqlite
