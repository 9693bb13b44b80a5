#include "engine/wake_up.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <utility>

#include "makegood/spi/assert.hpp"

namespace makegood::engine {

bool wait_for(int descriptor, Duration timeout) {
  const auto left = std::max<Duration>(timeout, {});
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  const timespec limit{.tv_sec = seconds.count(), .tv_nsec = std::chrono::nanoseconds(left - seconds).count()};
  pollfd event{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ppoll(&event, 1, &limit, nullptr) > 0;
}

WakeUp::WakeUp() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { MAKEGOOD_ASSERT(event_.number() >= 0); }

void WakeUp::arrived() {
  const std::scoped_lock lock(mutex_);
  signal();
}

void WakeUp::wake() {
  const std::scoped_lock lock(mutex_);
  is_woken_ = true;
  signal();
}

/// One write for as many signals as come before the next take.
void WakeUp::signal() {
  if (std::exchange(is_signalled_, true)) return;
  const std::uint64_t one = 1;
  MAKEGOOD_ASSERT(write(event_.number(), &one, sizeof one) == sizeof one);
}

bool WakeUp::take() {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(is_signalled_, false)) {
    std::uint64_t count = 0;
    MAKEGOOD_ASSERT(read(event_.number(), &count, sizeof count) == sizeof count);
  }
  return std::exchange(is_woken_, false);
}

}  // namespace makegood::engine
