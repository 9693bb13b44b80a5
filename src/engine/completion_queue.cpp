#include "engine/completion_queue.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
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

CompletionQueue::CompletionQueue() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  MAKEGOOD_ASSERT(event_.number() >= 0);
}

void CompletionQueue::post(std::vector<Report> reports) {
  std::vector<Completion> completions;
  completions.reserve(reports.size());
  for (Report& report : reports) completions.push_back({report.ticket, judged_by_outbox(std::move(report.reply))});
  const std::scoped_lock lock(mutex_);
  happened_.completions.push_back(std::move(completions));
  signal();
}

void CompletionQueue::wake() {
  const std::scoped_lock lock(mutex_);
  happened_.is_woken = true;
  signal();
}

/// One write for as many posts as come before the next take.
void CompletionQueue::signal() {
  if (std::exchange(is_signalled_, true)) return;
  const std::uint64_t one = 1;
  MAKEGOOD_ASSERT(write(event_.number(), &one, sizeof one) == sizeof one);
}

std::vector<std::vector<Completion>> CompletionQueue::take_completions() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(happened_.completions, {});
}

Happened CompletionQueue::take() {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(is_signalled_, false)) {
    std::uint64_t count = 0;
    MAKEGOOD_ASSERT(read(event_.number(), &count, sizeof count) == sizeof count);
  }
  return std::exchange(happened_, {});
}

}  // namespace makegood::engine
