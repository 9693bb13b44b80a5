// How the process stands, told to its log and to the service manager: ready or why not, and that it is alive.
#pragma once

#include <string>
#include <vector>

#include "daemon/readiness.hpp"
#include "daemon/service_notice.hpp"
#include "observe/log.hpp"
#include "server/server.hpp"

namespace makegood::daemon {

class Standing {
 public:
  Standing(const Readiness& readiness, observe::Log& log) : readiness_(readiness), log_(log) {}

  void began(const server::Server& server);
  /// Whether something is awaited, so that it should be told of soon.
  bool is_waiting() const { return !told_reasons_.empty(); }
  /// How often `tell` has to be called, if the service manager watches.
  std::optional<Duration> watchdog_time() const { return notice_.watchdog_time(); }
  void tell(const server::Server& server);
  void stopping() { notice_.stopping(); }

 private:
  void tell_readiness(const server::Server& server);
  void prove_life(const server::Server& server);

  const Readiness& readiness_;
  observe::Log& log_;
  ServiceNotice notice_ = ServiceNotice::from_environment();
  std::vector<std::string> told_reasons_ = {"starting"};
};

}  // namespace makegood::daemon
