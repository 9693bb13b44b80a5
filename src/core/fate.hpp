// What becomes of a delivery after one attempt.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "makegood/delivery.hpp"
#include "makegood/retry_policy.hpp"

namespace makegood::core {

struct Delivered {};
struct Waits {
  TimePoint due_at;
};
struct Dies {};
using Verdict = std::variant<Delivered, Waits, Dies>;

/// `attempts` counts the one that just ended. Dead is decided here, once; later changes of the policy do not undo it.
Verdict verdict_on(const Outcome& outcome, std::uint32_t attempts, const RetryPolicy& policy, TimePoint now,
                   double unit_random);

}  // namespace makegood::core
