#include "core/destinations.hpp"

#include <algorithm>

#include "makegood/assert.hpp"
#include "makegood/store.hpp"

namespace makegood::core {
namespace {

/// Topics come from producers; without a bound they could fill the memory.
constexpr std::size_t known_topics_max = 10'000;

}  // namespace

std::size_t DestinationState::places_for_due() const {
  const std::size_t share = std::max<std::size_t>(1, settings->in_flight_max / 4);
  return share - std::min(share, ready_parked);
}

void DestinationState::expect_due(TimePoint due_at) { next_due = next_due ? std::min(*next_due, due_at) : due_at; }

Destinations::Destinations() {
  states_.push_back({.settings = std::make_shared<Destination>(Destination{.name = std::string(unrouted)})});
}

void Destinations::configure(std::span<const Destination> destinations, std::span<const Route> routes) {
  for (const Destination& destination : destinations) {
    MAKEGOOD_ASSERT(is_destination_name(destination.name));
    const auto known = find(destination.name);
    DestinationState& state = known ? states_[*known] : states_.emplace_back();
    state.settings = std::make_shared<Destination>(destination);
    state.rate.limit_to(destination.rate_max);
  }
  routes_.assign(routes.begin(), routes.end());
  known_topics_.clear();
  last_found_ = nullptr;
}

std::optional<DestinationIndex> Destinations::find(std::string_view name) const {
  const auto found = std::ranges::find(
      states_, name, [](const DestinationState& s) -> const std::string& { return s.settings->name; });
  if (found == states_.end()) return std::nullopt;
  return static_cast<DestinationIndex>(found - states_.begin());
}

std::vector<DestinationIndex> Destinations::find_routes(std::string_view topic) const {
  std::vector<DestinationIndex> found;
  for (const Route& route : routes_) {
    const auto index = find(route.destination);
    MAKEGOOD_ASSERT(index.has_value());
    if (matches(route.pattern, topic) && std::ranges::find(found, *index) == found.end()) found.push_back(*index);
  }
  return found;
}

std::span<const DestinationIndex> Destinations::leading_from(std::string_view topic) {
  // Neighbours in a log mostly share their topic, so the last answer is tried before the table.
  if (last_found_ != nullptr && last_topic_ == topic) return *last_found_;
  if (known_topics_.size() >= known_topics_max) known_topics_.clear();
  last_topic_ = topic;
  const auto [place, is_new] = known_topics_.try_emplace(last_topic_);
  if (is_new) place->second = find_routes(topic);
  last_found_ = &place->second;
  return *last_found_;
}

void Destinations::clear() {
  for (DestinationState& state : states_) {
    state.ready.clear();
    state.ready_parked = 0;
    state.in_flight = 0;
    state.next_due.reset();
  }
}

}  // namespace makegood::core
