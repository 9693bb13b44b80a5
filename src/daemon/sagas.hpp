// The orchestrator of a daemon. It is opened when there are tables for sagas: who applies no definition has none of
// them, neither tables nor a thread that looks for work.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/transports.hpp"
#include "config/config.hpp"
#include "daemon/saga_cache.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/saga.hpp"
#include "observe/log.hpp"

namespace makegood::daemon {

class Sagas {
 public:
  struct Parts {
    Observer& observer;
    observe::Log& log;
    std::shared_ptr<Transports> transports;
    Endpoints& endpoints;
    bool migrates = false;
    std::unique_ptr<TextCache> cache = {};  ///< Null: there is none.
  };
  /// The parts must outlive it.
  Sagas(const config::Config& config, std::string callback_base_url, Parts parts);
  ~Sagas() { stop({}); }
  Sagas(const Sagas&) = delete;
  Sagas& operator=(const Sagas&) = delete;

  /// Tables of an earlier version become those of this one; where there are none, none are made.
  Result<> update_tables() const;
  void start();
  /// There are new requests, or tables. Thread-safe.
  void wake();
  /// No new attempts from now on; those under way may end, up to `grace`.
  void stop(Duration grace);
  /// In Prometheus' format. Thread-safe.
  std::string metrics_text() const { return cache_ ? cache_->metrics_text() : std::string(); }

 private:
  struct Running {
    Transports::OfLane transports;
    SagaOrchestrator orchestrator;
  };

  void open_until(const std::stop_token& stop);
  /// True when there is nothing more to open.
  bool try_open();
  bool are_tables_missing(const Error& error) const;
  Result<> open();
  SagaOrchestrator::ParticipantSource participant_source();

  // Constant after construction.
  const config::Config config_;
  const std::string callback_base_url_;
  Parts parts_;
  std::unique_ptr<SagaCache> cache_;  ///< Null: there is none. It outlives the orchestrator.

  std::mutex mutex_;
  std::condition_variable_any woken_;
  // Guarded by mutex_.
  std::unique_ptr<Running> running_;
  std::string told_;
  bool is_woken_ = false;
  bool is_stopping_ = false;

  std::jthread opener_;  // Last: it uses all of the above.
};

}  // namespace makegood::daemon
