// The dispatchers of a daemon, one for each outbox; a store that is away is waited for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/transports.hpp"
#include "config/config.hpp"
#include "daemon/readiness.hpp"
#include "makegood/dispatcher.hpp"
#include "observe/log.hpp"

namespace makegood::daemon {

class Relays {
 public:
  struct Parts {
    Observer& observer;
    Readiness& readiness;
    observe::Log& log;
    std::shared_ptr<Transports> transports;
    Endpoints& endpoints;
    bool migrates = true;
    /// After the last outbox is open; its thread may wait here.
    std::function<void(const std::stop_token&)> all_opened = {};
    /// A mistake that no time mends: a store is not tried again.
    std::function<void(const Error&)> give_up = {};
  };
  /// The parts must outlive it.
  Relays(const config::Config& config, Parts parts)
      : store_(config.store), is_relaying_(config.outbox.is_enabled), parts_(std::move(parts)), config_(config) {}
  ~Relays() { stop({}); }
  Relays(const Relays&) = delete;
  Relays& operator=(const Relays&) = delete;

  void start();
  /// Until each store was opened, with its tables, or was found to be away; `at_most` so long.
  void await_first_opening(Duration at_most);
  /// There are new messages. Thread-safe.
  void wake(std::string_view outbox);
  void wake_all();
  void reconfigure(const config::Config& config);

  bool is_open(std::string_view outbox);
  /// For another process: what is under way may end, up to `grace`, and the lane is given up.
  void close(std::string_view outbox, Duration grace);
  /// After that. False: the store is away; try again.
  bool reopen(const std::string& outbox);
  /// How long a lane that somebody else owns is not asked for again.
  void set_patience(Duration patience) { patience_ = patience; }

  /// No new sends from now on; those under way may end, up to `grace`, and the lanes are given up.
  void stop(Duration grace);

 private:
  struct Relay {
    Transports::OfLane transports;
    Dispatcher dispatcher;
  };

  void open_all(const std::stop_token& stop);
  bool open_missing();
  bool try_open(const std::string& outbox);
  Result<> open(const std::string& outbox);
  DispatcherOptions options_for(const std::string& outbox) const;

  // Constant after construction.
  const config::StoreConfig store_;
  const bool is_relaying_;
  const Parts parts_;

  std::atomic<Duration> patience_ = Duration{};

  std::mutex mutex_;
  std::condition_variable_any stopped_;
  // Guarded by mutex_.
  config::Config config_;
  std::map<std::string, std::unique_ptr<Relay>, std::less<>> relays_;  ///< Null: the store is there, and not relayed.
  std::map<std::string, std::string> told_;                            ///< What was logged of each outbox.
  bool is_stopping_ = false;
  bool has_tried_ = false;  ///< To open each of them.
  std::condition_variable tried_;

  std::jthread opener_;  // Last: it uses all of the above.
};

}  // namespace makegood::daemon
