// Waiting for the end of a drain.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "makegood/observe.hpp"

namespace makegood::bench {

/// Counts deliveries that have succeeded, and tells when all have.
class Finish final : public Observer {
 public:
  explicit Finish(std::size_t count) : left_(count) {}
  void attempts_ended(std::string_view, std::span<const EndedAttempt> deliveries) override {
    std::size_t delivered = 0;
    for (const EndedAttempt& delivery : deliveries) delivered += delivery.fate == Fate::delivered ? 1 : 0;
    if (delivered == 0 || left_.fetch_sub(delivered) != delivered) return;
    const std::scoped_lock lock(mutex_);
    is_done_ = true;
    done_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return is_done_; });
  }

 private:
  std::atomic<std::size_t> left_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
};

}  // namespace makegood::bench
