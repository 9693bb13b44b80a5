// The whole process of `makegood serve`: relays, server, log, and what they tell each other.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "api/jobs.hpp"
#include "cli/owned_lanes.hpp"
#include "cli/serve_doorbell.hpp"
#include "cli/serve_notify.hpp"
#include "cli/serve_observers.hpp"
#include "cli/serve_readiness.hpp"
#include "cli/serve_relays.hpp"
#include "cli/serve_sharing.hpp"
#include "cli/serve_signals.hpp"
#include "config/load.hpp"
#include "config/watch.hpp"
#include "makegood/schema.hpp"
#include "makegood/telemetry.hpp"
#include "observe/log.hpp"
#include "server/server.hpp"

namespace makegood::cli {

struct DaemonOptions {
  config::Sources sources;
  config::Config config;
  std::vector<server::Token> tokens = {};
  std::vector<std::string> apply = {};  ///< Files and folders, applied once the stores are there.
  std::string version = {};
  PayloadSchemas schemas = {};     ///< Those that the configuration names.
  std::string store_warning = {};  ///< Told once, at the start.
  bool migrates = true;
};

class Daemon {
 public:
  /// Binds its address, or says why not.
  static Result<std::unique_ptr<Daemon>> open(DaemonOptions options);

  /// Until a signal ends it. A second one ends the process at once.
  void run(EndSignals& signals, config::Watch& watch);

 private:
  explicit Daemon(DaemonOptions options);
  Result<> bind();
  server::ServerOptions server_options() const;
  server::Process process();
  api::Surroundings surroundings();
  Destination destination_defaults();
  void set_destination_defaults(Destination defaults);
  void log_access(const server::Access& access);

  void say_hello();
  void serve_until_signal(EndSignals& signals, config::Watch& watch);
  void tell_readiness();
  void prove_life();
  void reload();
  void stop(EndSignals& signals);

  // Constant after construction.
  const DaemonOptions options_;
  const api::Surroundings surroundings_;

  std::mutex mutex_;
  Destination destination_defaults_;  ///< Guarded by mutex_: calls ask for it.

  config::Config config_;  ///< As it is now.
  std::atomic<bool> has_access_log_;
  std::vector<std::string> told_reasons_ = {"starting"};
  ServiceNotice notice_ = ServiceNotice::from_environment();
  DoorbellSocket doorbell_;

  // Each is used by those below it.
  api::Jobs jobs_;
  Telemetry telemetry_;
  observe::Log log_;
  Readiness readiness_;
  OwnedLanes owned_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<Observers> observers_;
  std::unique_ptr<Relays> relays_;
  std::unique_ptr<Sharing> sharing_;
};

}  // namespace makegood::cli
