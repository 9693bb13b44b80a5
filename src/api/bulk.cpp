#include "api/bulk.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>

namespace makegood::api {
namespace {

constexpr std::size_t asked_at_once = 100;
constexpr std::size_t open_max = 1000;  ///< Requests without an answer; beyond it the owner is waited for.
constexpr Duration look_interval = std::chrono::milliseconds(20);

class Bulk {
 public:
  Bulk(BulkWork& work, const BulkPace& pace, const BulkControl& control, const TellProgress& tell)
      : work_(work), pace_(pace), control_(control), tell_(tell) {}

  Result<> run() {
    progress_.total = std::min(MAKEGOOD_TRY(work_.count()), limit());
    tell_(progress_);
    MAKEGOOD_TRY(ask_for_all());
    return await_answers(0);
  }

 private:
  std::size_t limit() const { return pace_.limit.value_or(std::numeric_limits<std::size_t>::max()); }
  bool is_stopped() const { return control_.stop.stop_requested(); }
  bool is_paused() const { return control_.is_paused && *control_.is_paused; }

  Result<> ask_for_all() {
    while (progress_.asked < limit()) {
      wait_for_the_turn();
      if (is_stopped()) return {};
      const std::size_t at_once = pace_.rate_per_second > 0 ? 1 : asked_at_once;
      const std::size_t asked = MAKEGOOD_TRY(work_.ask_for_more(std::min(at_once, limit() - progress_.asked)));
      if (asked == 0) return {};
      progress_.asked += asked;
      MAKEGOOD_TRY(work_.hear(progress_));
      tell_(progress_);
      if (work_.open_count() >= open_max) MAKEGOOD_TRY(await_answers(open_max - 1));
    }
    return {};
  }

  /// Until the rate allows one more, and while it is paused.
  void wait_for_the_turn() {
    while (is_paused() && !is_stopped()) wait(look_interval);
    if (pace_.rate_per_second <= 0) return;
    const MonotonicTime now = system_clock().monotonic();
    next_at_ = std::max(next_at_, now);
    while (next_at_ > system_clock().monotonic() && !is_stopped()) {
      wait(std::min<Duration>(next_at_ - system_clock().monotonic(), std::chrono::seconds(1)));
    }
    next_at_ += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / pace_.rate_per_second));
    while (is_paused() && !is_stopped()) wait(look_interval);
  }

  /// Until at most `left` are without an answer.
  Result<> await_answers(std::size_t left) {
    MonotonicTime last_news = system_clock().monotonic();
    while (!is_stopped()) {
      const std::size_t before = work_.open_count();
      MAKEGOOD_TRY(work_.hear(progress_));
      tell_(progress_);
      if (work_.open_count() <= left) return {};
      const MonotonicTime now = system_clock().monotonic();
      if (work_.open_count() != before) last_news = now;
      if (pace_.answer_wait && now - last_news >= *pace_.answer_wait) return {};
      wait(look_interval);
    }
    return {};
  }

  void wait(Duration duration) {
    std::unique_lock lock(mutex_);
    never_.wait_for(lock, control_.stop, duration, [] { return false; });
  }

  BulkWork& work_;
  const BulkPace& pace_;
  const BulkControl& control_;
  const TellProgress& tell_;
  BulkProgress progress_;
  MonotonicTime next_at_ = {};
  std::mutex mutex_;
  std::condition_variable_any never_;
};

}  // namespace

Result<> carry_out(BulkWork& work, const BulkPace& pace, const BulkControl& control, const TellProgress& tell) {
  return Bulk(work, pace, control, tell).run();
}

}  // namespace makegood::api
