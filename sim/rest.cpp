// The second phase: nothing fails any more, and everything has to come to an end.
#include <algorithm>
#include <ranges>
#include <utility>

#include "sim/world.hpp"

namespace makegood::sim {
namespace {

using namespace std::chrono_literals;

constexpr int rest_rounds_max = 60'000;
constexpr std::uint64_t rest_seed = 0x5EED;

/// What may hold a delivery for ever: a dead letter of its key that blocks it until an operator speaks.
bool is_behind_a_dead_head(const memory::State& state, const Parked& held) {
  return std::ranges::any_of(state.blocking, [&](const memory::ParkedKey& place) {
    const Parked& head = state.parked.at(place).parked;
    return head.state == ParkedState::dead && head.sequence < held.sequence && head.destination == held.destination &&
           head.tenant_id == held.tenant_id && head.dispatch_key == held.dispatch_key;
  });
}

bool has_held(const memory::State& state, const std::string& destination) {
  return std::ranges::any_of(state.parked, [&](const auto& row) {
    return row.first.destination == destination && row.second.parked.state == ParkedState::held;
  });
}

}  // namespace

void World::come_to_rest() {
  Chance chance(plan_.seed, rest_seed);
  faults_ = {};
  while (!producers_.empty()) {
    Producer producer = std::move(producers_.front());
    producers_.pop_front();
    end(std::move(producer), true);
  }
  std::ranges::fill(paused_until_, MonotonicTime{});
  for (Place& place : places_) place.weather = Weather::fair;
  for (int round = 0; round < rest_rounds_max && checker_.violations().empty(); ++round) {
    if (round % 512 == 0) resume_everything();
    for (std::size_t index = 0; index < nodes_.size(); ++index) step(index, CallFault::none, chance.next());
    let_one_arrive(chance);
    if (round % 8 != 7) continue;
    if (is_at_rest()) return;
    const bool is_waiting = std::ranges::all_of(flights_, [this](const Flight& flight) { return is_hanging(flight); });
    clock_.elapsed += is_waiting ? 25ms : 5ms;
  }
  if (checker_.violations().empty())
    checker_.violated("liveness: it did not come to rest" + what_is_left(), first_pending());
}

void World::resume_everything() {
  for (const SideLane& side : position_.sides) {
    if (!side.is_paused || is_removed(side.scope.destination)) continue;
    ask({.kind = RequestKind::resume,
         .destination = side.scope.destination,
         .operator_name = "sim",
         .tenant_id = side.scope.tenant_id});
  }
}

/// Held is rest too, behind a dead head that blocks its key; so is a side lane for such a key, or one that is idle.
bool World::is_at_rest() {
  if (is_unnoticed_) return false;  // What was cleaned is looked at with the next step of the cleaner.
  auto access = database_->access();
  const memory::State& state = access.state();
  const Position& position = state.position;
  const bool are_sides_at_rest = std::ranges::all_of(position.sides, [&](const SideLane& side) {
    const Parked key{.sequence = state.counter + 1,
                     .destination = side.scope.destination,
                     .tenant_id = side.scope.tenant_id,
                     .dispatch_key = side.scope.dispatch_key};
    if (!side.under_way.empty() || is_removed(side.scope.destination)) return false;
    const bool is_blocked = !side.scope.dispatch_key.empty() && is_behind_a_dead_head(state, key);
    // Nothing is left with which it could be found out that the destination is up again.
    const bool is_level = side.reached >= position.reached;
    const bool is_idle = is_level && is_broken(side.scope.destination);
    // Too much is held at its destination, behind dead heads.
    const bool is_full = has_held(state, side.scope.destination);
    return is_blocked || is_idle || is_full;
  });
  return flights_.empty() && position.open.empty() && position.under_way.empty() && are_sides_at_rest &&
         state.unanswered.empty() && !is_any_waiting(state) && has_read_everything(state);
}

/// Of messages from before somebody wrote by hand nothing is promised, but they come to an end, and others wait for it.
bool World::is_any_waiting(const memory::State& state) {
  return std::ranges::any_of(state.parked,
                             [](const auto& row) { return row.second.parked.state == ParkedState::waiting; });
}

bool World::is_broken(const std::string& destination) const {
  return std::ranges::any_of(nodes_, [&](const auto& node) { return node->is_broken(destination); });
}

/// The position may lag behind, where nothing was found that has to be written down. An owner whose last turn the
/// database has forgotten does not know yet what is left to do.
bool World::has_read_everything(const memory::State& state) const {
  return std::ranges::any_of(nodes_, [&](const auto& node) {
    const LaneFigures figures = node->figures();
    const bool is_last = !state.turns.empty() && state.turns.rbegin()->first == node->last_turn() &&
                         state.turns.rbegin()->second.owner == node->owner();
    return figures.is_owner && is_last && node->is_between_exchanges() && figures.unread_count == 0 &&
           figures.open_count == 0 && figures.window_count == 0 && node->reached() >= state.counter;
  });
}

std::string World::what_is_left() {
  auto access = database_->access();
  const memory::State& state = access.state();
  std::string left = ": counter " + std::to_string(state.counter) + ", position " + encode(state.position);
  left += ", in flight " + std::to_string(flights_.size()) + ", waiting " + std::to_string(state.waiting.size());
  for (const auto& [place, row] : state.parked) {
    if (row.parked.state == ParkedState::done) continue;
    left += "\n  " + std::to_string(place.sequence) + " at " + place.destination + " of " + row.parked.tenant_id + "/" +
            row.parked.dispatch_key + ": " + std::string(to_string(row.parked.state)) +
            (row.parked.blocks ? ", blocks" : "") + (row.parked.under_way ? ", under way" : "");
  }
  for (const auto& node : nodes_) {
    const LaneFigures figures = node->figures();
    left += "\n  " + node->name() + (figures.is_owner ? " owns the lane" : "") + ", reached " +
            std::to_string(node->reached()) + ", in hand " + std::to_string(figures.window_count) + ", parked " +
            std::to_string(figures.parked_count) + ", open circuits " + std::to_string(figures.open_circuit_count);
  }
  return left + "\n  open requests " + std::to_string(state.unanswered.size());
}

std::string World::first_pending() {
  auto access = database_->access();
  const Position& position = access.state().position;
  for (const auto& [destination, numbers] : position.under_way) return event_of(numbers.front());
  for (const SideLane& side : position.sides) {
    if (!side.under_way.empty()) return event_of(side.under_way.front());
  }
  for (const auto& key : access.state().waiting) return event_of(key.sequence);
  return {};
}

void World::settle_accounts() {
  std::set<std::pair<std::string, std::string>> ended;
  {
    auto access = database_->access();
    const memory::State& state = access.state();
    for (const auto& [place, row] : state.parked) {
      const ParkedState parked = row.parked.state;
      if (parked == ParkedState::waiting || parked == ParkedState::done || is_of_before(row.parked)) continue;
      const bool is_stuck = parked == ParkedState::held && !is_behind_a_dead_head(state, row.parked);
      if (is_stuck && checker_.violations().empty()) {
        checker_.violated("liveness: " + event_of(place.sequence) + " is held behind nothing",
                          event_of(place.sequence));
      }
      if (parked == ParkedState::held && is_removed(place.destination) && checker_.violations().empty()) {
        checker_.violated("liveness: " + event_of(place.sequence) + " waits for a destination that was removed",
                          event_of(place.sequence));
      }
      ended.insert({place.destination, event_of(place.sequence)});
      ++summary_.dead_count;
    }
    for (const Sequence sequence : cancelled_) {
      if (routed_again_.contains(event_of(sequence))) continue;
      for (const Place& place : places_) ended.insert({place.name, event_of(sequence)});
      ended.insert({std::string(unrouted), event_of(sequence)});
    }
    // What a side lane has not read yet, because dead heads have filled its bounds, is not lost either.
    for (const SideLane& side : state.position.sides) {
      for (const auto& [sequence, written] : log_) {
        const bool is_in_scope = contains(side.scope, written.tenant_id, written.dispatch_key, written.priority);
        if (is_in_scope && sequence > side.reached) ended.insert({side.scope.destination, written.event_id});
      }
    }
  }
  if (checker_.violations().empty()) {
    for (const auto& [sequence, written] : log_) checker_.routed(written.event_id, destinations_of(written));
    checker_.at_rest(ended);
  }
  summary_.violations = checker_.violations();
  summary_.culprit = checker_.culprit();
  summary_.committed_count = checker_.committed_count();
  summary_.arrival_count = checker_.arrival_count();
  summary_.duplicate_count = checker_.duplicate_count();
  summary_.simulated = clock_.elapsed;
}

/// By the version of its number, as the committed turns told it; or where a replay led it.
std::vector<std::string> World::destinations_of(const Written& written) const {
  const auto again = routed_again_.find(written.event_id);
  if (again != routed_again_.end()) return again->second;
  const auto counts = [&](const Routing& routing) { return routing.from < written.message.sequence; };
  const auto newest_first = std::views::reverse(routings_);
  std::vector<std::string> destinations = led_by(*std::ranges::find_if(newest_first, counts), written);
  if (destinations.empty()) destinations.emplace_back(unrouted);
  return destinations;
}

std::vector<std::string> World::led_by(const Routing& routing, const Written& written) {
  std::vector<std::string> destinations;
  const Tenants tenants = tenants_of(routing);
  for (const Route& route : routing.routes) {
    const bool is_new = std::ranges::find(destinations, route.destination) == destinations.end();
    const bool is_led = matches(route.pattern, written.topic) && may_go(tenants, route.destination, written.tenant_id);
    if (is_led && is_new) destinations.push_back(route.destination);
  }
  return destinations;
}

}  // namespace makegood::sim
