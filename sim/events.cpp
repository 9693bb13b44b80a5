// What a committed turn tells by messages of its own, and how owners treat a destination that said something.
#include <algorithm>

#include "makegood/events.hpp"
#include "sim/world.hpp"

namespace makegood::sim {
namespace {

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

bool is_routed(const std::vector<Route>& routes, std::string_view topic) {
  return std::ranges::any_of(routes, [&](const Route& route) { return matches(route.pattern, topic); });
}

/// Of messages that are not events themselves. A release from quarantine is no death.
std::size_t World::deaths_in(const Turn& turn) const {
  return static_cast<std::size_t>(std::ranges::count_if(turn.parked, [&](const Turn::Change& change) {
    const auto before = states_.find({change.row.destination, change.row.sequence});
    const bool was_dead = before != states_.end() && before->second == ParkedState::dead;
    const std::string noted = change.note ? change.note->outcome : std::string();
    if (change.row.state != ParkedState::dead || was_dead || noted == "released") return false;
    const auto written = log_.find(change.row.sequence);
    return written == log_.end() || !is_event_topic(written->second.topic);
  }));
}

void World::notice_events(const Turn& turn, std::size_t deaths) {
  if (routings_.empty()) return;
  const bool is_told = is_routed(routings_.back().routes, delivery_died_topic);
  const auto told =
      static_cast<std::size_t>(std::ranges::count(turn.messages, delivery_died_topic, &NewMessage::topic));
  if (told != (is_told ? deaths : 0)) {
    checker_.violated(std::to_string(deaths) + " deaths, and " + std::to_string(told) + " of them told");
  }
  if (told > 0) summary_.sites.hit(Site::death_told);
  auto access = database_->access();
  for (const NewMessage& event : turn.messages) {
    const Sequence sequence = access.state().events.at({event.tenant_id, event.event_id});
    const std::string key = event.tenant_id + "/" + event.dispatch_key;
    const Checker::Committed committed{sequence, key, event.payload, {}};
    checker_.committed(event.event_id, committed);
    log_[sequence] = {event.event_id, event.topic, event.tenant_id, event.dispatch_key, 0, committed};
  }
}

/// A destination that its owner knows to be gone is disabled with the next turn but one: the next may have been
/// decided.
void World::notice_disabled(const Turn& turn) {
  for (const Place& place : places_) {
    const bool is_new = is_disabled(turn.position, place.name) && !is_disabled(position_, place.name);
    if (is_new) summary_.sites.hit(Site::destination_disabled);
  }
  // One may have ended in the same turn, after there was no room for another.
  const bool is_excused =
      std::max(turn.position.sides.size(), position_.sides.size()) >= options_.limits.side_lanes_max;
  for (auto heard = gone_.begin(); heard != gone_.end();) {
    const auto& [owner, destination] = heard->first;
    const bool is_mine = owner == turn.owner;
    const bool is_done = is_mine && (is_excused || is_removed(destination) || stands_still(turn.position, destination));
    if (is_mine && !is_done && ++heard->second > 1) {
      checker_.violated(destination + " is gone, and was not disabled");
    }
    heard = is_done ? gone_.erase(heard) : std::next(heard);
  }
}

void World::check_manners(const Owner& owner, const Delivery& delivery) {
  const std::string& destination = delivery.destination->name;
  const Sequence sequence = delivery.message->sequence;
  const auto asked = not_before_.find({owner, {destination, sequence}});
  if (asked != not_before_.end()) {
    const bool is_early = clock_.monotonic() < asked->second && !summary_.faults.has(Fault::jumps);
    if (is_early) violated("it was sent before the destination wanted to be asked again", sequence);
    summary_.sites.hit(Site::told_to_wait);
    not_before_.erase(asked);
  }
}

}  // namespace makegood::sim
