#include <sqlite3.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "makegood/sqlite.hpp"
#include "stores/sqlite/sqlite.hpp"
#include "tests/conformance/delete_suite.hpp"
#include "tests/conformance/log_mark_suite.hpp"
#include "tests/conformance/status_suite.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/sqlite/database.hpp"

namespace makegood::conformance {
namespace {

constexpr std::string_view outbox = "makegood_outbox";
constexpr std::size_t content_bytes_max = std::size_t{2} << 20;

template <class T>
T expect(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message + " (" + result.error().diagnostics + ")");
  return *std::move(result);
}

struct CloseDatabase {
  void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
};
using Connection = std::unique_ptr<sqlite3, CloseDatabase>;

Connection open(const std::string& path) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open(path.c_str(), &db);
  Connection connection(db);
  if (code != SQLITE_OK) throw std::runtime_error("cannot open " + path);
  sqlite3_busy_timeout(db, 5000);
  return connection;
}

/// A program with a connection and a transaction of its own.
class SqliteProducer final : public Producer {
 public:
  explicit SqliteProducer(const std::string& path)
      : connection_(open(path)),
        enqueuer_(expect(sqlite::Enqueuer::open(connection_.get(), {.content_bytes_max = content_bytes_max}))) {
    if (!run("BEGIN")) throw std::runtime_error("cannot begin a transaction");
  }
  ~SqliteProducer() override {
    if (sqlite3_get_autocommit(connection_.get()) == 0) run("ROLLBACK");
  }

  Result<Enqueued> enqueue(const NewMessage& message) override { return enqueuer_.enqueue(message); }
  Result<> commit() override {
    if (!run("COMMIT")) return Error{Errc::store_unavailable, sqlite3_errmsg(connection_.get())};
    return {};
  }

 private:
  bool run(const char* sql) { return sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK; }

  Connection connection_;
  sqlite::Enqueuer enqueuer_;  // Gone before the connection.
};

class SqliteShell final : public SqlShell {
 public:
  explicit SqliteShell(const std::string& path) : application_(path) {}
  std::string ask(const std::string& sql) override { return application_.ask(sql); }
  std::string columns_of(const std::string& table) override {
    return ask("SELECT group_concat(name, ' ') FROM pragma_table_info('" + table + "')");
  }

 private:
  sqlite::Application application_;
};

class SqliteUnderTest final : public StoreUnderTest {
 public:
  std::unique_ptr<OutboxStore> connect() override {
    auto store = expect(sqlite::open_store(path_, outbox, clock));
    if (const auto migrated = store->migrate(); !migrated) throw std::runtime_error(migrated.error().message);
    return store;
  }
  std::unique_ptr<OutboxView> connect_view() override { return expect(sqlite::open_outbox_view(path_, outbox, clock)); }
  std::unique_ptr<Producer> begin() override { return std::make_unique<SqliteProducer>(path_); }
  std::unique_ptr<SqlShell> open_shell() override { return std::make_unique<SqliteShell>(path_); }
  void set_counter(Sequence counter) override {
    sqlite::Application(path_).run("UPDATE sqlite_sequence SET seq = " + std::to_string(counter) +
                                   " WHERE name = 'makegood_outbox'");
  }
  void remove_row(Sequence sequence) override {
    without_triggers("DELETE FROM makegood_outbox WHERE sequence = " + std::to_string(sequence));
  }
  void empty_log() override { without_triggers("DELETE FROM makegood_outbox"); }

 private:
  /// They come back with their own words.
  void without_triggers(const std::string& sql) {
    sqlite::Application application(path_);
    const std::string of_deletes = "type = 'trigger' AND tbl_name = 'makegood_outbox' AND sql LIKE '%DELETE ON%'";
    const std::string names = application.ask("SELECT name FROM sqlite_master WHERE " + of_deletes);
    const std::string words = application.ask("SELECT sql FROM sqlite_master WHERE " + of_deletes);
    if (!names.empty()) application.run("DROP TRIGGER \"" + names + "\"");
    application.run(sql);
    if (!words.empty()) application.run(words);
  }

  const testing_support::TemporaryFolder folder_;
  const std::string path_ = folder_.file("store.db");
};

const StoreKind sqlite_store{"sqlite", [] { return std::make_unique<SqliteUnderTest>(); }};
INSTANTIATE_TEST_SUITE_P(Sqlite, LogMarkSuite, ::testing::Values(sqlite_store), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Sqlite, StoreSuite, ::testing::Values(sqlite_store), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Sqlite, StatusSuite, ::testing::Values(sqlite_store), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Sqlite, DeleteSuite, ::testing::Values(sqlite_store), ::testing::PrintToStringParamName());

}  // namespace

}  // namespace makegood::conformance
