#include "core/fate.hpp"

namespace makegood::core {

Verdict verdict_on(const Outcome& outcome, std::uint32_t attempts, const RetryPolicy& policy, TimePoint now,
                   double unit_random) {
  if (outcome.kind == Outcome::Kind::ok) return Delivered{};
  if (outcome.kind == Outcome::Kind::fail || attempts >= attempts_max(policy)) return Dies{};
  return Waits{now + backoff(policy, attempts, unit_random)};
}

}  // namespace makegood::core
