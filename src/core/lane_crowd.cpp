// When the window is full: who holds more of it than his share, or keeps others waiting, leaves for a lane of his own.
#include <algorithm>
#include <compare>
#include <map>
#include <set>

#include "core/lane_crowd.hpp"
#include "core/lane_look.hpp"
#include "core/lane_sides.hpp"

namespace makegood::core {
namespace {

/// An answer that takes so many times `crowded_after` is slow, when the window is full.
constexpr int stall_factor = 4;

/// How much of the window a scope holds.
struct Crowd {
  std::size_t rows = 0;
  std::size_t bytes = 0;
};

/// Many destinations may be slow, and none of them hold much: those that keep others waiting leave together.
std::vector<DestinationIndex> find_stalled(OwnedLane& lane, MonotonicTime now) {
  std::set<DestinationIndex> stalled;
  lane.window.each([&](CarriedIndex /*index*/, const Carried& carried) {
    const bool is_in_main = carried.side == nullptr && !carried.is_parked;
    const bool is_slow =
        carried.is_in_flight && now - *carried.sent_at >= lane.options.limits.crowded_after * stall_factor;
    if (is_in_main && is_slow) stalled.insert(carried.destination);
  });
  if (stalled.size() == lane.destinations.registered_count()) return {};  // Nobody would be the better for it.
  return {stalled.begin(), stalled.end()};
}

void open_for_crowd(OwnedLane& lane, const Scope& scope) {
  const auto destination = lane.destinations.find(scope.destination);
  if (!destination || *destination == unrouted_index || lane.sides.find(scope) != nullptr) return;
  open_side(lane, {.scope = scope, .why = SideLane::Why::crowded}, *destination);
}

bool would_help(const OwnedLane& lane, const Scope& scope) {
  if (!scope.dispatch_key.empty()) return true;
  if (scope.priority) return *scope.priority < lane.lasting.highest_priority;
  if (!scope.tenant_id.empty()) return lane.lasting.has_seen_tenants || scope.tenant_id != default_tenant_id;
  return lane.destinations.registered_count() > 1;
}

/// The narrowest scope that holds more than its share of the window, if anybody else would be the better for its
/// leaving.
std::optional<Scope> find_crowd(OwnedLane& lane) {
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
  lane.window.each([&](CarriedIndex /*index*/, const Carried& carried) {
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
      const bool is_over = crowd.rows > share_of(lane.options.limits.window_rows_max) ||
                           crowd.bytes > share_of(lane.options.limits.window_bytes_max);
      const Scope scope{lane.destinations[place.destination].settings->name, std::string(place.tenant_id),
                        std::string(place.dispatch_key), place.priority};
      if (is_over && would_help(lane, scope)) return scope;
    }
  }
  return std::nullopt;
}
}  // namespace

void open_crowded(OwnedLane& lane, MonotonicTime now) {
  for (const Scope& scope : std::exchange(lane.overheld, {})) open_for_crowd(lane, scope);
  for (DestinationIndex index = 0; index < lane.destinations.count(); ++index) {
    const DestinationState& state = lane.destinations[index];
    const bool is_over = state.is_registered && state.parked_count >= lane.options.limits.parked_max;
    if (!is_over || lane.sides.has_whole(index)) continue;
    lane.reports.alarm(
        {Errc::unavailable, "So many deliveries to " + state.settings->name +
                                " are parked that no more of its messages are read until some have ended."});
    open_for_crowd(lane, {state.settings->name});
  }
  // Those that are slow leave before the last place is taken, or everybody would stand still for a moment.
  const bool is_full = room(lane) * 4 < lane.options.limits.window_rows_max;
  if (!is_full) return lane.full_since.reset();
  if (!lane.full_since) lane.full_since = now;
  if (now - *lane.full_since < lane.options.limits.crowded_after) return;
  lane.full_since = now;
  if (const auto scope = lane.log.is_more() ? find_crowd(lane) : std::nullopt) return open_for_crowd(lane, *scope);
  for (const DestinationIndex index : find_stalled(lane, now))
    open_for_crowd(lane, {lane.destinations[index].settings->name});
}

}  // namespace makegood::core
