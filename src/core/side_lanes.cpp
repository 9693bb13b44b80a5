#include "core/side_lanes.hpp"

#include <algorithm>
#include <utility>

#include "core/mutant.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

/// How deep a scope lies: destination, tenant at it, key or priority at it.
int depth(const Scope& scope) {
  return 1 + (scope.tenant_id.empty() ? 0 : 1) + (scope.dispatch_key.empty() && !scope.priority ? 0 : 1);
}

bool holds(const Side& side, const Message& message) {
  return contains(side.lane.scope, message.tenant_id, message.dispatch_key, message.priority);
}

/// Before the first that is no deeper.
void insert_in_order(auto& sides, auto side) {
  const auto place = std::ranges::find_if(
      sides, [&](const auto& other) { return depth(other->lane.scope) <= depth(side->lane.scope); });
  sides.insert(place, std::move(side));
}

}  // namespace

Side& SideLanes::add(SideLane lane, DestinationIndex destination) {
  auto owned = std::make_unique<Side>(Side{.lane = std::move(lane), .destination = destination});
  Side* side = owned.get();
  insert_in_order(sides_, std::move(owned));
  if (at_.size() <= destination) at_.resize(destination + 1);
  insert_in_order(at_[destination], side);
  return *side;
}

void SideLanes::remove(const Side& side) {
  std::erase(at_[side.destination], &side);
  const auto count = std::erase_if(sides_, [&](const auto& other) { return other.get() == &side; });
  MAKEGOOD_ASSERT(count == 1);
}

void SideLanes::clear() {
  at_.clear();
  sides_.clear();
}

std::span<Side* const> SideLanes::at(DestinationIndex destination) const {
  return destination < at_.size() ? std::span<Side* const>(at_[destination]) : std::span<Side* const>();
}

Side* SideLanes::carrier(DestinationIndex destination, const Message& message) const {
  Side* carrier = nullptr;
  for (Side* side : at(destination)) {
    if (side->is_history() || !holds(*side, message)) continue;
    carrier = side;
    if (!is_mutant("flat_scopes")) return carrier;
  }
  return carrier;
}

Side* SideLanes::around(const Side& side) const {
  for (Side* other : at(side.destination)) {
    const bool is_other = other != &side && !other->is_history();
    if (is_other && is_inside(side.lane.scope, other->lane.scope)) return other;
  }
  return nullptr;
}

Side* SideLanes::find(const Scope& scope, bool is_history) const {
  const auto found = std::ranges::find_if(
      sides_, [&](const auto& side) { return side->is_history() == is_history && side->lane.scope == scope; });
  return found == sides_.end() ? nullptr : found->get();
}

bool SideLanes::has_whole(DestinationIndex destination) const {
  return std::ranges::any_of(at(destination),
                             [](const Side* side) { return !side->is_history() && depth(side->lane.scope) == 1; });
}

bool SideLanes::is_paused(DestinationIndex destination, const Scope& scope) const {
  if (is_mutant("pause_is_ignored")) return false;
  return std::ranges::any_of(
      at(destination), [&](const Side* side) { return side->stands_still() && is_inside(scope, side->lane.scope); });
}

bool SideLanes::is_paused(DestinationIndex destination) const {
  if (is_mutant("pause_is_ignored")) return false;
  return std::ranges::any_of(at(destination),
                             [](const Side* side) { return side->stands_still() && depth(side->lane.scope) == 1; });
}

std::vector<std::string> SideLanes::paused_tenants(DestinationIndex destination) const {
  std::vector<std::string> tenants;
  for (const Side* side : at(destination)) {
    const bool is_tenant = side->stands_still() && depth(side->lane.scope) == 2;
    if (is_tenant) tenants.push_back(side->lane.scope.tenant_id);
  }
  return tenants;
}

std::vector<Scope> SideLanes::scopes_inside(const Side* outer) const {
  std::vector<Scope> scopes;
  for (const auto& side : sides_) {
    const bool is_carrier = !side->is_history() && !side->is_merging && side.get() != outer;
    if (is_carrier && (outer == nullptr || is_inside(side->lane.scope, outer->lane.scope))) {
      scopes.push_back(side->lane.scope);
    }
  }
  return scopes;
}

}  // namespace makegood::core
