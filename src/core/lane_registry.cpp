// Destinations and routes, by version: how a change becomes a version, and what becomes of those that were waiting for
// a destination that is no longer there.
//
// A version counts from the main lane's position, so it has to be there before the next rows are looked for. Where the
// registry is in the store, a change takes two exchanges therefore: one finds the request and tries it, the next looks
// by the new version and writes it, together with the answer. Until then the request stays open: if the turn is lost,
// the next owner does it all again.
#include <algorithm>
#include <utility>

#include "core/lane.hpp"
#include "core/mutant.hpp"
#include "core/request_answer.hpp"

namespace makegood::core {
namespace {

bool is_alike(const Routing& one, const Routing& other) {
  return one.routes == other.routes && one.destinations == other.destinations;
}

}  // namespace

Routing Lane::wanted_routing() const {
  if (change_) return change_->routing;
  if (!is_registry_in_store_) return {.routes = options_.routes, .destinations = options_.destinations};
  return routings_.is_empty() ? Routing{} : routings_.newest();
}

void Lane::propose_routing() {
  new_routing_.reset();
  const bool is_first = routings_.is_empty();
  const bool is_changed = is_first || (is_registry_in_store_ ? change_.has_value() : leads_elsewhere());
  if (!is_changed && routings_.newest().from <= reached_) return;
  new_routing_ = wanted_routing();
  new_routing_->version = is_first ? 1 : routings_.newest().version + 1;
  new_routing_->from = is_first || is_mutant("version_from_the_start") ? 0 : reached_;
  if (is_mutant("version_from_the_counter")) new_routing_->from = std::max(reached_, counter_);
}

/// Than the version in force: this program wants other routes, or has destinations for other tenants. Compared once:
/// for 1,000 destinations it took a fifth of an exchange.
bool Lane::leads_elsewhere() {
  if (leads_as_wanted_) return false;
  const Routing& newest = routings_.newest();
  const Routing wanted = wanted_routing();
  leads_as_wanted_ = newest.routes == wanted.routes && tenants_of(newest) == tenants_of(wanted);
  return !leads_as_wanted_;
}

/// Nobody has said yet where anything goes: messages that are there before the first route wait for it. From then on
/// one without a route is dead.
bool Lane::is_without_routes() const {
  if (!is_registry_in_store_) return false;
  return routings_.is_without_routes() && (!new_routing_ || new_routing_->routes.empty()) && unread_.empty();
}

void Lane::adopt_routing() {
  if (!new_routing_) return;
  draft_->routing = *new_routing_;
  if (!routings_.is_empty()) news_.push_back({.kind = LaneNews::Kind::routes_changed});
  routings_.add(std::move(*new_routing_));
  new_routing_.reset();
  if (is_registry_in_store_ && !is_mutant("registry_of_the_taking")) register_newest();
  if (change_) draft_->answers.push_back({change_->request, std::string(done)});
  change_.reset();
}

/// Whoever is no longer there is neither up nor down.
void Lane::register_newest() {
  if (routings_.is_empty()) return;
  for (const DestinationIndex index : destinations_.replace(routings_.newest().destinations)) {
    DestinationState& state = destinations_[index];
    if (state.circuit.is_open()) {
      news_.push_back({.kind = LaneNews::Kind::circuit_closed, .scope = {state.settings->name}});
    }
    state.circuit.clear();
    state.failing.reset();
    gone_.erase(index);
    removed_.push_back(index);
  }
}

/// The oldest version that any lane may still go by.
std::int64_t Lane::oldest_routing() const {
  Sequence lowest = reached_ + 1;
  if (!open_.empty()) lowest = std::min(lowest, open_.front());
  std::int64_t oldest = routings_.newest().version;
  for (const auto& side : sides_) {
    if (side->is_history()) oldest = std::min(oldest, side->lane.routing);
    lowest = std::min(lowest, side->lane.reached + 1);
  }
  return std::min(oldest, routings_.version_of(lowest).version);
}

/// One change at a time. Nothing: it stays open until a turn carries its version.
std::optional<std::string> Lane::change_registry(const Request& request) {
  if (!is_registry_in_store_) return refused("this program registers its destinations itself");
  const bool is_answered = std::ranges::find(draft_->answers, request.id, &RequestAnswer::id) != draft_->answers.end();
  if (change_ || is_answered || routings_.is_empty()) return std::nullopt;
  const auto change = decode_routing_change(request.asked.document);
  if (!change) return refused(change.error().message);
  auto routing = apply(routings_.newest(), *change);
  if (!routing) return refused(routing.error().message);
  if (is_alike(*routing, routings_.newest())) return std::string(done);
  change_ = {request.id, std::move(*routing)};
  return is_mutant("answered_before_its_version") ? std::optional(std::string(done)) : std::nullopt;
}

/// By an operator. Where programs register their destinations, one that this program does not know is waited for.
bool Lane::is_removed(DestinationIndex index) const {
  return is_registry_in_store_ && !destinations_[index].is_registered;
}

void Lane::wind_up_removed() {
  for (const DestinationIndex index : std::exchange(removed_, {})) {
    if (!is_removed(index)) continue;
    release_sides(index);
    put_back_unsent(index);
    release_from_dead_heads(index);
  }
}

/// Nothing stands still any more: each side lane reads to its end, all of it is dead, and it merges. History ends here.
void Lane::release_sides(DestinationIndex index) {
  if (is_mutant("removed_stands_still")) return;
  std::vector<Side*> histories;
  for (Side* side : sides_.at(index)) {
    side->lane.is_paused = false;
    side->is_resuming = false;
    if (side->is_history()) histories.push_back(side);
  }
  destinations_[index].expect_due(store_now_);  // Retries of what was paused were left out of the looks.
  for (Side* side : histories) cancel(*side);
}

/// Back to numbers and waiting rows: the next looks bring them as what cannot be sent any more.
void Lane::put_back_unsent(DestinationIndex index) {
  if (is_mutant("removed_is_sent")) return;
  std::vector<CarriedIndex> unsent;
  window_.each([&](CarriedIndex carried_index, const Carried& carried) {
    if (carried.destination == index && !carried.is_in_flight) unsent.push_back(carried_index);
  });
  for (const CarriedIndex carried_index : unsent) {
    if (window_.at(carried_index).is_parked) {
      put_back_parked(carried_index);
    } else {
      put_back(carried_index);
    }
  }
}

/// What is held behind a dead head waits for an operator, who has just said that there is nothing to wait for.
void Lane::release_from_dead_heads(DestinationIndex index) {
  for (Key* key : keys_.of(index)) {
    std::vector<Sequence> heads;
    for (const auto& [sequence, blocker] : key->blockers) {
      if (blocker.state == ParkedState::dead && sequence != key->blockers.rbegin()->first) heads.push_back(sequence);
    }
    for (const Sequence sequence : heads) unblock_dead_head(*key, sequence);
    pass_on(*key);
  }
}

void Lane::unblock_dead_head(Key& key, Sequence sequence) {
  Parked head{.sequence = sequence,
              .destination = destinations_[key.destination].settings->name,
              .tenant_id = key.tenant_id,
              .dispatch_key = key.dispatch_key,
              .state = ParkedState::dead,
              .attempts = key.blockers.at(sequence).attempts};
  AttemptNote note = note_on(head, "unblocked", store_now_);
  park(std::move(head), std::move(note), false);
  key.blockers.erase(sequence);
}

}  // namespace makegood::core
