// Which calls get a line in the log: those that were refused or went wrong, and all where that is configured.
#pragma once

#include <atomic>

#include "daemon/refusal_lines.hpp"
#include "observe/log.hpp"
#include "server/server.hpp"

namespace makegood::daemon {

/// Called by the thread of the server, but for `set`.
class AccessLog {
 public:
  AccessLog(observe::Log& log, bool has_all) : log_(log), has_all_(has_all) {}

  void set(bool has_all) { has_all_ = has_all; }
  void write(const server::Access& access);

 private:
  void write_refusal(const server::Access& access);

  observe::Log& log_;
  std::atomic<bool> has_all_;
  RefusalLines refusal_lines_;
};

}  // namespace makegood::daemon
