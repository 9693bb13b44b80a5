// A child process that a test starts and kills.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace makegood::crash {

class Child {
 public:
  explicit Child(const std::vector<std::string>& words);
  ~Child() { kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// SIGKILL: no handler, no flush, no goodbye.
  void kill();
  /// The exit code, or minus the number of the signal that ended it; -1000 if it had to be killed after `seconds`.
  int wait(int seconds);

 private:
  pid_t pid_ = -1;
};

}  // namespace makegood::crash
