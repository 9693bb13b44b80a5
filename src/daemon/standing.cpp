#include "daemon/standing.hpp"

#include <fmt/format.h>

namespace makegood::daemon {

void Standing::began(const server::Server& server) { notice_.ready("serving on " + server.address()); }

void Standing::tell(const server::Server& server) {
  tell_readiness(server);
  prove_life(server);
}

/// Once per change.
void Standing::tell_readiness(const server::Server& server) {
  std::vector<std::string> reasons = readiness_.reasons();
  if (reasons == told_reasons_) return;
  told_reasons_ = std::move(reasons);
  if (told_reasons_.empty()) {
    log_.write(LogLevel::info, "ready", {{"url", "http://" + server.address()}});
    notice_.status("serving on " + server.address());
    return;
  }
  const std::string all = fmt::format("{}", fmt::join(told_reasons_, " "));
  log_.write(LogLevel::warning, "not ready", {{"because", all}});
  notice_.status("not ready: " + all);
}

/// Only while the thread that reads and writes and every lane have been heard of: a process that hangs in one of them
/// is better started anew.
void Standing::prove_life(const server::Server& server) {
  const auto time = notice_.watchdog_time();
  if (!time || server.silence() > *time / 2 || readiness_.silence() > *time) return;
  notice_.alive();
}

}  // namespace makegood::daemon
