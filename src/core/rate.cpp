#include "core/rate.hpp"

#include <algorithm>
#include <cmath>

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

constexpr double microseconds_per_second = 1e6;

}  // namespace

void Rate::limit_to(double per_second) {
  per_second_ = per_second;
  tokens_ = std::min(tokens_, size());
}

double Rate::size() const { return std::max(1.0, per_second_ / 10); }

std::size_t Rate::second_max() const { return static_cast<std::size_t>(std::ceil(per_second_)); }

void Rate::refill(MonotonicTime now) {
  while (!lately_.empty() && lately_.front().last + 1s <= now) {
    lately_count_ -= lately_.front().count;
    lately_.pop_front();
  }
  if (now <= filled_at_) return;
  const auto passed = static_cast<double>((now - filled_at_).count());
  tokens_ = std::min(size(), tokens_ + passed * per_second_ / microseconds_per_second);
  filled_at_ = now;
}

void Rate::note(MonotonicTime now) {
  const bool is_new = lately_.empty() || now >= lately_.back().first + 1ms;
  if (is_new) lately_.push_back({.first = now, .last = now, .count = 0});
  lately_.back().last = std::max(lately_.back().last, now);
  ++lately_.back().count;
  ++lately_count_;
}

bool Rate::take(MonotonicTime now) {
  if (!is_limited()) return true;
  if (next(now) > now) return false;
  tokens_ -= 1;
  note(now);
  return true;
}

MonotonicTime Rate::next(MonotonicTime now) {
  if (!is_limited()) return now;
  refill(now);
  MonotonicTime next = now;
  if (tokens_ < 1) {
    next += Duration(static_cast<Duration::rep>(std::ceil((1 - tokens_) * microseconds_per_second / per_second_)));
  }
  return lately_count_ < second_max() ? next : std::max(next, lately_.front().last + 1s);
}

}  // namespace makegood::core
