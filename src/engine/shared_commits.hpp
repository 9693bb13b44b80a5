// What several threads ask of a store at once shares one commit: the first to come runs for all that have come
// meanwhile. No timer: while one commit is under way, the next batch gathers.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace makegood {

template <class Ask, class Answer>
class SharedCommits {
 public:
  /// An answer for each, in the same order. Called by one thread at a time.
  using Run = std::function<std::vector<Answer>(std::span<const Ask>)>;
  explicit SharedCommits(Run run) : run_(std::move(run)) {}

  Answer ask(const Ask& ask) {
    Waiting mine{.ask = &ask};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&mine);
    mine.leads = !std::exchange(is_led_, true);
    mine.is_called.wait(lock, [&] { return mine.leads || mine.answer; });
    if (mine.leads) lead(lock);
    return *std::move(mine.answer);
  }

 private:
  static constexpr std::size_t batch_max = 200;

  struct Waiting {
    const Ask* ask;
    std::optional<Answer> answer = {};
    bool leads = false;
    std::condition_variable is_called = {};  ///< Its own: nobody is woken who would only go on waiting.
  };

  /// Whoever leads is the first of those that wait.
  void lead(std::unique_lock<std::mutex>& lock) {
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), batch_max));
    const std::vector<Waiting*> batch(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    lock.unlock();
    std::vector<Ask> asks;
    asks.reserve(batch.size());
    for (const Waiting* one : batch) asks.push_back(*one->ask);
    std::vector<Answer> answers = run_(asks);
    lock.lock();
    // Called under the lock: whoever has its answer may go, and what it waits on with it.
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch[i]->answer = std::move(answers[i]);
      batch[i]->is_called.notify_one();
    }
    is_led_ = !waiting_.empty();
    if (waiting_.empty()) return;
    waiting_.front()->leads = true;
    waiting_.front()->is_called.notify_one();
  }

  const Run run_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<Waiting*> waiting_;
  bool is_led_ = false;
};

}  // namespace makegood
