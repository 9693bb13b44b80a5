// What senders hand over to a loop, and when it has to end.
#pragma once

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "makegood/transport.hpp"

namespace makegood::http {

class Inbox {
 public:
  struct Batch {
    std::vector<Delivery> deliveries;
    Completions* done = nullptr;
    MonotonicTime sent_at;
  };

  /// True if the loop has to be woken up: it does not know yet that there is something.
  bool put(Batch batch) {
    const std::lock_guard lock(mutex_);
    if (end_at_) return false;
    batches_.push_back(std::move(batch));
    return batches_.size() == 1;
  }
  /// Takes nothing more, and forgets what it has. The first end stands.
  void close(MonotonicTime end_at) {
    std::vector<Batch> forgotten;  // Messages may be large: they are destroyed without the lock.
    const std::lock_guard lock(mutex_);
    if (!end_at_) end_at_ = end_at;
    std::swap(forgotten, batches_);
  }
  std::vector<Batch> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(batches_, {});
  }
  /// By when the loop has to be gone, once it is closed.
  std::optional<MonotonicTime> end_at() {
    const std::lock_guard lock(mutex_);
    return end_at_;
  }

 private:
  // Guarded by mutex_.
  std::mutex mutex_;
  std::vector<Batch> batches_;
  std::optional<MonotonicTime> end_at_;
};

}  // namespace makegood::http
