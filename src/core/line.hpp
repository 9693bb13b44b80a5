// One caller's line to an endpoint: its own places and probe, its own reckoning of how the destination fares, and what
// it needs to wait for others who call the same endpoint. While nobody else does, it is as if the endpoint were its
// own.
//
// **Who is next.** While the endpoint is up and somebody found no place, or the rate let nothing through, a place goes
// to who has fewest in flight, and among equals to who was given one longest ago. A wish lapses when its caller was
// told of a place and did not take it in a moment.
//
// **What others do.** A place that becomes free wakes those who wait; a circuit that opens or closes and a probe that
// ends wake everybody. What the circuit of a line says stays as it is until `hear`, so that it is the same during one
// decision; whether there is a place is always asked of the endpoint itself.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "core/health.hpp"
#include "core/shared_endpoint.hpp"

namespace makegood::core {

class Locked {
 public:
  explicit Locked(Lock* lock) : lock_(lock) {
    if (lock_ != nullptr) lock_->lock();
  }
  ~Locked() {
    if (lock_ != nullptr) lock_->unlock();
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Lock* lock_;
};

class Line {
 public:
  struct Place {
    bool is_probe = false;
  };

  /// Shared with nobody before `configure`. `runs_ahead`: its transport keeps `in_flight_max` itself and is handed more
  /// than that, what it sends while the caller is away at the store.
  explicit Line(DestinationPtr settings, bool runs_ahead = false, Sharing sharing = {});
  ~Line();
  Line(Line&&) = default;
  Line& operator=(Line&&) = delete;
  /// New limits and policies; what is known of it stays, if nobody else knows better.
  void configure(DestinationPtr settings);

  /// As the line has heard.
  bool is_broken() const { return is_broken_; }
  bool has_place(MonotonicTime now) const;
  /// When one more may be sent, if nothing but time is missing.
  MonotonicTime next_place(MonotonicTime now) const;
  /// By its rate and, if it is broken, by its circuit; whether there is a place is not looked at.
  MonotonicTime next_send(MonotonicTime now) const;
  MonotonicTime probe_at() const;
  bool prefers_retry() const;
  void postpone_probe(MonotonicTime now);

  /// None: somebody was faster, or its rate allows none now.
  std::optional<Place> take_place(MonotonicTime now);
  /// There is something to send: others make way, and the caller is told when there may be a place.
  void wait_for_place(MonotonicTime now);
  /// A send has ended: it was not sent after all,
  void returned(bool was_probe);
  /// or nobody wants to know what it tells,
  void ended();
  /// or it tells this.
  void answered(const Outcome& outcome, bool was_probe, MonotonicTime now, TimePoint store_now);
  std::size_t in_flight() const { return caller_->in_flight; }

  /// Whether an attempt counts against the limit, of a delivery that nothing was heard of since then.
  bool spends(const Outcome& outcome, MonotonicTime since) const;
  /// What others have heard. True if the circuit is not as it was.
  bool hear(TimePoint store_now);
  /// Since when it fails; it is stored, and the next owner goes on from there.
  const std::optional<Failing>& failing(TimePoint store_now);
  void keep_failing(const Failing& failing) { health_.keep(failing); }
  void forgive() { health_.forgive(); }
  bool is_hopeless(TimePoint store_now) const { return health_.is_hopeless(settings_->retry, store_now); }

  /// A new owner takes over an outage, unless others call the endpoint, who know better.
  void break_at_once(MonotonicTime now);
  /// The destination was removed: for this caller it is neither up nor down.
  void remove();
  /// Its places and its probe are given back, and no others'. What is known stays with those who still call.
  void clear();

  /// The caller is at the store for a while …
  void exchange_began() { ended_meanwhile_ = 0; }
  /// … and back: as many as ended meanwhile may be handed out in advance; a short absence does not tell much.
  void exchange_ended();

 private:
  class Change;
  MonotonicTime next_turn(MonotonicTime now) const;
  void end_one();
  void give_back();
  void leave();
  void move_to(std::shared_ptr<SharedEndpoint> other);
  Endpoint known() const;
  void wake_waiting();
  void hear_of_others(TimePoint store_now);

  DestinationPtr settings_;
  bool runs_ahead_;
  Sharing sharing_;
  std::shared_ptr<SharedEndpoint> shared_;
  std::unique_ptr<Caller> caller_;  ///< The endpoint knows its address, and its lock guards it.
  bool is_shared_ = false;
  bool is_broken_ = false;
  Health health_ = {};
  Endpoint::Heard heard_ = {};
  std::size_t ahead_ = 0;
  std::size_t ended_meanwhile_ = 0;  ///< Since the last exchange began.
};

}  // namespace makegood::core
