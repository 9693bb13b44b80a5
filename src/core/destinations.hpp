// The destinations of a lane: what is ready for each, how many are in flight, whether it is up.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/circuit.hpp"
#include "core/rate.hpp"
#include "core/window.hpp"
#include "makegood/delivery.hpp"
#include "makegood/position.hpp"

namespace makegood::core {

struct DestinationState {
  DestinationPtr settings;
  /// Otherwise only its name is known: older routes lead there, or parked deliveries wait for it.
  bool is_registered = false;
  std::deque<CarriedIndex> ready = {};  ///< Parked ones come first.
  std::size_t ready_parked = 0;
  std::size_t in_flight = 0;
  Rate rate = {};
  Circuit circuit = {};
  std::size_t parked_count = 0;            ///< Waiting for a retry, or held.
  std::size_t main_streak = 0;             ///< Sends of the main lane since one of a side lane.
  std::size_t side_turn = 0;               ///< Which side lane is next.
  std::optional<TimePoint> next_due = {};  ///< The earliest parked delivery that waits for this destination.
  std::optional<Failing> failing = {};     ///< Since its last success.

  // A transport that keeps `in_flight_max` itself is handed more than that: what it sends while we are away at the
  // store.
  bool runs_ahead = false;
  std::size_t ahead = 0;
  std::size_t ended_meanwhile = 0;  ///< Since the last look.

  bool has_place(MonotonicTime now) const { return circuit.has_place(in_flight, settings->in_flight_max + ahead, now); }
  /// As many as ended while we were away this time; a short absence does not tell much.
  void reckon_ahead();
  /// How many due deliveries may be taken in: a share of the places, even when fresh ones fill them all, or retries
  /// (and the keys behind them) would starve while there is a backlog.
  std::size_t places_for_due() const;
  void expect_due(TimePoint due_at);
  void note(const Outcome& outcome, TimePoint now);
  /// It has failed for so long, without one success, that nobody is there any more.
  bool is_hopeless(TimePoint now) const;
};

class Destinations {
 public:
  /// The first is always `unrouted`: the place of messages that lead nowhere. `running_ahead`: schemes, as in `http`.
  explicit Destinations(std::vector<std::string> running_ahead = {});
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
  void go_away();
  /// … and back.
  void come_back();
  /// Nothing ready, in flight or due any more; the settings stay.
  void clear();

 private:
  std::optional<DestinationIndex> find_name(std::string_view name) const;

  // Constant after construction.
  const std::vector<std::string> running_ahead_;

  std::vector<DestinationState> states_;
  std::map<std::string, DestinationIndex, std::less<>> indexes_;
};

inline constexpr DestinationIndex unrouted_index = 0;

}  // namespace makegood::core
