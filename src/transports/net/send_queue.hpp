// What senders hand over to a loop, whom it has to drain, and whether it has to end.
#pragma once

#include <algorithm>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

#include "makegood/spi/transport.hpp"

namespace makegood::net {

class SendQueue {
 public:
  struct Batch {
    std::vector<Delivery> deliveries;
    Completions* done = nullptr;
    MonotonicTime sent_at;
  };
  /// Nothing of `done` is under way any more, by `end_at` at the latest; then it is told.
  struct Drain {
    Completions* done = nullptr;
    MonotonicTime end_at;
    std::promise<void> drained = {};
  };

  /// True if the loop has to be woken up: it does not know yet that there is something.
  bool put(Batch batch) {
    const std::lock_guard lock(mutex_);
    if (is_closed_ || is_draining(batch.done)) return false;
    batches_.push_back(std::move(batch));
    return batches_.size() == 1;
  }
  /// Until `drained`, nothing more is taken of it, and what is here is forgotten.
  void put(Drain drain) {
    std::vector<Batch> forgotten;  // Messages may be large: they are destroyed without the lock.
    const std::lock_guard lock(mutex_);
    const auto others =
        std::ranges::stable_partition(batches_, [&](const Batch& batch) { return batch.done != drain.done; });
    std::ranges::move(others, std::back_inserter(forgotten));
    batches_.erase(others.begin(), others.end());
    draining_.push_back(drain.done);
    drains_.push_back(std::move(drain));
  }
  void drained(Drain& drain) {
    {
      const std::lock_guard lock(mutex_);
      draining_.erase(std::ranges::find(draining_, drain.done));
    }
    drain.drained.set_value();
  }
  /// Takes nothing more, and forgets what it has.
  void close() {
    std::vector<Batch> forgotten;
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    std::swap(forgotten, batches_);
  }
  std::vector<Batch> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(batches_, {});
  }
  std::vector<Drain> take_drains() {
    const std::lock_guard lock(mutex_);
    return std::exchange(drains_, {});
  }
  bool is_closed() {
    const std::lock_guard lock(mutex_);
    return is_closed_;
  }

 private:
  bool is_draining(const Completions* done) const { return std::ranges::find(draining_, done) != draining_.end(); }

  // Guarded by mutex_.
  std::mutex mutex_;
  std::vector<Batch> batches_;
  std::vector<Drain> drains_;           ///< That the loop has not taken.
  std::vector<Completions*> draining_;  ///< Until they are drained.
  bool is_closed_ = false;
};

}  // namespace makegood::net
