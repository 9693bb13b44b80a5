// Where each delivery in hand is: in the order of its key, waiting to be alone, ready in the queue of its lane, or in
// flight; and how many there are of each.
#pragma once

#include <cstddef>

#include "core/destinations.hpp"
#include "core/keys.hpp"
#include "core/side_lanes.hpp"
#include "core/suspects.hpp"
#include "core/window.hpp"

namespace makegood::core {

class Deliveries {
 public:
  Deliveries(Window& window, Destinations& destinations, const SideLanes& sides, Suspects& suspects)
      : window_(window), destinations_(destinations), sides_(sides), suspects_(suspects) {}

  std::size_t in_flight_count() const { return in_flight_count_; }
  /// What the main lane has in hand, and what is parked and nobody's.
  std::size_t main_count() const { return window_.count() - in_side_hands_; }
  /// With nothing to send, which is the rule, nobody has to look for it at 1,000 destinations.
  bool is_all_sent(std::size_t answer_count) const;

  CarriedIndex admit(Carried carried);
  /// Its key lets it go, or it has none: suspects wait to be alone, retries come first, then what has no key by its
  /// priority.
  void make_ready(CarriedIndex index);
  /// Before all others.
  void queue_first(CarriedIndex index);
  /// Neither ready nor the next of its key any more.
  void take_from_queues(CarriedIndex index);
  void sent(CarriedIndex index, Line::Place place, MonotonicTime now);
  void answered(Carried& carried);

  /// It has ended, or has a row of its own.
  void end(CarriedIndex index);
  /// It is in hand no more; whether it has ended or goes back, others have decided.
  void drop(CarriedIndex index);

  /// From one lane to another; null is the main lane.
  void move(CarriedIndex index, Side* to);
  /// All that a side lane has in hand, ready or not.
  void move_all(Side& from, Side* to);

  /// Every count is what counting shows, and no delivery is in two places.
  void assert_consistent() const;

 private:
  void assert_ready(const std::deque<CarriedIndex>& ready, std::size_t retries) const;
  std::deque<CarriedIndex>& queue_of(const Carried& carried);
  void queue_up(CarriedIndex index);

  Window& window_;
  Destinations& destinations_;
  const SideLanes& sides_;
  Suspects& suspects_;
  std::size_t in_side_hands_ = 0;
  std::size_t in_flight_count_ = 0;
};

}  // namespace makegood::core
