// How often and how fast a delivery is tried again.
#pragma once

#include <cstdint>
#include <vector>

#include "makegood/clock.hpp"

namespace makegood {

/// The n-th delay is base * factor^(n-1), spread by ±jitter, then held within [base, cap].
struct RetryPolicy {
  std::uint32_t attempts_max = 12;  ///< That were answered: a destination that cannot be reached costs none.
  Duration base = std::chrono::milliseconds(500);
  double factor = 2.0;
  double jitter = 0.3;
  Duration cap = std::chrono::seconds(300);
  /// If not empty, used instead: the delay after each failure; one attempt more than there are delays.
  std::vector<Duration> schedule = {};
  /// A destination that says when to come back is obeyed up to this.
  Duration retry_after_max = std::chrono::hours(1);
  /// A destination that has answered nothing for so long is disabled, and what is for it waits. 0: never, and then
  /// every failure counts as an attempt.
  Duration unreachable_for = std::chrono::hours(72);
  bool operator==(const RetryPolicy&) const = default;
};

/// How many attempts a delivery gets that are answered.
std::uint32_t attempts_max(const RetryPolicy& policy);

/// The delay after `attempts` sends have failed (1 or more), answered or not. `unit_random` is in [0, 1). Never
/// overflows.
Duration backoff(const RetryPolicy& policy, std::uint32_t attempts, double unit_random);

}  // namespace makegood
