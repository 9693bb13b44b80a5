// Somebody to call: the circuit, the rate, the health and the places of one destination. It knows no message and no
// queue, so that whatever calls the destination, a lane today, can have it.
#pragma once

#include <cstddef>
#include <optional>

#include "core/circuit.hpp"
#include "core/rate.hpp"
#include "makegood/delivery.hpp"
#include "makegood/spi/position.hpp"

namespace makegood::core {

class Endpoint {
 public:
  /// `runs_ahead`: its transport keeps `in_flight_max` itself and is handed more than that, what it sends while the
  /// caller is away at the store.
  explicit Endpoint(DestinationPtr settings, bool runs_ahead = false);
  /// New limits and policies; what is known of it stays.
  void configure(DestinationPtr settings);

  /// Its circuit is open: one probe at a time.
  bool is_broken() const { return circuit_.is_open(); }
  bool has_place(MonotonicTime now) const;
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
  void ended();
  /// It was not sent after all, and tells nothing.
  void returned(bool was_probe);
  /// What a send that has ended tells. `store_now` is the clock of what is stored.
  void answered(const Outcome& outcome, bool was_probe, MonotonicTime now, TimePoint store_now);
  std::size_t in_flight() const { return in_flight_; }

  /// Whether an attempt counts against the limit, of a delivery that nothing was heard of since then.
  bool spends(const Outcome& outcome, MonotonicTime since) const;
  /// Since when it fails; it is stored, and the next owner goes on from there.
  const std::optional<Failing>& failing() const { return failing_; }
  void keep_failing(const Failing& failing) { failing_ = failing; }
  /// It has all its time again.
  void forgive() { failing_.reset(); }
  /// It has answered nothing for so long that nobody is there any more.
  bool is_hopeless(TimePoint store_now) const;

  /// A new owner takes over an outage: it probes at once, and does not have to find out anew.
  void break_at_once(MonotonicTime now) { circuit_.open_at_once(settings_->circuit, now); }
  /// It was removed: it is neither up nor down.
  void remove();
  /// Nothing is in flight and nothing is known of it; settings and rate stay.
  void clear();

  /// The caller is at the store for a while …
  void exchange_began() { ended_meanwhile_ = 0; }
  /// … and back: as many as ended meanwhile may be handed out in advance; a short absence does not tell much.
  void exchange_ended();

 private:
  void note_failure(const Outcome& outcome, TimePoint store_now);

  DestinationPtr settings_;
  bool runs_ahead_;
  Circuit circuit_;
  Rate rate_;
  std::size_t in_flight_ = 0;
  std::size_t ahead_ = 0;
  std::size_t ended_meanwhile_ = 0;           ///< Since the last exchange began.
  std::optional<Failing> failing_;            ///< Since its last success.
  std::optional<MonotonicTime> answered_at_;  ///< When it last said anything, to this owner.
};

}  // namespace makegood::core
