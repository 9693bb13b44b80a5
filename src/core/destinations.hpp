// The destinations of a lane: what is ready and what is parked for each, beside the line to its endpoint.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/line.hpp"
#include "core/window.hpp"

namespace makegood::core {

struct DestinationState {
  DestinationPtr settings;
  /// Otherwise only its name is known: older routes lead there, or parked deliveries wait for it.
  bool is_registered = false;
  std::deque<CarriedIndex> ready = {};  ///< Parked ones come first.
  std::size_t ready_parked = 0;
  Line endpoint = Line(settings);
  std::size_t parked_count = 0;            ///< Waiting for a retry, or held.
  std::size_t main_streak = 0;             ///< Sends of the main lane since one of a side lane.
  std::size_t side_turn = 0;               ///< Which side lane is next.
  std::optional<TimePoint> next_due = {};  ///< The earliest parked delivery that waits for this destination.

  /// How many due deliveries may be taken in: a share of the places, even when fresh ones fill them all, or retries
  /// (and the keys behind them) would starve while there is a backlog.
  std::size_t places_for_due() const;
  void expect_due(TimePoint due_at);
};

class Destinations {
 public:
  /// The first is always `unrouted`: the place of messages that lead nowhere. `running_ahead`: schemes, as in `http`.
  explicit Destinations(std::vector<std::string> running_ahead = {}, Sharing sharing = {});
  /// New ones are added, known ones take the new settings; none is forgotten, because deliveries may be in hand.
  void configure(std::span<const Destination> destinations);
  /// Likewise, and all others are registered no more: those that were are returned.
  std::vector<DestinationIndex> replace(std::span<const Destination> destinations);

  DestinationState& operator[](DestinationIndex index) { return states_[index]; }
  const DestinationState& operator[](DestinationIndex index) const { return states_[index]; }
  std::size_t count() const { return states_.size(); }
  std::size_t registered_count() const;
  /// Only what is registered.
  std::optional<DestinationIndex> find(std::string_view name) const;
  /// Registered or not.
  DestinationIndex at(std::string_view name);
  /// We are at the store for a while …
  void exchange_began();
  /// … and back.
  void exchange_ended();
  /// Nothing ready, in flight or due any more; the settings stay.
  void clear();

 private:
  std::optional<DestinationIndex> find_name(std::string_view name) const;

  // Constant after construction.
  const std::vector<std::string> running_ahead_;
  const Sharing sharing_;

  std::vector<DestinationState> states_;
  std::map<std::string, DestinationIndex, std::less<>> indexes_;
};

inline constexpr DestinationIndex unrouted_index = 0;

}  // namespace makegood::core
