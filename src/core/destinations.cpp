#include "core/destinations.hpp"

#include <algorithm>

#include "makegood/assert.hpp"
#include "makegood/store.hpp"

namespace makegood::core {

std::size_t DestinationState::places_for_due() const {
  const std::size_t share = std::max<std::size_t>(1, settings->in_flight_max / 4);
  return share - std::min(share, ready_parked);
}

void DestinationState::expect_due(TimePoint due_at) { next_due = next_due ? std::min(*next_due, due_at) : due_at; }

Destinations::Destinations() {
  states_.push_back(
      {.settings = std::make_shared<Destination>(Destination{.name = std::string(unrouted)}), .is_registered = true});
}

bool Destinations::configure(std::span<const Destination> destinations) {
  bool has_new = false;
  for (const Destination& destination : destinations) {
    MAKEGOOD_ASSERT(is_destination_name(destination.name));
    DestinationState& state = states_[at(destination.name)];
    has_new = has_new || !state.is_registered;
    state.is_registered = true;
    state.settings = std::make_shared<Destination>(destination);
    state.rate.limit_to(destination.rate_max);
  }
  return has_new;
}

std::size_t Destinations::registered_count() const {
  // Without the place of messages that lead nowhere.
  return static_cast<std::size_t>(std::ranges::count(states_, true, &DestinationState::is_registered)) - 1;
}

std::optional<DestinationIndex> Destinations::find_name(std::string_view name) const {
  const auto found = std::ranges::find(
      states_, name, [](const DestinationState& s) -> const std::string& { return s.settings->name; });
  if (found == states_.end()) return std::nullopt;
  return static_cast<DestinationIndex>(found - states_.begin());
}

std::optional<DestinationIndex> Destinations::find(std::string_view name) const {
  const auto index = find_name(name);
  return index && states_[*index].is_registered ? index : std::nullopt;
}

DestinationIndex Destinations::at(std::string_view name) {
  if (const auto index = find_name(name)) return *index;
  states_.push_back({.settings = std::make_shared<Destination>(Destination{.name = std::string(name)})});
  return static_cast<DestinationIndex>(states_.size() - 1);
}

void Destinations::clear() {
  for (DestinationState& state : states_) {
    state.ready.clear();
    state.ready_parked = 0;
    state.in_flight = 0;
    state.next_due.reset();
    state.circuit.clear();
    state.parked_count = 0;
  }
}

}  // namespace makegood::core
