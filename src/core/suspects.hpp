// Deliveries that were under way when an owner died. What was under way at two deaths goes alone, so that a message
// that kills its owner is found, and its innocent neighbours are not taken for it. Alone for a second at most: whoever
// lives on with it for so long was not killed by it, and others have waited long enough.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "core/destinations.hpp"
#include "core/side_lanes.hpp"
#include "core/window.hpp"
#include "makegood/spi/position.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {

/// With so many deaths it is dead itself: two owners died while nothing else was in flight.
bool is_poison(unsigned deaths);
bool goes_alone(const Carried& carried);

class Suspects {
 public:
  Suspects(Window& window, Destinations& destinations, const SideLanes& sides)
      : window_(window), destinations_(destinations), sides_(sides) {}

  /// A graceful end of the former owner is no death, and neither is losing the lane to oneself.
  void begin(const Taken& taken);

  bool is_after_death() const { return is_after_death_; }
  /// A hole of the position that was taken after a death.
  void was_under_way(DestinationIndex destination, Sequence sequence);
  /// Whether the death of the former owner counts against a delivery that was under way.
  bool is_blamed(DestinationIndex destination, Sequence sequence, unsigned deaths) const;
  unsigned deaths_of(DestinationIndex destination, Sequence sequence) const;
  void acquit(DestinationIndex destination, Sequence sequence) { deaths_.erase({destination, sequence}); }

  /// It is its turn, and it waits to be alone.
  void wait(CarriedIndex index) { waiting_.push_back(index); }
  void withdraw(CarriedIndex index) { std::erase(waiting_, index); }
  void dropped(CarriedIndex index);

  /// Nothing else is sent: from the turn that names an isolated one until the one that no longer does, because a killer
  /// that is sent in between would be its blame.
  bool is_isolating() const;
  /// The one that is alone, whether or not the position names it.
  std::optional<CarriedIndex> alone() const { return alone_; }
  std::optional<CarriedIndex> named() const { return is_named_ ? alone_ : std::nullopt; }
  /// Whether nothing stands still that it belongs to.
  bool may_reach(const Carried& carried) const;
  /// A probe with one of them is due as soon as it is named.
  bool has_probe_for(DestinationIndex destination) const;
  /// When the turn is worth it that names the next one, or no longer names the one that is alone.
  MonotonicTime next_exchange(MonotonicTime looked_at, std::size_t in_flight_count) const;

  /// The one whose time alone is over, if it is. From the turn on that no longer names it, others go beside it, and
  /// nobody's death is its fault.
  std::optional<CarriedIndex> end_being_alone(MonotonicTime now);
  /// It could not be sent while it was alone, and gets behind the others: a killer that is sent unnamed would not be
  /// found.
  void wait_again(CarriedIndex index, MonotonicTime now);
  /// Whether it has lived on for so long that it is slow, and nothing else.
  static bool is_cleared(const Carried& carried, MonotonicTime now);
  /// The one that is to go now: alone, or like all others if it could not be alone for too long.
  std::optional<CarriedIndex> choose(MonotonicTime now);
  /// The position names the one that is alone before it is sent; but not while others are in flight that nothing may go
  /// beside: the death that one of them causes would be its blame.
  void name(std::size_t in_flight_count, TurnNumber next_turn);
  void committed(const Position& position);
  void write(Position& position) const;

  /// Whoever waits or is alone is in hand and not in flight, or was sent alone.
  void assert_consistent() const;

 private:
  bool is_to_blame(DestinationIndex destination, Sequence sequence, unsigned deaths) const;
  std::optional<CarriedIndex> leave_alone();
  MonotonicTime may_go_alone_at(CarriedIndex index) const;
  bool is_anything_slow(MonotonicTime now) const;
  std::optional<CarriedIndex> next_alone(MonotonicTime now);
  std::optional<CarriedIndex> next_put_off(MonotonicTime now);
  Position::Alone place_of(const Carried& carried) const;

  Window& window_;
  Destinations& destinations_;
  const SideLanes& sides_;
  std::map<std::pair<DestinationIndex, Sequence>, unsigned> deaths_;  ///< Of holes: how many owners died with them.
  std::deque<CarriedIndex> waiting_;
  std::optional<CarriedIndex> alone_;
  MonotonicTime alone_since_ = {};
  bool is_named_ = false;
  MonotonicTime isolate_from_ = {};
  std::optional<MonotonicTime> put_off_since_;  ///< Since when one waits to have nothing beside it.
  std::optional<Position::Alone> isolated_;     ///< Nothing else is sent until the position no longer names it.
  std::optional<Position::Alone> taken_alone_;  ///< Who was alone when we took the lane.
  bool is_after_death_ = false;
};

}  // namespace makegood::core
