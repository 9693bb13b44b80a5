// The real `makegood serve`, as a child of the demo.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::demo {

/// Stopped and waited for at the end; it also ends when the demo is killed.
class DemoDaemon {
 public:
  /// `words` follow the program's own name; what it says goes into `log`. Start it before any thread of the demo: only
  /// then may a process that was forked do more than exec.
  static Result<DemoDaemon> start(std::vector<std::string> words, const std::string& log);
  DemoDaemon(DemoDaemon&& other) noexcept;
  DemoDaemon& operator=(DemoDaemon&&) = delete;
  ~DemoDaemon();

  bool is_alive();
  void stop();

 private:
  explicit DemoDaemon(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

}  // namespace makegood::demo
