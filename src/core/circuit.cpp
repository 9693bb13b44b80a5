#include "core/circuit.hpp"

#include <algorithm>

namespace makegood::core {
namespace {

/// One answer lets two go: the load doubles with every round trip, as long as answers come.
constexpr std::size_t slow_start_first = 2;
/// By then no destination's limit is lower.
constexpr std::size_t slow_start_last = 100'000;

}  // namespace

bool Circuit::has_place(std::size_t in_flight, std::size_t in_flight_max, MonotonicTime now) const {
  if (is_open_) return !is_probing_ && now >= probe_at_;
  return in_flight < (slow_start_max_ == 0 ? in_flight_max : std::min(slow_start_max_, in_flight_max));
}

bool Circuit::sent() {
  is_probing_ = is_open_;
  if (is_probing_) prefers_retry_ = !prefers_retry_;
  return is_probing_;
}

void Circuit::answered() {
  failures_ = 0;
  if (is_open_) {
    is_open_ = false;
    is_probing_ = false;
    slow_start_max_ = slow_start_first;
  } else if (slow_start_max_ > 0) {
    ++slow_start_max_;
    if (slow_start_max_ >= slow_start_last) slow_start_max_ = 0;
  }
}

void Circuit::failed(const CircuitPolicy& policy, bool was_probe, MonotonicTime now, Duration retry_after) {
  if (is_open_ && !was_probe) {  // It was sent before the circuit opened and tells nothing new, but for this.
    probe_at_ = std::max(probe_at_, now + retry_after);
    return;
  }
  if (is_open_) return open(policy, std::max(std::min(wait_ * 2, policy.wait_max), retry_after), now);
  if (policy.failures_max == 0) return;
  ++failures_;
  if (failures_ >= policy.failures_max || retry_after > Duration::zero()) {
    open(policy, std::max(policy.wait_min, retry_after), now);
  }
}

void Circuit::open_at_once(const CircuitPolicy& policy, MonotonicTime now) {
  open(policy, policy.wait_min, now);
  probe_at_ = now;
}

void Circuit::open(const CircuitPolicy& policy, Duration wait, MonotonicTime now) {
  is_open_ = true;
  is_probing_ = false;
  failures_ = 0;
  wait_ = std::max(wait, policy.wait_min);
  probe_at_ = now + wait_;
}

}  // namespace makegood::core
