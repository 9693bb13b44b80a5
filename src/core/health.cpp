#include "core/health.hpp"

#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// Spread over half the time at least, so that two bad moments are not taken for days.
constexpr std::uint32_t failures_to_disable = 10;

}  // namespace

void Health::succeeded() {
  if (!is_mutant("success_does_not_reset")) failing_.reset();
}

void Health::was_answered() {
  if (failing_ && !is_mutant("success_does_not_reset")) failing_->unanswered = 0;
}

void Health::failed(bool is_answer, const RetryPolicy& policy, TimePoint store_now) {
  const Duration apart = policy.unreachable_for / (2 * failures_to_disable);
  if (!failing_ || failing_->since > store_now) failing_ = Failing{.since = store_now};
  if (store_now >= failing_->since + apart * failing_->count) ++failing_->count;
  if (is_answer) return was_answered();
  if (failing_->unanswered == 0 || failing_->unanswered_since > store_now) {
    failing_->unanswered_since = store_now;
    failing_->unanswered = 0;
  }
  if (store_now >= failing_->unanswered_since + apart * failing_->unanswered) ++failing_->unanswered;
}

bool Health::is_hopeless(const RetryPolicy& policy, TimePoint store_now) const {
  const Duration patience = policy.unreachable_for;
  if (!failing_ || patience == Duration::zero() || is_mutant("failing_never_disables")) return false;
  return failing_->unanswered >= failures_to_disable && store_now - failing_->unanswered_since >= patience;
}

}  // namespace makegood::core
