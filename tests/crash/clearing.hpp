// A saga that moves money between three banks: the real orchestrator, the real store and the real in-process transport,
// watched, in one thread of the test's own. What becomes of a transfer is in its name: `mood-number`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/saga.hpp"
#include "tests/crash/bank.hpp"
#include "tests/crash/place.hpp"
#include "tests/crash/watched_transport.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood::crash {

/// `good`: all is done. `shy`: an answer is lost, and the repeated one is not. `lost`: all answers of a step are.
/// `broke`: refused by the last bank. `patient`: tried again much later. `slow`: answered by a callback. `fickle`: as
/// slow, and called off meanwhile. `risky`: somebody has to decide, and says no.
inline constexpr auto moods =
    std::to_array<std::string_view>({"good", "shy", "lost", "broke", "patient", "slow", "fickle", "risky"});
std::string_view mood_of(std::string_view transfer);

/// What each step of a transfer moves; together nothing.
inline constexpr std::int64_t withdrawn = -30;
inline constexpr std::int64_t deposited = 20;
inline constexpr std::int64_t fee = 10;

inline constexpr const char* transfer_definition = "transfer";
inline constexpr const char* transfer_ended_topic = "transfer.ended";

/// A step that is to be answered by a callback.
struct Owed {
  BankKey key;
  std::uint32_t attempt = 0;
};

class Banks {
 public:
  explicit Banks(const Place& place);
  Bank alpha, beta, gamma;
};

class Clearing {
 public:
  /// Opens the store and makes its tables. Everything given outlives it.
  static Result<std::unique_ptr<Clearing>> open(const Place& place, const Chronicle& chronicle, const Clock& clock);
  Clearing(const Clearing&) = delete;
  Clearing& operator=(const Clearing&) = delete;

  static SagaDefinition definition();
  SagaOrchestrator& orchestrator() { return *orchestrator_; }
  /// As Relay::run_for.
  void run_for(Duration duration, testing_support::FakeClock& clock);
  /// What has to be called back; each is given out once.
  std::vector<Owed> take_owed();
  Bank& slow_bank() { return banks_.gamma; }

 private:
  Clearing(const Place& place, const Chronicle& chronicle);
  Reply serve(Bank& bank, const Delivery& delivery);
  Reply act(Bank& bank, const Delivery& delivery);

  Banks banks_;
  std::mutex mutex_;
  std::vector<Owed> owed_;  ///< Guarded by mutex_.
  Owner owner_;
  Handlers handlers_{{.threads = 1}};
  WatchedTransport transport_;
  std::optional<SagaOrchestrator> orchestrator_;
};

}  // namespace makegood::crash
