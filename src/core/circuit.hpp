// Whether a destination is up, as far as its answers tell. While it is not, one probe at a time is sent; when it is up
// again, the load grows with its answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "makegood/clock.hpp"
#include "makegood/destination.hpp"

namespace makegood::core {

/// Nobody knows yet what a destination can bear; the load grows with its answers.
inline constexpr std::size_t first_places = 16;

class Circuit {
 public:
  bool is_open() const { return is_open_; }
  bool is_probing() const { return is_probing_; }
  /// Whether one more may be sent, with so many in flight.
  bool has_place(std::size_t in_flight, std::size_t in_flight_max, MonotonicTime now) const;
  /// When the next probe may be sent: only while it is open and none is under way.
  MonotonicTime probe_at() const { return is_probing_ ? MonotonicTime::max() : probe_at_; }

  /// True if this send is a probe.
  bool sent();
  /// The probe was not sent after all; another may go at once.
  void unsent() { is_probing_ = false; }
  /// Any definite answer, a refusal as well, proves that the destination is up.
  void answered();
  /// No answer, or one that says "later". A destination that says when (`retry_after`) is believed at once.
  void failed(const CircuitPolicy& policy, bool was_probe, MonotonicTime now, Duration retry_after = {});
  /// A new owner takes over an outage: it probes at once, and does not have to find out anew.
  void open_at_once(const CircuitPolicy& policy, MonotonicTime now);
  /// Probes take turns between messages that were never sent and retries: the former alone would leave ever more parked
  /// rows behind, the latter alone would use up the attempts of the same few.
  bool prefers_retry() const { return prefers_retry_; }
  /// There was nothing to probe with.
  void postpone(const CircuitPolicy& policy, MonotonicTime now) {
    probe_at_ = now + policy.wait_min;
    prefers_retry_ = !prefers_retry_;
  }
  void clear() { *this = {}; }

 private:
  void open(const CircuitPolicy& policy, Duration wait, MonotonicTime now);

  bool is_open_ = false;
  bool is_probing_ = false;
  bool prefers_retry_ = false;
  std::uint32_t failures_ = 0;
  Duration wait_ = {};
  MonotonicTime probe_at_ = {};
  std::size_t slow_start_max_ = first_places;  ///< 0: not limited.
};

}  // namespace makegood::core
