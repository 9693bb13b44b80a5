#include "core/rate.hpp"

#include <algorithm>
#include <cmath>

namespace makegood::core {
namespace {

constexpr double microseconds_per_second = 1e6;

}  // namespace

void Rate::limit_to(double per_second) {
  per_second_ = per_second;
  tokens_ = std::min(tokens_, size());
}

double Rate::size() const { return std::max(1.0, per_second_ / 10); }

void Rate::refill(MonotonicTime now) {
  if (now <= filled_at_) return;
  const auto passed = static_cast<double>((now - filled_at_).count());
  tokens_ = std::min(size(), tokens_ + passed * per_second_ / microseconds_per_second);
  filled_at_ = now;
}

bool Rate::take(MonotonicTime now) {
  if (!is_limited()) return true;
  refill(now);
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  return true;
}

MonotonicTime Rate::next(MonotonicTime now) {
  if (!is_limited()) return now;
  refill(now);
  if (tokens_ >= 1) return now;
  return now + Duration(static_cast<Duration::rep>(std::ceil((1 - tokens_) * microseconds_per_second / per_second_)));
}

}  // namespace makegood::core
