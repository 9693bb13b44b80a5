// The whole process of `makegood serve`: relays, server, log, and what they tell each other.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "api/jobs.hpp"
#include "config/load.hpp"
#include "config/watch.hpp"
#include "daemon/apply_at_start.hpp"
#include "daemon/doorbell_socket.hpp"
#include "daemon/end_signals.hpp"
#include "daemon/key_purge.hpp"
#include "daemon/observers.hpp"
#include "daemon/owned_lanes.hpp"
#include "daemon/readiness.hpp"
#include "daemon/refusal_lines.hpp"
#include "daemon/relays.hpp"
#include "daemon/sagas.hpp"
#include "daemon/service_notice.hpp"
#include "daemon/sharing.hpp"
#include "daemon/sources.hpp"
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
  void open_door();
  void tell_open_door();
  void admit_token(const std::string& file);
  server::ServerOptions server_options() const;
  server::Process process();
  api::ApiContext api_context();
  std::function<void(std::string_view)> warn_of_secrets();
  void tell(const api::KeyNews& news);
  Destination destination_defaults();
  void set_destination_defaults(Destination defaults);
  void log_access(const server::Access& access);
  void apply_files(const std::stop_token& stop);
  void give_up(const Error& error);
  std::optional<Error> mistake();
  void log_refusal(const server::Access& access);

  void tell_attempts();
  void say_hello();
  void serve_until_signal(EndSignals& signals, config::Watch& watch);
  void tell_readiness();
  void prove_life();
  void reload();
  void wake_all();
  std::string callback_base_url() const;
  std::string saga_figures() const;
  void stop(EndSignals& signals);

  // Constant after construction.
  const DaemonOptions options_;
  api::KeyFigures key_figures_;  ///< Before what calls are lent.
  const api::ApiContext api_context_;

  std::mutex mutex_;
  Destination destination_defaults_;  ///< Guarded by mutex_: calls ask for it.
  std::optional<Error> mistake_;      ///< Guarded by mutex_: why it ends by itself.

  config::Config config_;  ///< As it is now.
  std::atomic<bool> has_access_log_;
  RefusalLines refusal_lines_;  ///< Used by the thread of the server.
  std::vector<std::string> told_reasons_ = {"starting"};
  ServiceNotice notice_ = ServiceNotice::from_environment();
  DoorbellSocket doorbell_;
  std::string way_in_;  ///< How somebody on this machine gets in, for the first line.

  // Each is used by those below it.
  api::Jobs jobs_;
  Telemetry telemetry_;
  observe::Log log_;
  Readiness readiness_;
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
