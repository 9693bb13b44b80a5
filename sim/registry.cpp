// Destinations and routes in the store: operators change them while everything runs, and a turn that says so must say
// it all: the version, from which number on, and the answer.
#include <algorithm>
#include <utility>

#include "sim/world.hpp"

namespace makegood::sim {
namespace {

bool is_alike(const Routing& one, const Routing& other) {
  return one.routes == other.routes && one.destinations == other.destinations;
}

/// Apart from the chance of the others, which stay what they are for each seed.
constexpr std::uint64_t others_seed = 0x07E0'0000;

Route draw_route(const std::string& destination, Chance& chance) {
  constexpr const char* patterns[] = {"both.*", "one", "*.x", "makegood.*"};
  return {patterns[chance.below(4)], destination};
}

}  // namespace

/// The settings that may change while it runs; attempts and ordering are what the checker counts on.
Destination World::draw_settings(const std::string& name, Chance& chance) const {
  Destination destination = *std::ranges::find(options_.destinations, name, &Destination::name);
  destination.in_flight_max = 1 + chance.below(8);
  destination.rate_max = chance.one_in(4) ? 50.0 : 0.0;
  destination.circuit.failures_max = static_cast<std::uint32_t>(chance.below(5));
  if (Chance(plan_.seed, summary_.steps + others_seed).one_in(8)) {
    destination.tenant_id = destination.tenant_id.empty() ? "t1" : "";
  }
  return destination;
}

RoutingChange World::draw_change(Chance& chance) const {
  const std::string name = places_[chance.below(places_.size())].name;
  const std::string other = places_[chance.below(places_.size())].name;
  switch (chance.below(6)) {
    case 0:
      return {.removed_destinations = {name}};
    case 1:
      return {.destinations = {draw_settings(name, chance)}};
    case 2:
      return {.routes = {draw_route(name, chance)}};  // Refused when nobody is there.
    case 3:
      return {.removed_routes = {draw_route(name, chance)}};
    case 4:
      return {.destinations = {draw_settings(name, chance)},
              .removed_destinations = {other},
              .routes = {draw_route(name, chance)}};
    default:
      return {.destinations = {draw_settings(name, chance), draw_settings(other, chance)},
              .routes = {{"both.*", name}, {"one", other}}};
  }
}

void World::ask_to_configure(const RoutingChange& change) {
  ask({.kind = RequestKind::configure, .destination = {}, .operator_name = "sim", .document = encode(change)});
}

void World::ask_to_configure(Chance& chance) {
  if (!faults_.has(Fault::registers) || !chance.one_in(3)) return;
  if (!chance.one_in(20)) return ask_to_configure(draw_change(chance));
  ask({.kind = RequestKind::configure, .destination = {}, .operator_name = "sim", .document = "{damaged"});
}

/// As the last committed version says.
const Destination* World::find_registered(const std::string& name) const {
  if (routings_.empty()) return nullptr;
  const auto& registered = routings_.back().destinations;
  const auto found = std::ranges::find(registered, name, &Destination::name);
  return found == registered.end() ? nullptr : &*found;
}

/// In the store, or as the program has them.
const Destination* World::find_settings(const std::string& name) const {
  if (is_registry_in_store_) return find_registered(name);
  return &*std::ranges::find(options_.destinations, name, &Destination::name);
}

bool World::is_removed(const std::string& destination) const {
  return is_registry_in_store_ && destination != unrouted && find_registered(destination) == nullptr;
}

/// What the registry is after this answer; a change that could be made must not be refused.
Routing World::registry_after(const RequestAnswer& answer, const Routing& before) {
  const auto asked = asked_.find(answer.id);
  if (asked == asked_.end() || asked->second.kind != RequestKind::configure) return before;
  const auto change = decode_routing_change(asked->second.document);
  auto after = change ? apply(before, *change) : Result<Routing>(change.error());
  if (after.has_value() != (answer.result == "done")) {
    checker_.violated("a change of the registry was answered: " + answer.result);
  }
  summary_.sites.hit(after ? Site::registry_changed : Site::change_refused);
  if (!after) return before;
  return *std::move(after);
}

void World::notice_registry(const Turn& turn) {
  for (const RequestAnswer& answer : turn.answers) {
    if (!answered_.insert(answer.id).second) checker_.violated("a request was answered twice");
  }
  if (!is_registry_in_store_) return;
  const Routing before = routings_.empty() ? Routing{} : routings_.back();
  Routing expected = before;
  for (const RequestAnswer& answer : turn.answers) expected = registry_after(answer, expected);
  const Routing& now = turn.routing ? *turn.routing : before;
  if (!is_alike(now, expected))
    checker_.violated("a turn does not say what was asked for and answered: " + encode(now));
  const bool is_off = now.from < position_.reached || now.from > turn.position.reached;
  if (turn.routing && !routings_.empty() && is_off) {
    checker_.violated("a version counts from " + std::to_string(now.from) + ", the position went from " +
                      std::to_string(position_.reached) + " to " + std::to_string(turn.position.reached));
  }
  for (const Destination& destination : before.destinations) {
    const auto& left = now.destinations;
    const bool is_left = std::ranges::find(left, destination.name, &Destination::name) != left.end();
    if (!is_left) summary_.sites.hit(Site::destination_removed);
  }
}

/// Nothing begins by settings that no turn has committed, or for a destination that is gone.
void World::check_registered(const Delivery& delivery) {
  if (!is_registry_in_store_) return;
  const Destination* registered = find_registered(delivery.destination->name);
  if (registered == nullptr) {
    violated("it was sent to a destination that was removed", delivery.message->sequence);
  } else if (*registered != *delivery.destination) {
    violated("it was sent by settings that no turn has committed", delivery.message->sequence);
  }
}

/// Only what leads nowhere may say so.
void World::check_death(const Parked& row) {
  if (!is_registry_in_store_ || row.error_code != to_string(Errc::no_route) || row.destination == unrouted) return;
  summary_.sites.hit(Site::removed_delivery_ended);
  if (find_registered(row.destination) != nullptr) {
    violated("it died for want of its destination, which is registered", row.sequence);
  }
}

}  // namespace makegood::sim
