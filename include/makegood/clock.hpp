// Time is an argument everywhere below the engine; this is its vocabulary, and the one real clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace makegood {

using Duration = std::chrono::microseconds;
/// A moment on the store's clock (wall time, UTC).
using TimePoint = std::chrono::sys_time<Duration>;
/// A moment on this process's monotonic clock; never stored, never compared across processes.
using MonotonicTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

constexpr std::int64_t to_milliseconds(TimePoint time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}
constexpr TimePoint from_milliseconds(std::int64_t milliseconds) {
  return TimePoint(std::chrono::milliseconds(milliseconds));
}

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
  virtual MonotonicTime monotonic() const = 0;
};

/// The clock of this machine.
const Clock& system_clock();

/// Seconds since 1970, of a moment from 2001 to 5138, read as milliseconds.
constexpr bool looks_like_seconds(TimePoint time) {
  return time >= from_milliseconds(1'000'000'000) && time < from_milliseconds(100'000'000'000);
}

}  // namespace makegood
