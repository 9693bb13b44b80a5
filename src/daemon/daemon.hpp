// The whole process of `makegood serve`: relays, server, log, and what they tell each other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "api/jobs.hpp"
#include "config/load.hpp"
#include "config/watch.hpp"
#include "daemon/access_log.hpp"
#include "daemon/apply_at_start.hpp"
#include "daemon/doorbell_socket.hpp"
#include "daemon/end_signals.hpp"
#include "daemon/guarded.hpp"
#include "daemon/key_purge.hpp"
#include "daemon/observers.hpp"
#include "daemon/owned_lanes.hpp"
#include "daemon/readiness.hpp"
#include "daemon/relays.hpp"
#include "daemon/sagas.hpp"
#include "daemon/sharing.hpp"
#include "daemon/sources.hpp"
#include "daemon/standing.hpp"
#include "makegood/schema.hpp"
#include "makegood/telemetry.hpp"
#include "observe/log.hpp"
#include "server/server.hpp"

namespace makegood::daemon {

struct DaemonOptions {
  config::Sources sources;
  config::Config config;
  std::vector<server::Token> tokens = {};
  ApplyFiles apply_files = {};  ///< Done once the stores are there.
  std::string version = {};
  PayloadSchemas schemas = {};                    ///< Those that the configuration names.
  std::shared_ptr<const Seal> seal = {};          ///< Likewise, of stored answers.
  std::string store_warning = {};                 ///< Told once, at the start.
  std::vector<std::string> secret_warnings = {};  ///< Likewise.
  bool migrates = true;
};

class Daemon {
 public:
  /// Binds its address, or says why not.
  static Result<std::unique_ptr<Daemon>> open(DaemonOptions options);

  /// Until a signal ends it, or it has met a mistake that no time mends. A second signal ends the process at once.
  Result<> run(EndSignals& signals, config::Watch& watch);

 private:
  explicit Daemon(DaemonOptions options);
  Result<> bind();
  server::Process process();
  api::ApiContext api_context();
  void tell(const api::KeyNews& news);
  void apply_files(const std::stop_token& stop);
  void give_up(const Error& error);

  void say_hello();
  void serve_until_signal(EndSignals& signals, config::Watch& watch);
  void reload();
  void wake_all();
  std::string callback_base_url() const;
  void stop(EndSignals& signals);

  // Constant after construction.
  const DaemonOptions options_;
  api::KeyFigures key_figures_;  ///< Before what calls are lent.
  const api::ApiContext api_context_;

  Guarded<Destination> destination_defaults_;  ///< Calls ask for it.
  Guarded<std::optional<Error>> mistake_;      ///< Why it ends by itself.

  config::Config config_;  ///< As it is now.
  DoorbellSocket doorbell_;
  std::string way_in_;  ///< How somebody on this machine gets in, for the first line.

  // Each is used by those below it.
  api::Jobs jobs_;
  Telemetry telemetry_;
  observe::Log log_;
  AccessLog access_log_;
  Readiness readiness_;
  Standing standing_;
  OwnedLanes owned_;
  std::unique_ptr<Sources> sources_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<Observers> observers_;
  Endpoints endpoints_;
  std::unique_ptr<Relays> relays_;
  std::unique_ptr<Sagas> sagas_;
  std::unique_ptr<KeyPurge> purge_;
  std::unique_ptr<Sharing> sharing_;
};

}  // namespace makegood::daemon
