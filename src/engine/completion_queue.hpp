// Where an owner's thread finds what came of its sends.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "engine/wake_up.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood::engine {

/// What transports report, judged by whoever has sent it: a lane keeps completions; who needs the replies themselves
/// keeps the reports. Thread-safe.
template <class Judged>
class CompletionQueue final : public Completions {
 public:
  /// Called on the thread of the transport: that of the owner has enough to do.
  using Judge = std::vector<Judged> (*)(std::vector<Report> reports);

  /// `wake_up` must outlive the queue.
  CompletionQueue(WakeUp& wake_up, Judge judge) : wake_up_(wake_up), judge_(judge) {}

  void post(std::vector<Report> reports) override {
    if (add(judge_(std::move(reports)))) wake_up_.arrived();
  }

  /// One vector for each post.
  std::vector<std::vector<Judged>> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(posts_, {});
  }

 private:
  /// True if it is the first since the last take. Whoever adds another need not signal: the first one does.
  bool add(std::vector<Judged> judged) {
    const std::scoped_lock lock(mutex_);
    posts_.push_back(std::move(judged));
    return posts_.size() == 1;
  }

  // Constant after construction.
  WakeUp& wake_up_;
  const Judge judge_;
  // Guarded by mutex_.
  std::mutex mutex_;
  std::vector<std::vector<Judged>> posts_;
};

}  // namespace makegood::engine
