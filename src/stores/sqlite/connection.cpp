#include "stores/sqlite/connection.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/real_time.hpp"
#include "stores/sqlite/failure.hpp"

namespace makegood::sqlite {
namespace {

using namespace std::chrono_literals;

constexpr auto lock_wait_max = 2s;
constexpr auto lock_step_min = 100us;
constexpr auto lock_step_max = 3200us;
constexpr int steps_until_doubled = 4;

// FULL: a commit is on the disk before anything that follows from it is sent. No memory map: a damaged page must not
// reach the file by way of a stray pointer. No checkpoints within commits: only those of the Checkpointer are safe with
// every version.
constexpr std::string_view settings = "PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 0;";

/// When it cannot be told, SQLite's own word on the file stands.
bool exists(std::string_view path) {
  std::error_code unknown;
  return std::filesystem::exists(std::filesystem::path(path), unknown) || unknown;
}

}  // namespace

void Connection::Close::operator()(sqlite3* db) const noexcept {
  if (!is_borrowed) sqlite3_close_v2(db);
}

Connection::Connection(std::unique_ptr<sqlite3, Close> db, Identifier outbox)
    : wait_(std::make_unique<Wait>()), db_(std::move(db)), outbox_(std::move(outbox)) {}

int Connection::wait_for_lock(void* wait, int count) {
  auto& since = static_cast<Wait*>(wait)->since;
  const MonotonicTime now = real_now();
  if (count == 0) since = now;
  if (now - since >= lock_wait_max) return 0;
  const int doublings = std::min(count / steps_until_doubled, 5);
  std::this_thread::sleep_for(std::min<std::chrono::microseconds>(lock_step_min * (1 << doublings), lock_step_max));
  return 1;
}

Result<Connection> Connection::open(std::string_view path, Identifier outbox) {
  Connection connection = MAKEGOOD_TRY(open_with(SQLITE_OPEN_CREATE, path, std::move(outbox)));
  MAKEGOOD_TRY(connection.use_write_ahead_log());
  return connection;
}

Result<Connection> Connection::open_existing(std::string_view path, Identifier outbox) {
  auto connection = open_with(0, path, std::move(outbox));
  if (connection || exists(path)) return connection;
  return Error{
      Errc::not_found,
      fmt::format("There is no database file '{}'; give the path of the one that has the outbox, or make it with "
                  "`makegood migrate`.",
                  path)};
}

Result<Connection> Connection::open_with(int flags, std::string_view path, Identifier outbox) {
  sqlite3* handle = nullptr;
  flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(std::string(path).c_str(), &handle, flags, nullptr);
  std::unique_ptr<sqlite3, Close> db(handle, Close{.is_borrowed = false});
  if (code != SQLITE_OK) return failure(db.get(), code);

  Connection connection(std::move(db), std::move(outbox));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_handler(handle, wait_for_lock, connection.wait_.get());
  MAKEGOOD_TRY(connection.run_script(settings));
  return connection;
}

Connection Connection::borrow(sqlite3* db, Identifier outbox) {
  return Connection(std::unique_ptr<sqlite3, Close>(db, Close{.is_borrowed = true}), std::move(outbox));
}

Result<> Connection::use_write_ahead_log() {
  // SQLite does not ask the busy handler here when two processes change the mode of a new file at once.
  for (int count = 0;; ++count) {
    const Statement pragma = MAKEGOOD_TRY(Statement::prepare(handle(), "PRAGMA journal_mode = WAL", false));
    Rows rows(pragma);
    const auto stepped = rows.next();
    if (!stepped) {
      if (stepped.error().code == Errc::store_unavailable && wait_for_lock(wait_.get(), count) != 0) continue;
      return stepped.error();
    }
    if (rows.text(0) == "wal") return {};
    return Error{Errc::store_unavailable,
                 "SQLite cannot use a write-ahead log here; the database must be a file on a local disk.",
                 fmt::format("journal_mode={}", rows.text(0))};
  }
}

std::string Connection::file() const {
  const char* name = sqlite3_db_filename(handle(), "main");
  return name != nullptr ? name : "";
}

bool Connection::is_in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }

Result<> Connection::commit() {
  // Rolled back by SQLite on the way: COMMIT would fail anyway, but not as what it is.
  if (!is_in_transaction()) return Error{Errc::store_unavailable, "SQLite rolled the transaction back; try again."};
  Rows rows = MAKEGOOD_TRY(query(verb::commit));
  if (rows.step() != SQLITE_DONE) return commit_failure(handle(), sqlite3_extended_errcode(handle()));
  return {};
}

void Connection::roll_back() {
  // SQLite may have rolled back by itself already, as it does when the disk is full.
  if (is_in_transaction()) (void)execute(verb::rollback);
}

Result<const Statement*> Connection::prepared(std::string_view sql) {
  const auto known = statements_.find(sql.data());
  if (known != statements_.end()) return &known->second;
  Statement statement = MAKEGOOD_TRY(Statement::prepare(handle(), outbox_.into(sql)));
  return &statements_.emplace(sql.data(), std::move(statement)).first->second;
}

Result<std::int64_t> Connection::number(std::string_view sql) {
  Rows rows = MAKEGOOD_TRY(query(sql));
  MAKEGOOD_TRY(rows.next());
  return rows.integer(0);
}

Result<> Connection::run_script(std::string_view sql) {
  const int code = sqlite3_exec(handle(), std::string(sql).c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(handle(), sqlite3_extended_errcode(handle()));
  return {};
}

}  // namespace makegood::sqlite
