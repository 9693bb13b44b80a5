#include "makegood/clock.hpp"

#include <ctime>

#include "base/real_time.hpp"
#include "makegood/delivery.hpp"

namespace makegood {
namespace {

class SystemClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }
  MonotonicTime monotonic() const override { return std::chrono::floor<Duration>(std::chrono::steady_clock::now()); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

MonotonicTime real_now() { return system_clock().monotonic(); }

Duration Lease::now() noexcept {
  timespec time = {};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::floor<Duration>(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace makegood
