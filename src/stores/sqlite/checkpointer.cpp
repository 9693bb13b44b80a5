#include "stores/sqlite/checkpointer.hpp"

#include <sqlite3.h>

#include <system_error>

#include "stores/sqlite/log_pin.hpp"

namespace makegood::sqlite {
namespace {

/// SQLite's own measure.
constexpr int long_log_pages = 1000;
/// A log that is written to all the time is never copied whole by somebody else, and so never begun anew. From here on
/// the commit copies the rest, which is short then.
constexpr int too_long_log_pages = 4 * long_log_pages;
/// Each copy syncs two files, which the commits beside it feel. When one did not come to the end, the next tries again
/// after so many pages.
constexpr int more_pages = 100;

std::string file_of(sqlite3* db) {
  const char* name = sqlite3_db_filename(db, "main");
  return name != nullptr ? name : "";
}

}  // namespace

Checkpointer::Checkpointer(sqlite3* db) : db_(db), file_(file_of(db)) { sqlite3_wal_hook(db, &on_commit, this); }

Checkpointer::~Checkpointer() { sqlite3_wal_hook(db_, nullptr, nullptr); }

int Checkpointer::on_commit(void* self, sqlite3* /*db*/, const char* /*schema*/, int pages) {
  auto& checkpointer = *static_cast<Checkpointer*>(self);
  if (pages >= too_long_log_pages) {
    checkpointer.checkpoint();
  } else {
    checkpointer.ask_if_long(pages);
  }
  return SQLITE_OK;
}

void Checkpointer::ask_if_long(int pages) {
  const bool is_long = pages >= long_log_pages;
  if (!is_long || pages < asked_at_pages_) asked_at_pages_ = 0;  // It was begun anew.
  if (!is_long || pages < asked_at_pages_ + more_pages) return;
  asked_at_pages_ = pages;
  ask();
}

void Checkpointer::ask() {
  const std::scoped_lock lock(mutex_);
  is_due_ = true;
  is_asked_.notify_one();
  if (thread_.joinable()) return;
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  } catch (const std::system_error&) {  // No thread to be had: the log becomes too long, and a commit copies it.
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

/// If it fails (a full disk, a file that is gone, a commit at this moment), a later commit asks again.
void Checkpointer::checkpoint() const {
  const auto pin = LogPin::hold(file_);
  if (!pin) return;
  const Handle db = open_to_checkpoint(file_);
  if (!db) return;
  sqlite3_wal_checkpoint_v2(db.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

}  // namespace makegood::sqlite
