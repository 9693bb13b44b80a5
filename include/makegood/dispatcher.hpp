// The relay of one lane: look, decide, commit the turn, send.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/destination.hpp"
#include "makegood/observe.hpp"
#include "makegood/spi/store.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood {

struct LaneLimits {
  std::size_t batch_rows_max = 500;
  std::size_t batch_bytes_max = std::size_t{4} << 20;
  std::size_t window_rows_max = 2000;  ///< Deliveries read and not ended.
  std::size_t window_bytes_max = std::size_t{16} << 20;
  std::size_t passed_rows_max = 20'000;  ///< Rows of others that one look may pass.
  std::size_t side_lanes_max = 512;
  std::size_t parked_max = 10'000;  ///< Per destination: waiting for a retry, or held. Beyond it a side lane is opened.
  std::size_t held_per_key_max = 100;                       ///< Per key, likewise.
  std::size_t open_ranges_max = 50'000;                     ///< Runs of open numbers; beyond it nothing more is read.
  Duration crowded_after = std::chrono::milliseconds(250);  ///< How long the window may be full before a scope leaves.
};

struct DispatcherOptions {
  std::string outbox = "makegood_outbox";
  /// Where this process runs, as in `production`. A store that was taken under another name is a copy, and sends
  /// nothing here; under the same name it is the original, wherever it lies.
  std::string environment = {};
  std::vector<Destination> destinations = {};
  std::vector<Route> routes = {};
  /// Destinations and routes are those of the newest version in the store, and change by requests of operators; the two
  /// lists above must be empty. Otherwise such requests are refused: the program registers them itself.
  bool is_registry_in_store = false;
  LaneLimits limits = {};
  Duration lease = std::chrono::seconds(10);
  Duration poll_interval = std::chrono::milliseconds(15);  ///< How often commits of other processes are looked for.
  Duration safety_interval = std::chrono::seconds(1);      ///< A look happens at least this often.
  bool is_cleaner_enabled = true;
  Duration clean_interval = std::chrono::minutes(1);
  Clean clean = {.retention = std::chrono::hours(168), .dead_retention = {}, .rows_max = 1000};
};

/// What dispatchers and sagas share about the destinations that they call: circuit, rate, health and places of each
/// destination, for all that are given this object: `in_flight_max` and `rate_max` of a destination then count for all
/// of them together, and an outage that one of them meets is known to all. Only destinations with the same name and the
/// same settings are shared, and no functions of the process. It must outlive whom it is given to. Thread-safe.
class Endpoints {
 public:
  Endpoints();
  ~Endpoints();
  Endpoints(const Endpoints&) = delete;
  Endpoints& operator=(const Endpoints&) = delete;

  class Shared;
  Shared& shared() { return *shared_; }

 private:
  const std::unique_ptr<Shared> shared_;
};

/// Owns one store connection. `start` runs the lane on a thread of its own; `run_once` is for programs with an event
/// loop.
class Dispatcher {
 public:
  /// `transports` must outlive the dispatcher, and others may use them too; `observer` may be null. With `endpoints` it
  /// shares what is known of destinations with all that have the same; without, with nobody.
  Dispatcher(std::unique_ptr<OutboxStore> store, std::vector<Transport*> transports, DispatcherOptions options,
             Observer* observer = nullptr, const Clock& clock = system_clock(), Endpoints* endpoints = nullptr);
  ~Dispatcher();
  Dispatcher(Dispatcher&&) noexcept;
  Dispatcher& operator=(Dispatcher&&) noexcept;

  void start();
  /// Starts no new sends, waits up to `grace` for those under way, records what became of them, gives the lane up.
  void stop(Duration grace = std::chrono::seconds(25));

  /// One exchange and its sends; waits for something to do until `deadline` at the latest. True if anything was done.
  bool run_once(MonotonicTime deadline);
  /// Readable when `run_once` has something to do at once, or may have: an answer has come in, somebody has called
  /// `wake()`, or the store shows signs that somebody writes (another process, or this dispatcher itself). Timers do
  /// not show here, nor do commits where the store has no signs: call `run_once` at `next_wake()` too.
  int wake_descriptor() const;
  MonotonicTime next_wake() const;

  /// There may be new messages. Thread-safe, cheap, never required.
  void wake();
  /// Takes effect with the next exchange. Thread-safe. The outbox and the lease stay as they are.
  void reconfigure(DispatcherOptions options);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

/// Tells a daemon on the same machine that something was committed, so that it looks at once. It never waits, and is
/// never required: who does not ring, or rings where nobody listens, is noticed as usual. Thread-safe.
class Doorbell {
 public:
  /// The path that the daemon has as `server.doorbell`.
  explicit Doorbell(const std::string& path);
  ~Doorbell();
  Doorbell(Doorbell&&) noexcept;
  Doorbell& operator=(Doorbell&&) noexcept;

  void ring() const noexcept;

 private:
  class Wire;
  std::unique_ptr<Wire> wire_;
};

}  // namespace makegood
