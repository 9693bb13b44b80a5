#include "makegood/clock.hpp"

#include <atomic>
#include <ctime>

#include "base/advance_clock.hpp"
#include "base/real_time.hpp"
#include "makegood/delivery.hpp"

namespace makegood {
namespace {

/// How far `makegood dev` has moved the clock ahead.
std::atomic<Duration> clock_lead = Duration::zero();

class SystemClock final : public Clock {
 public:
  TimePoint now() const override {
    return std::chrono::floor<Duration>(std::chrono::system_clock::now()) + clock_lead.load(std::memory_order_relaxed);
  }
  MonotonicTime monotonic() const override {
    return std::chrono::floor<Duration>(std::chrono::steady_clock::now()) + clock_lead.load(std::memory_order_relaxed);
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

void advance_clock(Duration span) {
  Duration lead = clock_lead.load();
  while (!clock_lead.compare_exchange_weak(lead, lead + span)) {
  }
}

MonotonicTime real_now() { return system_clock().monotonic(); }

Duration Lease::now() noexcept {
  timespec time = {};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::floor<Duration>(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace makegood
