// When the window is full: who holds more of it than his share, or keeps others waiting, leaves for a lane of his own.
#include <algorithm>
#include <compare>
#include <map>
#include <set>

#include "core/lane.hpp"

namespace makegood::core {
namespace {

/// An answer that takes so many times `crowded_after` is slow, when the window is full.
constexpr int stall_factor = 4;

}  // namespace

void Lane::open_crowded(MonotonicTime now) {
  for (const Scope& scope : std::exchange(overheld_, {})) open_for_crowd(scope);
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    const DestinationState& state = destinations_[index];
    const bool is_over = state.is_registered && state.parked_count >= options_.limits.parked_max;
    if (!is_over || sides_.has_whole(index)) continue;
    alarms_.push_back(
        {Errc::unavailable, "So many deliveries to " + state.settings->name +
                                " are parked that no more of its messages are read until some have ended."});
    open_for_crowd({state.settings->name});
  }
  // Those that are slow leave before the last place is taken, or everybody would stand still for a moment.
  const bool is_full = room() * 4 < options_.limits.window_rows_max;
  if (!is_full) return full_since_.reset();
  if (!full_since_) full_since_ = now;
  if (now - *full_since_ < options_.limits.crowded_after) return;
  full_since_ = now;
  if (const auto scope = is_more_ ? find_crowd() : std::nullopt) return open_for_crowd(*scope);
  for (const DestinationIndex index : find_stalled(now)) open_for_crowd({destinations_[index].settings->name});
}

/// Many destinations may be slow, and none of them hold much: those that keep others waiting leave together.
std::vector<DestinationIndex> Lane::find_stalled(MonotonicTime now) {
  std::set<DestinationIndex> stalled;
  window_.each([&](CarriedIndex /*index*/, const Carried& carried) {
    const bool is_in_main = carried.side == nullptr && !carried.is_parked;
    const bool is_slow = carried.is_in_flight && now - *carried.sent_at >= options_.limits.crowded_after * stall_factor;
    if (is_in_main && is_slow) stalled.insert(carried.destination);
  });
  if (stalled.size() == destinations_.registered_count()) return {};  // Nobody would be the better for it.
  return {stalled.begin(), stalled.end()};
}

void Lane::open_for_crowd(const Scope& scope) {
  const auto destination = destinations_.find(scope.destination);
  if (!destination || *destination == unrouted_index || sides_.find(scope) != nullptr) return;
  open_side({.scope = scope, .why = SideLane::Why::crowded}, *destination);
}

/// The narrowest scope that holds more than its share of the window, if anybody else would be the better for its
/// leaving.
std::optional<Scope> Lane::find_crowd() {
  struct Place {
    DestinationIndex destination;
    std::string_view tenant_id = {};
    std::string_view dispatch_key = {};
    std::optional<int> priority = {};
    auto operator<=>(const Place&) const = default;
  };
  std::map<Place, Crowd> keys;
  std::map<Place, Crowd> tenants;
  std::map<Place, Crowd> whole;
  window_.each([&](CarriedIndex /*index*/, const Carried& carried) {
    if (carried.side != nullptr || carried.is_parked) return;
    const Message& message = *carried.message;
    const DestinationIndex at = carried.destination;
    const bool has_key = !message.dispatch_key.empty();
    const auto priority = has_key ? std::nullopt : std::optional(message.priority);
    for (Crowd* crowd : {&keys[{at, message.tenant_id, message.dispatch_key, priority}],
                         &tenants[{at, message.tenant_id}], &whole[{at}]}) {
      ++crowd->rows;
      crowd->bytes += bytes_of(message);
    }
  });
  for (const auto* crowds : {&keys, &tenants, &whole}) {
    for (const auto& [place, crowd] : *crowds) {
      const bool is_over = crowd.rows > share_of(options_.limits.window_rows_max) ||
                           crowd.bytes > share_of(options_.limits.window_bytes_max);
      const Scope scope{destinations_[place.destination].settings->name, std::string(place.tenant_id),
                        std::string(place.dispatch_key), place.priority};
      if (is_over && would_help(scope)) return scope;
    }
  }
  return std::nullopt;
}

bool Lane::would_help(const Scope& scope) const {
  if (!scope.dispatch_key.empty()) return true;
  if (scope.priority) return *scope.priority < highest_priority_;
  if (!scope.tenant_id.empty()) return has_seen_tenants_ || scope.tenant_id != default_tenant_id;
  return destinations_.registered_count() > 1;
}

}  // namespace makegood::core
