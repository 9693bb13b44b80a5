// Where a test receives completions, and waits for them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "makegood/spi/transport.hpp"

namespace makegood::testing_support {

/// Longer than anything takes that works at all.
inline constexpr std::chrono::seconds patience_max{20};
/// For what must not happen: how long a test watches for it.
inline constexpr std::chrono::milliseconds quiet{60};

class CompletionInbox final : public Completions {
 public:
  /// Judged as an outbox does.
  void post(std::vector<Report> reports) override {
    const std::lock_guard lock(mutex_);
    threads_.insert(std::this_thread::get_id());
    ++post_count_;
    for (Report& report : reports) {
      if (report.reply.content) contents_.push_back(report.reply.content);
      received_.push_back({report.ticket, judged_by_outbox(std::move(report.reply))});
    }
    arrived_.notify_all();
  }

  /// True when at least `count` have arrived.
  bool await(std::size_t count, std::chrono::milliseconds limit = patience_max) {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, limit, [&] { return received_.size() >= count; });
  }
  std::vector<Completion> all() {
    const std::lock_guard lock(mutex_);
    return received_;
  }
  /// What was kept of answers.
  std::vector<std::shared_ptr<const Reply::Content>> contents() {
    const std::lock_guard lock(mutex_);
    return contents_;
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return received_.size();
  }
  std::size_t post_count() {
    const std::lock_guard lock(mutex_);
    return post_count_;
  }
  /// How often each ticket was completed.
  std::map<Ticket, std::size_t> times() {
    const std::lock_guard lock(mutex_);
    std::map<Ticket, std::size_t> times;
    for (const Completion& completion : received_) ++times[completion.ticket];
    return times;
  }
  std::set<std::thread::id> threads() {
    const std::lock_guard lock(mutex_);
    return threads_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Completion> received_;
  std::vector<std::shared_ptr<const Reply::Content>> contents_;
  std::set<std::thread::id> threads_;
  std::size_t post_count_ = 0;
};

}  // namespace makegood::testing_support
