#include "stores/sqlite/checkpointer.hpp"

#include <sqlite3.h>

#include <memory>
#include <system_error>

namespace makegood::sqlite {
namespace {

/// SQLite's own measure.
constexpr int long_log_pages = 1000;
/// A log that is written to all the time is never copied whole by somebody else, and so never begun anew. From here on
/// the commit copies the rest, which is short then.
constexpr int too_long_log_pages = 4 * long_log_pages;

struct CloseConnection {
  void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
};

std::string file_of(sqlite3* db) {
  const char* name = sqlite3_db_filename(db, "main");
  return name != nullptr ? name : "";
}

}  // namespace

Checkpointer::Checkpointer(sqlite3* db) : db_(db), file_(file_of(db)) { sqlite3_wal_hook(db, &on_commit, this); }

Checkpointer::~Checkpointer() { sqlite3_wal_hook(db_, nullptr, nullptr); }

int Checkpointer::on_commit(void* self, sqlite3* db, const char* schema, int pages) {
  if (pages >= too_long_log_pages) {
    sqlite3_wal_checkpoint_v2(db, schema, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  } else if (pages >= long_log_pages) {
    static_cast<Checkpointer*>(self)->ask();
  }
  return SQLITE_OK;
}

void Checkpointer::ask() {
  const std::scoped_lock lock(mutex_);
  is_due_ = true;
  is_asked_.notify_one();
  if (thread_.joinable()) return;
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  } catch (const std::system_error&) {
    sqlite3_wal_autocheckpoint(db_, long_log_pages);  // No thread to be had: as SQLite does it.
  }
}

void Checkpointer::run(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    if (!is_asked_.wait(lock, stop, [this] { return is_due_; })) return;
    is_due_ = false;
    lock.unlock();
    checkpoint();
  }
}

/// If it fails (a full disk, a file that is gone), the next commit asks again.
void Checkpointer::checkpoint() const {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  const std::unique_ptr<sqlite3, CloseConnection> db(opened);
  if (code != SQLITE_OK) return;
  // Before its first read a connection does not know that there is a write-ahead log, and would copy nothing.
  if (sqlite3_exec(db.get(), "PRAGMA schema_version", nullptr, nullptr, nullptr) != SQLITE_OK) return;
  sqlite3_wal_checkpoint_v2(db.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

}  // namespace makegood::sqlite
