#include <sqlite3.h>

#include <optional>

#include "makegood/sqlite.hpp"
#include "tests/crash/database.hpp"

namespace makegood::crash {
namespace {

constexpr const char* orders_in_a_file =
    "CREATE TABLE IF NOT EXISTS orders (number INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL, "
    "dispatch_key TEXT NOT NULL, payload TEXT NOT NULL, filler TEXT)";
constexpr const char* tables_in_a_file =
    "SELECT type, name, sql FROM sqlite_master WHERE name LIKE 'makegood%' ORDER BY name";

struct CloseFile {
  void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
};
using FilePtr = std::unique_ptr<sqlite3, CloseFile>;

class SqliteDatabase final : public Database {
 public:
  explicit SqliteDatabase(FilePtr db) : db_(std::move(db)) {}

  bool run(const std::string& sql) override {
    return sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  std::vector<Line> ask(const std::string& sql) override;
  void wait_at_most(std::chrono::milliseconds time) override {
    sqlite3_busy_timeout(db_.get(), static_cast<int>(time.count()));
  }

  Result<> open_shop() override;
  bool begin() override { return run("BEGIN IMMEDIATE"); }
  bool is_in_transaction() const override { return sqlite3_get_autocommit(db_.get()) == 0; }
  bool lock(const std::string&) override { return true; }  // Whoever has begun is alone.
  bool enqueue(const NewMessage& message) override { return enqueuer_->enqueue(message).has_value(); }
  Result<> commit() override {
    if (run("COMMIT")) return {};
    return failed(Errc::in_doubt);
  }

  Violations check_integrity() override;
  Violations check_tables() override;

 private:
  Error failed(Errc code) const { return {code, "The shop cannot use its database.", sqlite3_errmsg(db_.get())}; }

  const FilePtr db_;
  std::optional<sqlite::Enqueuer> enqueuer_;
};

std::vector<Line> SqliteDatabase::ask(const std::string& sql) {
  std::vector<Line> rows;
  const auto keep = [](void* into, int count, char** values, char**) {
    Line& row = static_cast<std::vector<Line>*>(into)->emplace_back();
    for (int i = 0; i < count; ++i) row.emplace_back(values[i] != nullptr ? values[i] : "");
    return 0;
  };
  if (sqlite3_exec(db_.get(), sql.c_str(), keep, &rows, nullptr) != SQLITE_OK) {
    rows.push_back({sqlite3_errmsg(db_.get())});
  }
  return rows;
}

Result<> SqliteDatabase::open_shop() {
  // The log is brought into the file at almost every commit, so that crashes meet that too.
  if (!run("PRAGMA wal_autocheckpoint = 8") || !run(orders_in_a_file)) return failed(Errc::store_unavailable);
  enqueuer_ = MAKEGOOD_TRY(sqlite::Enqueuer::open(db_.get()));
  return {};
}

Violations SqliteDatabase::check_integrity() {
  const auto answer = ask("PRAGMA integrity_check");
  if (answer == std::vector<Line>{{"ok"}}) return {};
  return {"P11: the file is damaged: " + (answer.empty() ? "no answer" : answer.front().front())};
}

Violations SqliteDatabase::check_tables() {
  auto fresh = open_sqlite_database(":memory:");
  if (!fresh || !sqlite::migrate(static_cast<SqliteDatabase&>(**fresh).db_.get())) return {"no new file can be made"};
  if (ask(tables_in_a_file) == (*fresh)->ask(tables_in_a_file)) return {};
  return {"P11: the tables are not those of a new file"};
}

}  // namespace

Result<std::unique_ptr<Database>> open_sqlite_database(const std::string& path, const char* vfs) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs);
  FilePtr db(handle);
  if (code != SQLITE_OK) return Error{Errc::store_unavailable, "The file cannot be opened.", sqlite3_errmsg(handle)};
  auto database = std::make_unique<SqliteDatabase>(std::move(db));
  database->wait_at_most(std::chrono::seconds(10));
  return std::unique_ptr<Database>(std::move(database));
}

}  // namespace makegood::crash
