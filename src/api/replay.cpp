#include "api/replay.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>

#include "api/asking.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::api {
namespace {

constexpr std::size_t page_rows = 100;
constexpr std::size_t open_max = 1000;  ///< Requests without an answer; beyond it the owner is waited for.
constexpr Duration look_interval = std::chrono::milliseconds(20);

DeadFilter dead_only(DeadFilter filter, std::optional<TimePoint> until) {
  filter.state = ParkedState::dead;
  if (until) filter.changed_until = std::min(filter.changed_until.value_or(*until), *until);
  return filter;
}

class Replay {
 public:
  Replay(const ReplayWish& wish, const std::stop_token& stop, std::optional<Duration> answer_wait,
         const std::function<void(const ReplayProgress&)>& tell)
      : wish_(wish), stop_(stop), answer_wait_(answer_wait), tell_(tell) {}

  Result<> run() {
    view_ = MAKEGOOD_TRY(open_outbox_view(wish_.store_url, wish_.outbox));
    progress_.total = MAKEGOOD_TRY(count_for(*view_, wish_));
    tell_(progress_);
    MAKEGOOD_TRY(ask_for_all());
    return await_answers(0);
  }

 private:
  Result<> ask_for_all() {
    // A moment later than now: what is dead at this moment is part of it.
    const DeadFilter filter = dead_only(wish_.filter, system_clock().now() + std::chrono::milliseconds(1));
    const std::size_t limit = wish_.limit.value_or(std::numeric_limits<std::size_t>::max());
    DeadCursor after;
    while (!stop_.stop_requested() && progress_.asked < limit) {
      const auto letters = MAKEGOOD_TRY(view_->list_dead(filter, after, std::min(page_rows, limit - progress_.asked)));
      if (letters.empty()) return {};
      after = {letters.back().parked.sequence, letters.back().parked.destination};
      for (const DeadLetter& letter : letters) {
        if (stop_.stop_requested()) return {};
        MAKEGOOD_TRY(ask_for(letter.parked));
      }
    }
    return {};
  }

  Result<> ask_for(const Parked& parked) {
    keep_to_the_rate();
    NewRequest request{.kind = RequestKind::replay,
                       .sequence = parked.sequence,
                       .destination = parked.destination,
                       .operator_name = wish_.operator_name};
    request.reason = wish_.reason;
    open_.push_back(MAKEGOOD_TRY(view_->request(request)));
    ++progress_.asked;
    if (open_.size() % page_rows == 0 || wish_.rate_per_second > 0) MAKEGOOD_TRY(count_answers());
    tell_(progress_);
    return open_.size() < open_max ? Result<>() : await_answers(open_max - 1);
  }

  void keep_to_the_rate() {
    if (wish_.rate_per_second <= 0) return;
    const MonotonicTime now = system_clock().monotonic();
    next_at_ = std::max(next_at_, now);
    wait(next_at_ - now);
    next_at_ += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / wish_.rate_per_second));
  }

  /// Until at most `left` are without an answer.
  Result<> await_answers(std::size_t left) {
    MonotonicTime last_news = system_clock().monotonic();
    while (!stop_.stop_requested()) {
      const std::size_t before = open_.size();
      MAKEGOOD_TRY(count_answers());
      tell_(progress_);
      if (open_.size() <= left) return {};
      const MonotonicTime now = system_clock().monotonic();
      if (open_.size() != before) last_news = now;
      if (answer_wait_ && now - last_news >= *answer_wait_) return {};
      wait(look_interval);
    }
    return {};
  }

  /// The owner answers in the order of asking, but for those that speak of one delivery twice.
  Result<> count_answers() {
    while (!open_.empty()) {
      const auto answer = MAKEGOOD_TRY(view_->answer_to(open_.front()));
      if (!answer) return {};
      refusal(*answer) ? ++progress_.refused : ++progress_.done;
      open_.pop_front();
    }
    return {};
  }

  void wait(Duration duration) {
    std::unique_lock lock(mutex_);
    never_.wait_for(lock, stop_, duration, [] { return false; });
  }

  const ReplayWish& wish_;
  const std::stop_token& stop_;
  const std::optional<Duration> answer_wait_;
  const std::function<void(const ReplayProgress&)>& tell_;
  std::unique_ptr<OutboxView> view_;
  ReplayProgress progress_;
  std::deque<std::int64_t> open_;
  MonotonicTime next_at_ = {};
  std::mutex mutex_;
  std::condition_variable_any never_;
};

}  // namespace

Result<std::size_t> count_for(OutboxView& view, const ReplayWish& wish) {
  const std::size_t count = MAKEGOOD_TRY(view.count_dead(dead_only(wish.filter, std::nullopt)));
  return std::min(count, wish.limit.value_or(count));
}

Result<> replay_dead(const ReplayWish& wish, const std::stop_token& stop, std::optional<Duration> answer_wait,
                     const std::function<void(const ReplayProgress&)>& tell) {
  return Replay(wish, stop, answer_wait, tell).run();
}

}  // namespace makegood::api
