#include "engine/change_poll.hpp"

#include <algorithm>
#include <chrono>

#include "engine/wake_up.hpp"

namespace makegood::engine {
namespace {

using namespace std::chrono_literals;

/// How long a commit may take from its first write until it can be seen, before only the slow poll is left to notice
/// it.
constexpr Duration stir_time = 150ms;
constexpr Duration first_poll_wait = 1ms;
/// Nobody writes, as far as the store can tell.
constexpr Duration quiet_poll_wait = 100ms;

/// Where the store has no signs: what has come is followed by more for about so long, and noticed this fast. Evenly,
/// because asking sooner at first and later then costs more questions for the same wait.
constexpr Duration busy_time = 100ms;
constexpr Duration busy_poll_wait = 4ms;

}  // namespace

bool ChangePoll::may_have_changed(MonotonicTime now) {
  const bool has_signs = owned_.change_descriptor() >= 0;
  if (has_signs && has_sign()) {
    stirred_until_ = now + stir_time;
    wait_ = first_poll_wait;
    next_ = now;
  }
  if (now < next_) return false;
  const bool is_quiet = has_signs && now >= stirred_until_;
  const Duration interval = owned_.pace().poll_interval;
  wait_ = !has_signs || wait_ == Duration{} ? wait_without_signs(now) : std::min(wait_ * 2, interval);
  next_ = now + (is_quiet ? std::max(quiet_poll_wait, interval) : wait_);
  return owned_.has_changed();
}

bool ChangePoll::has_sign() const { return wait_for(owned_.change_descriptor(), {}); }

Duration ChangePoll::wait_without_signs(MonotonicTime now) const {
  const Duration interval = owned_.pace().poll_interval;
  return now < busy_until_ ? std::min(busy_poll_wait, interval) : interval;
}

/// Where there are signs, they say when the store is asked.
void ChangePoll::expect_more(MonotonicTime now) {
  busy_until_ = now + busy_time;
  if (owned_.change_descriptor() < 0) next_ = std::min(next_, now + wait_without_signs(now));
}

}  // namespace makegood::engine
