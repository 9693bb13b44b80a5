// Keeps the write-ahead log from being begun anew while it is copied.
//
// SQLite before 3.51.3 can damage a database when a log that has been copied whole is begun anew by a commit, just as
// somebody begins to copy it once more: that copy then believes of the new log what was true of the old one. But a log
// is not begun anew while a reader needs a part of it that has not been copied yet. So a copy beside such a reader is
// safe, whoever commits meanwhile, from whatever process.
#pragma once

#include <memory>
#include <optional>
#include <string>

struct sqlite3;

namespace makegood::sqlite {

struct CloseHandle {
  void operator()(sqlite3* db) const noexcept;
};
using Handle = std::unique_ptr<sqlite3, CloseHandle>;

/// A connection that has read once: before that it does not know that there is a log. Null when the file cannot be
/// read.
Handle open_to_checkpoint(const std::string& file);

class LogPin {
 public:
  /// Nothing when all of the log has been copied, or when somebody commits at this moment.
  static std::optional<LogPin> hold(const std::string& file);

 private:
  explicit LogPin(Handle reader) : reader_(std::move(reader)) {}
  Handle reader_;
};

}  // namespace makegood::sqlite
