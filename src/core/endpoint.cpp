#include "core/endpoint.hpp"

#include <algorithm>
#include <utility>

#include "core/fate.hpp"
#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// Spread over half the time at least, so that two bad moments are not taken for days.
constexpr std::uint32_t failures_to_disable = 10;
/// What a transport may have in hand beyond a destination's limit.
constexpr std::size_t ahead_max = 512;

}  // namespace

Endpoint::Endpoint(DestinationPtr settings, bool runs_ahead) : runs_ahead_(runs_ahead) {
  configure(std::move(settings));
}

void Endpoint::configure(DestinationPtr settings) {
  settings_ = std::move(settings);
  rate_.limit_to(settings_->rate_max);
}

bool Endpoint::has_place(MonotonicTime now) const {
  return circuit_.has_place(in_flight_, settings_->in_flight_max + ahead_, now);
}

MonotonicTime Endpoint::next_send(MonotonicTime now) {
  const MonotonicTime next = rate_.next(now);
  return is_broken() ? std::max(next, probe_at()) : next;
}

bool Endpoint::sent() {
  ++in_flight_;
  return circuit_.sent();
}

void Endpoint::ended() {
  --in_flight_;
  ++ended_meanwhile_;
}

void Endpoint::returned(bool was_probe) {
  if (was_probe) circuit_.unsent();
}

void Endpoint::answered(const Outcome& outcome, bool was_probe, MonotonicTime now, TimePoint store_now) {
  if (outcome.kind == Outcome::Kind::retry) {
    circuit_.failed(settings_->circuit, was_probe, now, obeyed(outcome, settings_->retry));
  } else {
    circuit_.answered();
  }
  if (outcome.is_answer()) answered_at_ = now;
  const bool is_success = outcome.kind == Outcome::Kind::ok;
  if (is_success && !is_mutant("success_does_not_reset")) failing_.reset();
  if (!is_success) note_failure(outcome, store_now);
}

void Endpoint::note_failure(const Outcome& outcome, TimePoint store_now) {
  const Duration apart = settings_->retry.unreachable_for / (2 * failures_to_disable);
  if (!failing_ || failing_->since > store_now) failing_ = Failing{.since = store_now};
  if (store_now >= failing_->since + apart * failing_->count) ++failing_->count;
  if (outcome.is_answer() && !is_mutant("success_does_not_reset")) failing_->unanswered = 0;
  if (outcome.is_answer()) return;
  if (failing_->unanswered == 0 || failing_->unanswered_since > store_now) {
    failing_->unanswered_since = store_now;
    failing_->unanswered = 0;
  }
  if (store_now >= failing_->unanswered_since + apart * failing_->unanswered) ++failing_->unanswered;
}

bool Endpoint::is_hopeless(TimePoint store_now) const {
  const Duration patience = settings_->retry.unreachable_for;
  if (!failing_ || patience == Duration::zero() || is_mutant("failing_never_disables")) return false;
  return failing_->unanswered >= failures_to_disable && store_now - failing_->unanswered_since >= patience;
}

/// One that hangs while its neighbours are answered is slow by its own fault; if nobody is, the destination is.
bool Endpoint::spends(const Outcome& outcome, MonotonicTime since) const {
  if (settings_->retry.unreachable_for == Duration::zero()) return true;
  switch (outcome.reach) {
    case Outcome::Reach::answered:
      return true;
    case Outcome::Reach::unreachable:
      return is_mutant("unreachable_spends_attempts");
    case Outcome::Reach::silent:
      return answered_at_ && *answered_at_ > since && !is_mutant("timeout_always_spares");
  }
  std::unreachable();
}

void Endpoint::remove() {
  circuit_.clear();
  failing_.reset();
}

void Endpoint::clear() {
  remove();
  in_flight_ = 0;
  ahead_ = 0;
  answered_at_.reset();
}

void Endpoint::exchange_ended() {
  if (runs_ahead_) ahead_ = std::min(std::max(ended_meanwhile_, ahead_ * 7 / 8), ahead_max);
}

}  // namespace makegood::core
