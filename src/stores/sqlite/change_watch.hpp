// Notices that somebody writes to the database, at no cost while nobody does.
#pragma once

#include <string>

namespace makegood::sqlite {

/// Watches the write-ahead log, which every commit of every process is written to. The commit becomes visible only
/// after the log has been synced, so this says: soon.
class ChangeWatch {
 public:
  ChangeWatch() = default;
  ~ChangeWatch();
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

  /// The log exists from the first write on; before that there is nothing to watch. Safe to call again.
  void begin(const std::string& database_path);
  /// Readable after a write; -1 when the log is not watched.
  int descriptor() const { return descriptor_; }
  /// Not readable any more, until the next write.
  void take();

 private:
  int descriptor_ = -1;
};

}  // namespace makegood::sqlite
