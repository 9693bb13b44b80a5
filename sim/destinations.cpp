// Destinations: they take, refuse, stay silent, go down and come back.
#include <algorithm>
#include <utility>

#include "sim/world.hpp"

namespace makegood::sim {

World::Place& World::place_of(const std::string& destination) {
  return *std::ranges::find(places_, destination, &Place::name);
}

void World::let_one_arrive(Chance& chance) {
  if (flights_.empty()) return;
  const auto place = flights_.begin() + static_cast<std::ptrdiff_t>(chance.below(flights_.size()));
  const bool is_slow = place_of(place->delivery.destination->name).weather == Weather::slow;
  if (is_slow && !chance.one_in(8)) return;
  const Flight flight = std::move(*place);
  flights_.erase(place);
  bool has_effect = true;
  Outcome answer = answer_to(flight, chance, has_effect);
  land(flight, has_effect, answer, chance.next());
  if (faults_.has(Fault::double_answers) && chance.one_in(10) && flight.life == nodes_[flight.node]->life()) {
    nodes_[flight.node]->answered({flight.delivery.ticket, std::move(answer)}, clock_.monotonic());
    summary_.sites.hit(Site::double_answer);
  }
}

Outcome World::answer_to(const Flight& flight, Chance& chance, bool& has_effect) {
  const std::string event_id(flight.delivery.message->event_id);
  const Weather weather = place_of(flight.delivery.destination->name).weather;
  const bool is_down = weather == Weather::down || (weather == Weather::flapping && chance.one_in(2));
  has_effect = false;
  if (is_down) return Outcome::retry("DOWN");
  if (sour_.contains(event_id)) return Outcome::retry("SOUR");
  if (faults_.has(Fault::refusals) && chance.one_in(4)) {
    return chance.one_in(3) ? Outcome::fail("NO") : Outcome::retry("LATER");
  }
  if (faults_.has(Fault::waits) && chance.one_in(20)) {
    Outcome later = Outcome::retry("LATER");
    later.retry_after = std::chrono::milliseconds(chance.below(2000));
    return later;
  }
  if (faults_.has(Fault::gones) && chance.one_in(100)) return Outcome::gone("GONE");
  has_effect = true;
  if (faults_.has(Fault::lost_answers) && chance.one_in(10)) return Outcome::retry("TX.TIMEOUT");
  return Outcome::ok();
}

void World::land(const Flight& flight, bool has_effect, Outcome answer, std::uint64_t seed) {
  const std::string& destination = flight.delivery.destination->name;
  const Message& message = *flight.delivery.message;
  const std::string event_id(message.event_id);
  Node& node = *nodes_[flight.node];
  trace(5, flight.delivery.ticket + (has_effect ? 1 : 0));
  if (has_effect) {
    tell(message.event_id, "arrived at " + destination);
    checker_.arrived(destination, event_id, std::string(message.content));
  }
  if (flight.life != node.life()) return;
  if (poison_.contains(event_id)) {
    tell(message.event_id, "killed " + node.name());
    return crash(flight.node, seed);
  }
  hear(flight, std::move(answer));
}

void World::hear(const Flight& flight, Outcome answer) {
  const std::string& destination = flight.delivery.destination->name;
  const Sequence sequence = flight.delivery.message->sequence;
  const Delivered delivered{destination, sequence};
  Node& node = *nodes_[flight.node];
  const bool is_ours = node.owner() == flight.owner;
  const bool is_retry = answer.kind == Outcome::Kind::retry;
  const bool was_probe = probes_.erase({flight.owner, delivered}) > 0;
  const bool was_broken = is_ours && node.is_broken(destination);
  if (is_ours) {
    tell(flight.delivery.message->event_id,
         node.name() + " heard from " + destination + ": " + (answer.code.empty() ? "ok" : answer.code));
    if (answer.kind == Outcome::Kind::ok) {
      checker_.acknowledged(flight.owner, destination, std::string(flight.delivery.message->event_id));
      unrecorded_[flight.owner].push_back(delivered);
    }
    if (was_probe && is_retry) summary_.sites.hit(Site::probe_failed);
    note_health(flight, answer, node.store_time(clock_.monotonic()));
    const bool is_gone = answer.kind == Outcome::Kind::gone;
    if (is_gone || (was_broken && is_retry && !was_probe)) given_back_.insert({flight.owner, delivered});
    if (is_retry && (!was_broken || was_probe)) expect_patience(flight, answer);
  }
  node.answered({flight.delivery.ticket, std::move(answer)}, clock_.monotonic());
}

/// Whoever hears when to come back does not come earlier.
void World::expect_patience(const Flight& flight, const Outcome& answer) {
  if (answer.retry_after == Duration{}) return;
  const Destination& destination = *flight.delivery.destination;
  const Duration wait = std::min(answer.retry_after, destination.retry.retry_after_max);
  not_before_[{flight.owner, {destination.name, flight.delivery.message->sequence}}] = clock_.monotonic() + wait;
}

void World::change_the_weather(Chance& chance) {
  if (!faults_.has(Fault::outages) || !chance.one_in(6)) return;
  Place& place = places_[chance.below(places_.size())];
  constexpr Weather weathers[] = {Weather::fair, Weather::fair, Weather::down, Weather::flapping, Weather::slow};
  place.weather = weathers[chance.below(5)];
  trace(8, static_cast<std::uint64_t>(place.weather));
}

}  // namespace makegood::sim
