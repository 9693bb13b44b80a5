#include "core/endpoint.hpp"

#include <algorithm>
#include <utility>

#include "core/fate.hpp"

namespace makegood::core {

Endpoint::Endpoint(DestinationPtr settings) { configure(std::move(settings)); }

void Endpoint::configure(DestinationPtr settings) {
  settings_ = std::move(settings);
  rate_.limit_to(settings_->rate_max);
}

bool Endpoint::has_place(MonotonicTime now, std::size_t ahead) const {
  return circuit_.has_place(in_flight_, settings_->in_flight_max + ahead, now);
}

MonotonicTime Endpoint::next_send(MonotonicTime now) {
  const MonotonicTime next = rate_.next(now);
  return is_broken() ? std::max(next, probe_at()) : next;
}

bool Endpoint::sent() {
  ++in_flight_;
  return circuit_.sent();
}

void Endpoint::answered(const Outcome& outcome, bool was_probe, MonotonicTime now) {
  if (outcome.kind == Outcome::Kind::retry) {
    circuit_.failed(settings_->circuit, was_probe, now, obeyed(outcome, settings_->retry));
  } else {
    circuit_.answered();
  }
  if (outcome.is_answer()) answered_at_ = now;
  const bool is_success = outcome.kind == Outcome::Kind::ok;
  heard_.successes += is_success ? 1U : 0U;
  heard_.answers += outcome.is_answer() ? 1U : 0U;
  heard_.failures += is_success ? 0U : 1U;
  heard_.is_failing = !is_success;
  heard_.is_silent = !outcome.is_answer();
}

void Endpoint::clear() {
  circuit_.clear();
  in_flight_ = 0;
  answered_at_.reset();
}

}  // namespace makegood::core
