// The real engine, the real store and the real in-process transport, watched, in one thread of the test's own.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "makegood/dispatcher.hpp"
#include "makegood/handlers.hpp"
#include "makegood/spi/registry.hpp"
#include "tests/crash/chronicle.hpp"
#include "tests/crash/place.hpp"
#include "tests/crash/watched_transport.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood::crash {

inline constexpr std::string_view receipts = "fn:receipts";

/// The machine's time, and so much later; from then on the clock moves as a test says.
void set_to_machine_time(testing_support::FakeClock& clock, Duration later = {});

class Relay {
 public:
  /// Opens the store and makes its tables. Everything given outlives the relay.
  static Result<std::unique_ptr<Relay>> open(const Place& place, const Chronicle& chronicle, const Clock& clock,
                                             Duration lease = std::chrono::seconds(10));
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  Dispatcher& dispatcher() { return *dispatcher_; }
  /// Broken messages are taken too, from now on.
  void repair() { is_repaired_ = true; }
  /// Exchanges and sends for this long on the clock, which moves as fast as there is nothing to do.
  void run_for(Duration duration, testing_support::FakeClock& clock);

 private:
  explicit Relay(const Chronicle& chronicle);
  Outcome handle(const Delivery& delivery) const;

  const Chronicle& chronicle_;
  std::atomic<bool> is_repaired_ = false;
  Owner owner_;
  Handlers handlers_{{.threads = 1}};
  WatchedTransport transport_;
  std::optional<Dispatcher> dispatcher_;
};

}  // namespace makegood::crash
