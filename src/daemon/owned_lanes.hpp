// Which lanes this process owns, as they say it themselves.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string_view>

#include "daemon/node_share.hpp"
#include "makegood/observe.hpp"

namespace makegood::daemon {

/// Thread-safe.
class OwnedLanes final : public Observer {
 public:
  void figures(std::string_view outbox, const LaneFigures& figures) override {
    {
      const std::scoped_lock lock(mutex_);
      const auto found = names_.find(outbox);
      if (figures.is_owner == (found != names_.end())) return;
      if (figures.is_owner) {
        names_.emplace(outbox);
      } else {
        names_.erase(found);
      }
    }
    changed_.notify_all();
  }

  LaneNames names() const {
    const std::scoped_lock lock(mutex_);
    return names_;
  }
  /// Until they are others than `known`; not for longer than `time`, and not when it is to stop.
  void await_change(const LaneNames& known, Duration time, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, time, [&] { return names_ != known; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  LaneNames names_;  // Guarded by mutex_.
};

}  // namespace makegood::daemon
