// A child process that a test starts and kills.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace makegood::crash {

class Child {
 public:
  /// A program with its arguments.
  explicit Child(const std::vector<std::string>& words);
  /// A copy of this process, which must have no other threads and no open database; ends with what `life` returns.
  explicit Child(const std::function<int()>& life);
  ~Child() { kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// SIGKILL: no handler, no flush, no goodbye.
  void kill();
  /// SIGSTOP, and back. `freeze` returns when it stands still.
  void freeze();
  void thaw();
  /// Until it has frozen itself; false when it has not within `seconds` (0: asked once).
  bool await_frozen(int seconds);
  /// The exit code, or minus the number of the signal that ended it; -1000 if it had to be killed after `seconds`.
  int wait(int seconds);

 private:
  pid_t pid_ = -1;
};

}  // namespace makegood::crash
