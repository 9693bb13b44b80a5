#include "core/fate.hpp"

#include <algorithm>

#include "core/mutant.hpp"

namespace makegood::core {

Duration obeyed(const Outcome& outcome, const RetryPolicy& policy) {
  if (is_mutant("retry_after_ignored")) return {};
  return std::clamp(outcome.retry_after, Duration::zero(), std::max(Duration::zero(), policy.retry_after_max));
}

Verdict verdict_on(const Outcome& outcome, const Tries& tries, const RetryPolicy& policy, TimePoint now,
                   double unit_random) {
  if (outcome.kind == Outcome::Kind::ok) return Delivered{};
  const bool is_last = tries.is_counted && tries.answered >= attempts_max(policy);
  if (outcome.kind == Outcome::Kind::fail || is_last) return Dies{};
  return Waits{now + std::max(backoff(policy, tries.sends, unit_random), obeyed(outcome, policy))};
}

}  // namespace makegood::core
