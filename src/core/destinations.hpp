// The destinations of a lane: what is ready for each, how many are in flight, which topics lead where.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/rate.hpp"
#include "core/window.hpp"
#include "makegood/destination.hpp"

namespace makegood::core {

struct DestinationState {
  DestinationPtr settings;
  std::deque<CarriedIndex> ready = {};  ///< Parked ones come first.
  std::size_t ready_parked = 0;
  std::size_t in_flight = 0;
  Rate rate = {};
  std::optional<TimePoint> next_due = {};  ///< The earliest parked delivery that waits for this destination.

  bool has_place() const { return in_flight < settings->in_flight_max; }
  /// How many due deliveries may be taken in: a share of the places, even when fresh ones fill them all, or retries
  /// (and the keys behind them) would starve while there is a backlog.
  std::size_t places_for_due() const;
  void expect_due(TimePoint due_at);
};

class Destinations {
 public:
  /// The first is always `unrouted`: the place of messages that lead nowhere.
  Destinations();
  /// New ones are added, known ones take the new settings; none is forgotten, because deliveries may be in hand.
  void configure(std::span<const Destination> destinations, std::span<const Route> routes);

  DestinationState& operator[](DestinationIndex index) { return states_[index]; }
  const DestinationState& operator[](DestinationIndex index) const { return states_[index]; }
  std::size_t count() const { return states_.size(); }
  std::optional<DestinationIndex> find(std::string_view name) const;
  /// Each destination once, in the order of the routes. Empty: no route.
  std::span<const DestinationIndex> leading_from(std::string_view topic);
  /// Nothing ready, in flight or due any more; the settings stay.
  void clear();

 private:
  std::vector<DestinationIndex> find_routes(std::string_view topic) const;

  std::vector<DestinationState> states_;
  std::vector<Route> routes_;
  std::unordered_map<std::string, std::vector<DestinationIndex>> known_topics_;
  const std::vector<DestinationIndex>* last_found_ = nullptr;
  std::string last_topic_;
};

inline constexpr DestinationIndex unrouted_index = 0;

}  // namespace makegood::core
