// The side lanes of a lane: scopes with a position of their own. Which of them carries a delivery is decided here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "core/window.hpp"
#include "makegood/spi/position.hpp"

namespace makegood::core {

/// From so many deaths on a delivery goes alone.
inline constexpr unsigned alone_from = 2;

/// A scope may hold this part of the window before it has to leave.
constexpr std::size_t share_of(std::size_t whole) { return std::max<std::size_t>(1, whole / 4); }

struct Side {
  SideLane lane;  ///< `under_way` is filled in when a position is written.
  DestinationIndex destination = 0;
  std::set<Sequence> unread = {};       ///< Holes that are not in hand: to be read by number, before anything beyond.
  std::deque<CarriedIndex> ready = {};  ///< In hand, and next to be sent.
  std::size_t in_hand = 0;
  bool is_merging = false;  ///< With the exchange under way: the lane around it already looks for its rows.

  bool is_resuming = false;  ///< It stands still until the turn is committed that lets it go.

  bool stands_still() const { return lane.is_paused || is_resuming; }
  bool is_history() const { return lane.why == SideLane::Why::history; }
  bool is_beyond(Sequence sequence) const { return sequence > lane.reached; }
};

class SideLanes {
 public:
  Side& add(SideLane lane, DestinationIndex destination);
  void remove(const Side& side);
  void clear();

  std::size_t count() const { return sides_.size(); }
  bool is_empty() const { return sides_.empty(); }
  auto begin() const { return sides_.begin(); }
  auto end() const { return sides_.end(); }

  /// Those of one destination, inner ones first. With hundreds of destinations, most questions are about one of them.
  std::span<Side* const> at(DestinationIndex destination) const;

  /// The innermost one that carries this delivery; null: the main lane does.
  Side* carrier(DestinationIndex destination, const Message& message) const;
  /// The innermost one around this one; null: the main lane.
  Side* around(const Side& side) const;
  /// The one with exactly this scope; null if there is none.
  Side* find(const Scope& scope, bool is_history = false) const;
  bool has_whole(DestinationIndex destination) const;

  /// Whether an operator has paused it, or anything around it.
  bool is_paused(const Side& side) const { return is_paused(side.destination, side.lane.scope); }
  bool is_paused(DestinationIndex destination, const Scope& scope) const;
  bool is_paused(DestinationIndex destination) const;
  std::vector<std::string> paused_tenants(DestinationIndex destination) const;

  /// The scopes that are carried by others than the lane around them all (null: the main lane), merging ones left out.
  std::vector<Scope> scopes_inside(const Side* outer) const;

 private:
  // Inner ones first, so that the first one that fits is the innermost. By pointer: deliveries in hand point at them.
  std::vector<std::unique_ptr<Side>> sides_;
  std::vector<std::vector<Side*>> at_;  ///< Index of `sides_`, by destination.
};

}  // namespace makegood::core
