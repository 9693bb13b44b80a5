// A store that waits for a while after it was refused a lane: each question costs the server something.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "base/forwarding_store.hpp"
#include "makegood/clock.hpp"

namespace makegood::daemon {

class PatientStore final : public ForwardingStore {
 public:
  /// `patience` and `clock` must outlive it.
  PatientStore(std::unique_ptr<OutboxStore> store, const std::atomic<Duration>& patience,
               const Clock& clock = system_clock())
      : ForwardingStore(std::move(store)), patience_(patience), clock_(clock) {}

  /// Empty without asking, when it was refused a moment ago.
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override;

 private:
  const std::atomic<Duration>& patience_;
  const Clock& clock_;
  std::optional<MonotonicTime> refused_at_;
};

}  // namespace makegood::daemon
