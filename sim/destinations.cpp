// Destinations: they take, refuse, stay silent, go down and come back.
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/mutant.hpp"
#include "sim/world.hpp"

namespace makegood::sim {

World::Place& World::place_of(const std::string& destination) {
  return *std::ranges::find(places_, destination, &Place::name);
}

void World::let_one_arrive(Chance& chance) {
  if (flights_.empty()) return;
  const auto place = flights_.begin() + static_cast<std::ptrdiff_t>(chance.below(flights_.size()));
  if (is_hanging(*place)) return;
  const bool is_slow = place_of(place->delivery.destination->name).weather == Weather::slow;
  if (is_slow && !chance.one_in(8)) return;
  if (!place->has_left && !hand_over(*place)) return;
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

/// Some wait at their process's transport before they leave; meanwhile it may freeze. False: it has not left.
bool World::hand_over(Flight& flight) {
  Node& node = *nodes_[flight.node];
  if (is_paused(flight.node)) return false;
  const bool is_over =
      flight.life != node.life() || flight.owner != node.owner() || clock_.monotonic() >= node.send_until();
  if (is_over && !core::is_mutant("handed_over_after_lease")) {
    const Flight back = std::move(flight);
    flights_.erase(flights_.begin() + (&flight - flights_.data()));
    if (back.life != node.life()) return false;  // It died with its process.
    summary_.sites.hit(Site::came_too_late);
    probes_.erase(sending_of(back));
    tell(back.delivery.message->event_id, node.name() + " did not let it leave: its lease is over");
    node.answered({back.delivery.ticket, Outcome::returned()}, clock_.monotonic());
    return false;
  }
  if (clock_.monotonic() >= lease_from_[flight.owner] + options_.lease) {
    violated("it left after the lease was over", flight.delivery.message->sequence);
  }
  flight.has_left = true;
  return true;
}

Outcome World::answer_to(const Flight& flight, Chance& chance, bool& has_effect) {
  const std::string event_id(flight.delivery.message->event_id);
  const Weather weather = place_of(flight.delivery.destination->name).weather;
  const bool is_down = weather == Weather::down || (weather == Weather::flapping && chance.one_in(2));
  has_effect = false;
  if (is_down) return chance.one_in(3) ? Outcome::silent("TX.TIMEOUT") : Outcome::unreachable("DOWN");
  if (sour_.contains(event_id)) return Outcome::retry("SOUR");
  if (faults_.has(Fault::refusals) && chance.one_in(4)) {
    return chance.one_in(3) ? Outcome::fail("NO") : Outcome::retry("LATER");
  }
  if (faults_.has(Fault::waits) && chance.one_in(20)) {
    Outcome later = chance.one_in(2) ? Outcome::unreachable("LATER") : Outcome::retry("LATER");
    later.retry_after = std::chrono::milliseconds(chance.below(2000));
    return later;
  }
  if (faults_.has(Fault::gones) && chance.one_in(100)) return Outcome::gone("GONE");
  has_effect = true;
  if (faults_.has(Fault::lost_answers) && chance.one_in(10)) return Outcome::silent("TX.TIMEOUT");
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

World::Sending World::sending_of(const Flight& flight) {
  return {flight.owner, flight.delivery.destination->name, std::string(flight.delivery.message->event_id)};
}

void World::hear(const Flight& flight, Outcome answer) {
  const std::string& destination = flight.delivery.destination->name;
  const Sequence sequence = flight.delivery.message->sequence;
  const Delivered delivered{destination, sequence};
  Node& node = *nodes_[flight.node];
  const bool is_ours = node.owner() == flight.owner;
  const bool is_retry = answer.kind == Outcome::Kind::retry;
  const bool was_probe = probes_.erase(sending_of(flight)) > 0;
  const bool was_broken = is_ours && node.is_broken(destination);
  if (is_ours) {
    tell(flight.delivery.message->event_id,
         node.name() + " heard from " + destination + ": " + (answer.code.empty() ? "ok" : answer.code));
    if (answer.kind == Outcome::Kind::ok) {
      checker_.acknowledged(flight.owner, destination, std::string(flight.delivery.message->event_id));
      replay_numbers_.acknowledged(flight.owner, flight.delivery);
      const bool is_of_now = !lost_events_.contains(std::string(flight.delivery.message->event_id));
      if (is_of_now) unrecorded_[flight.owner].push_back(delivered);
    }
    if (was_probe && is_retry) summary_.sites.hit(Site::probe_failed);
    note_health(flight, answer, node.store_time(clock_.monotonic()));
    const bool is_gone = answer.kind == Outcome::Kind::gone;
    const bool is_given_back = is_gone || (was_broken && is_retry && !was_probe);
    note_reach(flight, answer, is_given_back);
    if (is_given_back) given_back_.insert(sending_of(flight));
    if (is_retry && (!was_broken || was_probe)) expect_patience(flight, answer);
  }
  node.answered({flight.delivery.ticket, std::move(answer)}, clock_.monotonic());
}

/// Whoever hears when to come back does not come earlier.
void World::expect_patience(const Flight& flight, const Outcome& answer) {
  const std::string event_id(flight.delivery.message->event_id);
  const bool is_of_before = lost_events_.contains(event_id);
  if (answer.retry_after == Duration{} || is_of_before) return;
  const Destination& destination = *flight.delivery.destination;
  const Duration wait = std::min(answer.retry_after, destination.retry.retry_after_max);
  not_before_[{flight.owner, destination.name, event_id}] = clock_.monotonic() + wait;
}

void World::change_the_weather(Chance& chance) {
  if (!faults_.has(Fault::outages) || !chance.one_in(6)) return;
  Place& place = places_[chance.below(places_.size())];
  constexpr Weather weathers[] = {Weather::fair, Weather::fair,     Weather::down,
                                  Weather::down, Weather::flapping, Weather::slow};
  place.weather = weathers[chance.below(std::size(weathers))];
  trace(8, static_cast<std::uint64_t>(place.weather));
}

}  // namespace makegood::sim
