// Somebody to call: the circuit, the rate and the places of one destination. It knows no message, no queue and no
// caller, so that all who call the destination in a process can have it together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/circuit.hpp"
#include "core/rate.hpp"
#include "makegood/delivery.hpp"

namespace makegood::core {

class Endpoint {
 public:
  /// How often what came of a send, and which was the last: who has counted them before sees what others have heard.
  struct Heard {
    std::uint64_t successes = 0;
    std::uint64_t answers = 0;  ///< Whatever was said, successes too.
    std::uint64_t failures = 0;
    bool is_failing = false;  ///< The last one failed,
    bool is_silent = false;   ///< and nothing was said.
  };

  explicit Endpoint(DestinationPtr settings);
  /// New limits and policies; what is known of it stays.
  void configure(DestinationPtr settings);

  /// Its circuit is open: one probe at a time.
  bool is_broken() const { return circuit_.is_open(); }
  bool is_probing() const { return circuit_.is_probing(); }
  /// `ahead`: what its transport may have in hand beyond the limit.
  bool has_place(MonotonicTime now, std::size_t ahead = 0) const;
  /// When one more may be sent, by its rate and, if it is broken, by its circuit.
  MonotonicTime next_send(MonotonicTime now);
  /// When the next probe may be sent: only while it is broken and none is under way.
  MonotonicTime probe_at() const { return circuit_.probe_at(); }
  /// Whether the next probe should be a retry.
  bool prefers_retry() const { return circuit_.prefers_retry(); }
  /// There was nothing to probe with.
  void postpone_probe(MonotonicTime now) { circuit_.postpone(settings_->circuit, now); }

  /// Takes one of the sends that its rate allows, if there is one.
  bool take_send(MonotonicTime now) { return rate_.take(now); }
  /// True if this send is a probe.
  bool sent();
  /// A send has ended, however it did; its place is free.
  void ended() { --in_flight_; }
  /// The probe was not sent after all, and tells nothing.
  void probe_unsent() { circuit_.unsent(); }
  /// What a send that has ended tells.
  void answered(const Outcome& outcome, bool was_probe, MonotonicTime now);
  std::size_t in_flight() const { return in_flight_; }
  /// Other callers come or go, with what they have in flight.
  void hold_in_flight(std::size_t count) { in_flight_ = count; }

  /// When it last said anything.
  const std::optional<MonotonicTime>& answered_at() const { return answered_at_; }
  const Heard& heard() const { return heard_; }

  /// A new owner takes over an outage: it probes at once, and does not have to find out anew.
  void break_at_once(MonotonicTime now) { circuit_.open_at_once(settings_->circuit, now); }
  /// It was removed: it is neither up nor down.
  void remove() { circuit_.clear(); }
  /// Nothing is in flight and nothing is known of it; settings and rate stay.
  void clear();

 private:
  DestinationPtr settings_;
  Circuit circuit_;
  Rate rate_;
  std::size_t in_flight_ = 0;
  std::optional<MonotonicTime> answered_at_;
  Heard heard_;
};

}  // namespace makegood::core
