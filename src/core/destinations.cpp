#include "core/destinations.hpp"

#include <algorithm>
#include <utility>

#include "makegood/spi/assert.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {
namespace {

std::string_view scheme_of(std::string_view name) { return name.substr(0, name.find(':')); }

}  // namespace

std::size_t DestinationState::places_for_due() const {
  const std::size_t share = std::max<std::size_t>(1, settings->in_flight_max / 4);
  return share - std::min(share, ready_parked);
}

void DestinationState::expect_due(TimePoint due_at) { next_due = next_due ? std::min(*next_due, due_at) : due_at; }

Destinations::Destinations(std::vector<std::string> running_ahead, Sharing sharing)
    : running_ahead_(std::move(running_ahead)), sharing_(sharing) {
  states_[at(unrouted)].is_registered = true;
}

void Destinations::configure(std::span<const Destination> destinations) {
  for (const Destination& destination : destinations) {
    MAKEGOOD_ASSERT(is_destination_name(destination.name));
    DestinationState& state = states_[at(destination.name)];
    state.is_registered = true;
    state.settings = std::make_shared<Destination>(destination);
    state.endpoint.configure(state.settings);
  }
}

std::vector<DestinationIndex> Destinations::replace(std::span<const Destination> destinations) {
  std::vector<DestinationIndex> registered;
  for (DestinationIndex index = unrouted_index + 1; index < count(); ++index) {
    if (std::exchange(states_[index].is_registered, false)) registered.push_back(index);
  }
  configure(destinations);
  std::erase_if(registered, [this](DestinationIndex index) { return states_[index].is_registered; });
  return registered;
}

std::size_t Destinations::registered_count() const {
  // Without the place of messages that lead nowhere.
  return static_cast<std::size_t>(std::ranges::count(states_, true, &DestinationState::is_registered)) - 1;
}

std::optional<DestinationIndex> Destinations::find_name(std::string_view name) const {
  const auto found = indexes_.find(name);
  return found != indexes_.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<DestinationIndex> Destinations::find(std::string_view name) const {
  const auto index = find_name(name);
  return index && states_[*index].is_registered ? index : std::nullopt;
}

DestinationIndex Destinations::at(std::string_view name) {
  if (const auto index = find_name(name)) return *index;
  const auto index = static_cast<DestinationIndex>(states_.size());
  const auto settings = std::make_shared<Destination>(Destination{.name = std::string(name)});
  const bool runs_ahead = std::ranges::find(running_ahead_, scheme_of(name)) != running_ahead_.end();
  states_.push_back({.settings = settings, .endpoint = Line(settings, runs_ahead, sharing_)});
  indexes_.emplace(name, index);
  return index;
}

void Destinations::exchange_began() {
  for (DestinationState& state : states_) state.endpoint.exchange_began();
}

void Destinations::exchange_ended() {
  for (DestinationState& state : states_) state.endpoint.exchange_ended();
}

void Destinations::clear() {
  for (DestinationState& state : states_) {
    state.ready.clear();
    state.ready_parked = 0;
    state.endpoint.clear();
    state.next_due.reset();
    state.parked_count = 0;
  }
}

}  // namespace makegood::core
