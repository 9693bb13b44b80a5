#include "core/destinations.hpp"

#include <algorithm>
#include <utility>

#include "core/mutant.hpp"
#include "makegood/assert.hpp"
#include "makegood/store.hpp"

namespace makegood::core {
namespace {

/// Spread over half the time at least, so that two bad moments are not taken for days.
constexpr std::uint32_t failures_to_disable = 10;
/// What a transport may have in hand beyond a destination's limit.
constexpr std::size_t ahead_max = 512;

std::string_view scheme_of(std::string_view name) { return name.substr(0, name.find(':')); }

}  // namespace

std::size_t DestinationState::places_for_due() const {
  const std::size_t share = std::max<std::size_t>(1, settings->in_flight_max / 4);
  return share - std::min(share, ready_parked);
}

void DestinationState::expect_due(TimePoint due_at) { next_due = next_due ? std::min(*next_due, due_at) : due_at; }

void DestinationState::note(const Outcome& outcome, TimePoint now) {
  const bool is_success = outcome.kind == Outcome::Kind::ok;
  if (is_success && !is_mutant("success_does_not_reset")) failing.reset();
  if (is_success) return;
  if (!failing || failing->since > now) failing = Failing{.since = now};
  const bool is_burst = now < failing->since + settings->disable_after / (2 * failures_to_disable) * failing->count;
  if (!is_burst) ++failing->count;
}

bool DestinationState::is_hopeless(TimePoint now) const {
  if (!failing || settings->disable_after == Duration::zero() || is_mutant("failing_never_disables")) return false;
  return now - failing->since >= settings->disable_after && failing->count >= failures_to_disable;
}

void DestinationState::reckon_ahead() {
  if (runs_ahead) ahead = std::min(std::max(ended_meanwhile, ahead * 7 / 8), ahead_max);
}

Destinations::Destinations(std::vector<std::string> running_ahead) : running_ahead_(std::move(running_ahead)) {
  states_[at(unrouted)].is_registered = true;
}

void Destinations::configure(std::span<const Destination> destinations) {
  for (const Destination& destination : destinations) {
    MAKEGOOD_ASSERT(is_destination_name(destination.name));
    DestinationState& state = states_[at(destination.name)];
    state.is_registered = true;
    state.settings = std::make_shared<Destination>(destination);
    state.rate.limit_to(destination.rate_max);
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
  states_.push_back({.settings = std::make_shared<Destination>(Destination{.name = std::string(name)}),
                     .runs_ahead = std::ranges::find(running_ahead_, scheme_of(name)) != running_ahead_.end()});
  indexes_.emplace(name, index);
  return index;
}

void Destinations::go_away() {
  for (DestinationState& state : states_) state.ended_meanwhile = 0;
}

void Destinations::come_back() {
  for (DestinationState& state : states_) state.reckon_ahead();
}

void Destinations::clear() {
  for (DestinationState& state : states_) {
    state.ready.clear();
    state.ready_parked = 0;
    state.in_flight = 0;
    state.ahead = 0;
    state.next_due.reset();
    state.circuit.clear();
    state.parked_count = 0;
    state.failing.reset();
  }
}

}  // namespace makegood::core
