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
#include "makegood/saga.hpp"
#include "observe/log.hpp"

namespace makegood::daemon {

class Sagas {
 public:
  struct Parts {
    Observer& observer;
    observe::Log& log;
    std::shared_ptr<Transports> transports;
  };
  /// The parts must outlive it.
  Sagas(const config::Config& config, std::string callback_base_url, Parts parts)
      : config_(config), callback_base_url_(std::move(callback_base_url)), parts_(std::move(parts)) {}
  ~Sagas() { stop({}); }
  Sagas(const Sagas&) = delete;
  Sagas& operator=(const Sagas&) = delete;

  void start();
  /// There are new requests, or tables. Thread-safe.
  void wake();
  /// No new attempts from now on; those under way may end, up to `grace`.
  void stop(Duration grace);

 private:
  struct Running {
    Transports::OfLane transports;
    SagaOrchestrator orchestrator;
  };

  void open_until(const std::stop_token& stop);
  /// True when there is nothing more to open.
  bool try_open();
  Result<> open();
  SagaOrchestrator::ParticipantSource participant_source();

  // Constant after construction.
  const config::Config config_;
  const std::string callback_base_url_;
  const Parts parts_;

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
