#include "makegood/clock.hpp"

#include "base/real_time.hpp"

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

}  // namespace makegood
