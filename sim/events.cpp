// What a committed turn tells by messages of its own, and how owners treat a destination that said something.
#include <algorithm>

#include "makegood/events.hpp"
#include "sim/world.hpp"

namespace makegood::sim {

/// Somebody listens to what is told of this tenant.
bool World::is_told(std::string_view topic, std::string_view tenant_id) const {
  if (routings_.empty()) return false;
  const Routing& routing = routings_.back();
  return has_route(routing.routes, tenants_of(routing), topic, tenant_id);
}

/// Of messages that are not events themselves. A release from quarantine is no death.
std::size_t World::deaths_to_tell(const Turn& turn) const {
  return static_cast<std::size_t>(std::ranges::count_if(turn.parked, [&](const Turn::Change& change) {
    const auto before = states_.find({change.row.destination, change.row.sequence});
    const bool was_dead = before != states_.end() && before->second == ParkedState::dead;
    const std::string noted = change.note ? change.note->outcome : std::string();
    if (change.row.state != ParkedState::dead || was_dead || noted == "released") return false;
    const auto written = log_.find(change.row.sequence);
    const bool is_event = written != log_.end() && is_event_topic(written->second.topic);
    return !is_event && is_told(delivery_died_topic, change.row.tenant_id);
  }));
}

void World::notice_events(const Turn& turn) {
  if (routings_.empty()) return;
  const std::size_t deaths = deaths_to_tell(turn);
  const auto told =
      static_cast<std::size_t>(std::ranges::count(turn.messages, delivery_died_topic, &NewMessage::topic));
  const bool is_of_now =
      std::ranges::none_of(turn.parked, [this](const Turn::Change& change) { return is_of_before(change.row); });
  if (told != deaths && is_of_now) {
    checker_.violated(std::to_string(deaths) + " deaths to tell, and " + std::to_string(told) + " of them told");
  }
  if (told > 0) summary_.sites.hit(Site::death_told);
  auto access = database_->access();
  for (const NewMessage& event : turn.messages) {
    const auto number = access.state().events.find({event.tenant_id, event.event_id});
    // Drawn from a counter that was set back, between two numbers that were cleaned: nobody could have noticed.
    if (number == access.state().events.end() && was_tampered_with_) continue;
    const Sequence sequence = number->second;
    const std::string key = event.tenant_id + "/" + event.dispatch_key;
    const Checker::Committed committed{sequence, key, event.payload, {}};
    checker_.committed(event.event_id, committed);
    log_[sequence] = {event.event_id, event.topic, event.tenant_id, event.dispatch_key, 0, committed};
  }
}

void World::check_manners(const Owner& owner, const Delivery& delivery) {
  const Message& message = *delivery.message;
  const auto asked = not_before_.find({owner, delivery.destination->name, std::string(message.event_id)});
  if (asked != not_before_.end()) {
    const bool is_early = clock_.monotonic() < asked->second && !summary_.faults.has(Fault::jumps);
    if (is_early) violated("it was sent before the destination wanted to be asked again", message.sequence);
    summary_.sites.hit(Site::told_to_wait);
    not_before_.erase(asked);
  }
}

}  // namespace makegood::sim
