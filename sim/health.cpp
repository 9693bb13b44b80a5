// How destinations have fared, as their owners have heard, and which of them must be disabled: those that said that
// they are gone, and those that have answered nothing for too long. And no others.
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

bool has_destination(const Routing& routing, const std::string& name) {
  return std::ranges::find(routing.destinations, name, &Destination::name) != routing.destinations.end();
}

}  // namespace

/// A new owner knows what the last turn says.
void World::begin_health(const Owner& owner) {
  auto access = database_->access();
  const memory::State& state = access.state();
  const auto& failing = state.position.failing;
  const Routing newest = state.routings.empty() ? Routing{} : state.routings.rbegin()->second;
  for (const Place& place : places_) {
    const auto known = failing.find(place.name);
    health_[{owner, place.name}] = {.is_registered = !is_registry_in_store_ || has_destination(newest, place.name),
                                    .failing = known != failing.end() ? std::optional(known->second) : std::nullopt};
  }
}

/// From its decision on, not from its commit: whoever is removed, or resumed, begins anew, and what was heard until now
/// is judged. A success that comes later finds the judgement made.
void World::notice_decision(const Turn& turn) {
  for (const Place& place : places_) {
    const std::pair<Owner, std::string> key{turn.owner, place.name};
    judged_.erase(key);
    if (condemned_.erase(key) > 0) judged_.insert(key);
    health_[key].is_said_gone = false;
    if (!is_registry_in_store_ || !turn.routing) continue;
    health_[key].is_registered = has_destination(*turn.routing, place.name);
    if (!health_[key].is_registered) health_[key].failing.reset();
  }
  for (const RequestAnswer& answer : turn.answers) {
    const auto asked = asked_.find(answer.id);
    const bool is_resume = asked != asked_.end() && asked->second.kind == RequestKind::resume;
    if (is_resume && answer.result == "done") health_[{turn.owner, asked->second.destination}].failing.reset();
  }
}

/// What the owner hears at this moment, by its own reckoning of the store's clock.
void World::note_health(const Flight& flight, const Outcome& answer, TimePoint now) {
  const Destination& destination = *flight.delivery.destination;
  const std::pair<Owner, std::string> place{flight.owner, destination.name};
  Health& health = health_[place];
  if (!health.is_registered) return;
  if (answer.kind == Outcome::Kind::ok) {
    health.failing.reset();
    if (!health.is_said_gone) withdraw(place);
    return;
  }
  if (answer.kind == Outcome::Kind::gone) {
    health.is_said_gone = true;
    condemn(place);
  }
  if (!health.failing || health.failing->since > now) health.failing = Failing{.since = now};
  Failing& failing = *health.failing;
  const Duration patience = destination.retry.unreachable_for;
  if (answer.is_answer()) {
    failing.unanswered = 0;
    if (!health.is_said_gone) withdraw(place);
    return;
  }
  if (failing.unanswered == 0 || failing.unanswered_since > now) {
    failing.unanswered_since = now;
    failing.unanswered = 0;
  }
  const Duration apart = patience / (2 * failures_to_disable);
  if (now >= failing.unanswered_since + apart * failing.unanswered) ++failing.unanswered;
  const bool is_hopeless =
      patience > Duration{} && failing.unanswered >= failures_to_disable && now - failing.unanswered_since >= patience;
  if (!is_hopeless) return;
  summary_.sites.hit(Site::destination_hopeless);
  condemn(place);
}

void World::condemn(const std::pair<Owner, std::string>& place) {
  condemned_.insert(place);
  if (!is_removed(place.second)) gone_[place] = 0;
}

void World::withdraw(const std::pair<Owner, std::string>& place) {
  if (condemned_.erase(place) > 0) gone_.erase(place);
}

void World::notice_disabled(const Turn& turn) {
  std::size_t to_tell = 0;
  for (const Place& place : places_) {
    const bool is_new = is_disabled(turn.position, place.name) && !is_disabled(position_, place.name);
    if (!is_new) continue;
    summary_.sites.hit(Site::destination_disabled);
    if (!judged_.contains({turn.owner, place.name})) {
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
