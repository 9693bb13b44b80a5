// A clock that moves only when a test says so. Any thread may read it while one moves it.
#pragma once

#include <atomic>

#include "makegood/clock.hpp"

namespace makegood::testing_support {

class FakeClock final : public Clock {
 public:
  TimePoint now() const override { return start + Duration(elapsed_.load() + shift_.load()); }
  MonotonicTime monotonic() const override { return MonotonicTime(Duration(elapsed_.load())); }

  void advance(Duration by) { elapsed_ += by.count(); }
  /// Sets the wall clock, forward or back, as an administrator would; the monotonic clock does not notice.
  void shift_wall(Duration by) { shift_ += by.count(); }

 private:
  static constexpr TimePoint start = std::chrono::sys_days(std::chrono::year(2024) / 5 / 17) + std::chrono::hours(9);
  std::atomic<Duration::rep> elapsed_ = 0;
  std::atomic<Duration::rep> shift_ = 0;
};

}  // namespace makegood::testing_support
