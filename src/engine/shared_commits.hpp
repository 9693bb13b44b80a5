// What several threads ask of a store at once shares one commit: the first to come runs for all that have come
// meanwhile. No timer: while one commit is under way, the next batch gathers.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
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
    while (!mine.answer) {
      if (is_led_) {
        has_answered_.wait(lock);
      } else {
        lead(lock);
      }
    }
    return *std::move(mine.answer);
  }

 private:
  static constexpr std::size_t batch_max = 200;

  struct Waiting {
    const Ask* ask;
    std::optional<Answer> answer = {};
  };

  void lead(std::unique_lock<std::mutex>& lock) {
    is_led_ = true;
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), batch_max));
    const std::vector<Waiting*> batch(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    lock.unlock();
    std::vector<Ask> asks;
    asks.reserve(batch.size());
    for (const Waiting* one : batch) asks.push_back(*one->ask);
    std::vector<Answer> answers = run_(asks);
    lock.lock();
    for (std::size_t i = 0; i < batch.size(); ++i) batch[i]->answer = std::move(answers[i]);
    is_led_ = false;
    has_answered_.notify_all();
  }

  const Run run_;
  std::mutex mutex_;
  std::condition_variable has_answered_;
  // Guarded by mutex_.
  std::vector<Waiting*> waiting_;
  bool is_led_ = false;
};

}  // namespace makegood
