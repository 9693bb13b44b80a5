#include "core/fate.hpp"

#include <algorithm>

#include "core/mutant.hpp"

namespace makegood::core {

Duration obeyed(const Outcome& outcome, const RetryPolicy& policy) {
  if (is_mutant("retry_after_ignored")) return {};
  return std::clamp(outcome.retry_after, Duration::zero(), std::max(Duration::zero(), policy.retry_after_max));
}

Verdict verdict_on(const Outcome& outcome, std::uint32_t attempts, const RetryPolicy& policy, TimePoint now,
                   double unit_random) {
  if (outcome.kind == Outcome::Kind::ok) return Delivered{};
  if (outcome.kind == Outcome::Kind::fail || attempts >= attempts_max(policy)) return Dies{};
  return Waits{now + std::max(backoff(policy, attempts, unit_random), obeyed(outcome, policy))};
}

}  // namespace makegood::core
