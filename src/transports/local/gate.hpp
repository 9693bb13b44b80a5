// The way out for reports. Whoever posts enters before the reports are in no slot any more, so that after
// `await` nobody holds any of that receiver. Once it is closed nobody gets through, and nobody is inside any more.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

#include "transports/local/slot.hpp"

namespace makegood::local {

class Gate {
 public:
  /// `take` is called inside and returns the reports.
  template <class Take>
  void post(Completions* done, Take take) {
    enter(done);
    post_inside({.reports = take(), .done = done});
  }
  void enter(Completions* done) {
    const std::lock_guard lock(mutex_);
    inside_.insert(done);
  }
  /// And leaves.
  void post_inside(Answers answers) {
    const bool is_open = !is_closed();
    if (is_open && !answers.reports.empty()) answers.done->post(std::move(answers.reports));
    const std::lock_guard lock(mutex_);
    inside_.erase(inside_.find(answers.done));
    somebody_left_.notify_all();
  }

  /// Until everybody has left who posts to it.
  void await(Completions* done) {
    std::unique_lock lock(mutex_);
    somebody_left_.wait(lock, [&] { return !inside_.contains(done); });
  }
  void close() {
    std::unique_lock lock(mutex_);
    is_closed_ = true;
    somebody_left_.wait(lock, [&] { return inside_.empty(); });
  }

 private:
  bool is_closed() {
    const std::lock_guard lock(mutex_);
    return is_closed_;
  }

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable somebody_left_;
  std::multiset<Completions*> inside_;
  bool is_closed_ = false;
};

}  // namespace makegood::local
