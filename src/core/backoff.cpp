#include <algorithm>
#include <cmath>

#include "makegood/retry_policy.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood {

std::uint32_t attempts_max(const RetryPolicy& policy) {
  if (policy.schedule.empty()) return policy.attempts_max;
  return static_cast<std::uint32_t>(policy.schedule.size()) + 1;
}

Duration backoff(const RetryPolicy& policy, std::uint32_t attempts, double unit_random) {
  MAKEGOOD_ASSERT(attempts > 0 && unit_random >= 0 && unit_random < 1);
  if (!policy.schedule.empty()) return policy.schedule[std::min<std::size_t>(attempts, policy.schedule.size()) - 1];
  if (policy.base <= Duration::zero()) return Duration::zero();
  // In floating point a huge power becomes infinity, not a negative delay. The cap comes after the jitter, so that
  // nothing exceeds it, and is answered as it is, because the longest duration has no exact floating point number.
  const Duration cap = std::max(policy.base, policy.cap);
  const auto base = static_cast<double>(policy.base.count());
  const double grown = std::min(base * std::pow(policy.factor, attempts - 1), static_cast<double>(cap.count()));
  const double spread = std::max(base, grown * (1 + policy.jitter * (2 * unit_random - 1)));
  return spread >= static_cast<double>(cap.count()) ? cap : Duration(static_cast<Duration::rep>(spread));
}

}  // namespace makegood
