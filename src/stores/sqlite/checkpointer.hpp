// Copies the write-ahead log into the database beside the lane, on a thread and a connection of its own.
//
// SQLite does it by itself within the commit that finds the log long; the copy and its sync would then hold up what is
// about to be sent. The thread begins with the first long log: who writes little never has it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

struct sqlite3;

namespace makegood::sqlite {

class Checkpointer {
 public:
  /// Watches the commits of this connection, which must be open longer.
  explicit Checkpointer(sqlite3* db);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

 private:
  static int on_commit(void* self, sqlite3* db, const char* schema, int pages);
  void ask_if_long(int pages);
  void ask();
  void run(const std::stop_token& stop);
  void checkpoint() const;

  sqlite3* const db_;
  const std::string file_;
  int asked_at_pages_ = 0;  ///< How long the log was when a copy was last asked for.

  std::mutex mutex_;
  std::condition_variable_any is_asked_;
  bool is_due_ = false;
  std::jthread thread_;
};

}  // namespace makegood::sqlite
