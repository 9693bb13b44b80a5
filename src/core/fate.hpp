// What becomes of a delivery after one attempt.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "makegood/delivery.hpp"
#include "makegood/retry_policy.hpp"

namespace makegood::core {

/// How long the destination asked to be left alone, as far as it is obeyed.
Duration obeyed(const Outcome& outcome, const RetryPolicy& policy);

struct Delivered {};
struct Waits {
  TimePoint due_at;
};
struct Dies {};
using Verdict = std::variant<Delivered, Waits, Dies>;

/// How often it was tried, with the attempt that just ended.
struct Tries {
  std::uint32_t sends = 1;
  std::uint32_t answered = 1;
  bool is_counted = true;  ///< The last one was among those answered.
};

/// Delays go by all sends, death by those that were answered. Dead is decided here, once; later changes of the policy
/// do not undo it.
Verdict verdict_on(const Outcome& outcome, const Tries& tries, const RetryPolicy& policy, TimePoint now,
                   double unit_random);

}  // namespace makegood::core
