// How destinations have fared, as their owners have heard, and which of them must be disabled: those that said that
// they are gone, and those without a success for too long. And no others.
#include <algorithm>
#include <utility>

#include "makegood/events.hpp"
#include "sim/world.hpp"

namespace makegood::sim {
namespace {

/// A burst of failures counts once in a twentieth of the time; so many must have counted.
constexpr std::uint32_t failures_to_disable = 10;

bool stands_still(const Position& position, const std::string& destination) {
  return std::ranges::any_of(position.sides,
                             [&](const SideLane& side) { return side.scope == Scope{destination} && side.is_paused; });
}

bool is_disabled(const Position& position, const std::string& destination) {
  return stands_still(position, destination) && std::ranges::any_of(position.sides, [&](const SideLane& side) {
           return side.scope == Scope{destination} && side.why == SideLane::Why::disabled;
         });
}

}  // namespace

/// A new owner knows what the last turn says.
void World::begin_health(const Owner& owner) {
  auto access = database_->access();
  const auto& failing = access.state().position.failing;
  for (const Place& place : places_) {
    const auto known = failing.find(place.name);
    health_[{owner, place.name}] = {.failing = known != failing.end() ? std::optional(known->second) : std::nullopt};
  }
}

/// What the owner hears at this moment, by its own reckoning of the store's clock.
void World::note_health(const Flight& flight, const Outcome& answer, TimePoint now) {
  const Destination& destination = *flight.delivery.destination;
  const std::pair<Owner, std::string> place{flight.owner, destination.name};
  Health& health = health_[place];
  if (answer.kind == Outcome::Kind::ok) {
    health = {};
    return;
  }
  if (answer.kind == Outcome::Kind::gone) condemn(place);
  if (!health.failing || health.failing->since > now) health.failing = Failing{.since = now};
  Failing& failing = *health.failing;
  const Duration apart = destination.disable_after / (2 * failures_to_disable);
  if (now >= failing.since + apart * failing.count) ++failing.count;
  const bool is_hopeless = destination.disable_after > Duration{} && failing.count >= failures_to_disable &&
                           now - failing.since >= destination.disable_after;
  if (!health.is_known || !is_hopeless) return;
  summary_.sites.hit(Site::destination_hopeless);
  condemn(place);
}

void World::condemn(const std::pair<Owner, std::string>& place) {
  condemned_.insert(place);
  if (!is_removed(place.second)) gone_[place] = 0;
}

/// Whoever is registered anew, or resumed, gets all its time again: from which answer on, only the owner knows.
void World::notice_new_beginnings(const Turn& turn) {
  std::set<std::string> anew;
  for (const Place& place : places_) {
    if (turn.routing) anew.insert(place.name);
  }
  for (const RequestAnswer& answer : turn.answers) {
    const auto asked = asked_.find(answer.id);
    if (asked != asked_.end() && asked->second.kind == RequestKind::resume) anew.insert(asked->second.destination);
  }
  for (const std::string& destination : anew) health_[{turn.owner, destination}].is_known = false;
}

void World::notice_disabled(const Turn& turn) {
  std::size_t to_tell = 0;
  for (const Place& place : places_) {
    const bool is_new = is_disabled(turn.position, place.name) && !is_disabled(position_, place.name);
    if (!is_new) continue;
    summary_.sites.hit(Site::destination_disabled);
    const bool is_known = health_[{turn.owner, place.name}].is_known;
    if (condemned_.erase({turn.owner, place.name}) == 0 && is_known) {
      checker_.violated(place.name + " was disabled, and is neither gone nor has it failed for so long");
    }
    const Destination* settings = find_settings(place.name);
    const bool has_tenant = settings != nullptr && !settings->tenant_id.empty();
    const std::string tenant_id = has_tenant ? settings->tenant_id : std::string(default_tenant_id);
    to_tell += is_told(destination_disabled_topic, tenant_id) ? 1U : 0U;
  }
  const auto told =
      static_cast<std::size_t>(std::ranges::count(turn.messages, destination_disabled_topic, &NewMessage::topic));
  if (told != to_tell) {
    checker_.violated(std::to_string(to_tell) + " destinations disabled, and " + std::to_string(told) +
                      " of them told");
  }
  expect_disabled(turn);
  notice_new_beginnings(turn);
}

/// A destination that its owner knows to be gone, or without hope, is disabled with the next turn but one: the next may
/// have been decided.
void World::expect_disabled(const Turn& turn) {
  // One may have ended in the same turn, after there was no room for another.
  const bool is_excused =
      std::max(turn.position.sides.size(), position_.sides.size()) >= options_.limits.side_lanes_max;
  for (auto heard = gone_.begin(); heard != gone_.end();) {
    const auto& [owner, destination] = heard->first;
    const bool is_mine = owner == turn.owner;
    // Who stood still already is not disabled once more, even if an operator lets it go in this very turn.
    const bool is_still = stands_still(turn.position, destination) || stands_still(position_, destination);
    const bool is_done = is_mine && (is_excused || is_removed(destination) || is_still);
    if (is_mine && !is_done && ++heard->second > 1) {
      checker_.violated(destination + " is gone, or has failed for so long, and was not disabled");
    }
    heard = is_done ? gone_.erase(heard) : std::next(heard);
  }
}

}  // namespace makegood::sim
