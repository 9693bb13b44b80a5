#include <algorithm>
#include <map>

#include "stores/memory/view.hpp"

namespace makegood::memory {
namespace {

/// By destination: its figures, and the lowest number that is not through.
struct Place {
  DestinationBacklog figures = {};
  std::optional<Sequence> oldest = {};

  void is_not_through(Sequence sequence) { oldest = std::min(oldest.value_or(sequence), sequence); }
  void add_holes(const std::vector<Sequence>& numbers) {
    figures.under_way_count += numbers.size();
    if (!numbers.empty()) is_not_through(numbers.front());
  }
};
using Places = std::map<std::string, Place>;

void add_parked(Place& place, const Parked& row) {
  switch (row.state) {
    case ParkedState::waiting:
      ++(row.under_way ? place.figures.under_way_count : place.figures.waiting_count);
      return place.is_not_through(row.sequence);
    case ParkedState::held:
      ++place.figures.held_count;
      return place.is_not_through(row.sequence);
    case ParkedState::dead:
      ++place.figures.dead_count;
      return;
    case ParkedState::quarantined:
      ++place.figures.quarantined_count;
      return;
    case ParkedState::done:
      return;
  }
}

/// The first that a side lane has not read.
void add_unread(Place& place, const State& state, const Standing& standing, const SideLane& side) {
  if (side.why == SideLane::Why::history) return;
  const auto is_carried = [&](const auto& entry) {
    const MessageHead head = head_of(*entry.second);
    const auto destinations = standing.destinations_of(head);
    return standing.carrier_of(head, side.scope.destination) == &side &&
           std::ranges::binary_search(destinations, side.scope.destination);
  };
  const auto end = state.log.upper_bound(standing.reached());
  const auto first = std::find_if(state.log.upper_bound(side.reached), end, is_carried);
  if (first != end) place.is_not_through(first->first);
}

}  // namespace

Backlog count_backlog(const State& state) {
  const Standing standing = standing_of(state);
  const Position& position = standing.position();
  Places places;
  for (const auto& [key, row] : state.parked) {
    if (row.parked.state != ParkedState::done) add_parked(places[key.destination], row.parked);
  }
  for (const auto& [destination, numbers] : position.under_way) places[destination].add_holes(numbers);
  for (const SideLane& side : position.sides) {
    Place& place = places[side.scope.destination];
    place.add_holes(side.under_way);
    add_unread(place, state, standing, side);
  }

  Backlog backlog;
  if (state.counter > position.reached)
    backlog.pending_count = static_cast<std::size_t>(state.counter - position.reached);
  const auto first = state.log.upper_bound(position.reached);
  if (first != state.log.end()) backlog.oldest_pending_at = first->second->created_at;
  for (auto& [destination, place] : places) {
    place.figures.destination = destination;
    const MessagePtr oldest = place.oldest ? message_of(state, *place.oldest) : nullptr;
    if (oldest) place.figures.oldest_at = oldest->created_at;
    backlog.destinations.push_back(std::move(place.figures));
  }
  return backlog;
}

}  // namespace makegood::memory
