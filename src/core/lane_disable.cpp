// A destination that says it is gone, or that has answered nothing for days, is disabled: it stands still, as if an
// operator had paused it, and loses nothing. This, and every death, is told by a message in the same log, if a route
// leads it anywhere.
#include <algorithm>
#include <utility>

#include "core/lane_disable.hpp"
#include "core/lane_requests.hpp"
#include "core/lane_sides.hpp"
#include "core/mutant.hpp"
#include "makegood/events.hpp"

namespace makegood::core {
namespace {

void tell(OwnedLane& lane, NewMessage event) {
  if (lane.registry.routings().is_empty() || is_mutant("deaths_are_not_told")) return;
  const Routing& routing = lane.registry.routings().newest();
  const bool is_told = has_route(routing.routes, tenants_in(routing), event.topic, event.tenant_id);
  if (is_told) lane.draft->messages.push_back(std::move(event));
}

void disable(OwnedLane& lane, DestinationIndex index, const std::string& because) {
  const Destination& destination = *lane.destinations[index].settings;
  if (is_mutant("disabled_is_not_said")) return;
  Side* side = lane.sides.find({destination.name});
  if (side == nullptr) side = open_side(lane, {.scope = {destination.name}, .why = SideLane::Why::disabled}, index);
  // With too many side lanes it has to wait: the next answer says it again.
  if (side == nullptr || side->lane.is_paused) return;
  side->lane.why = SideLane::Why::disabled;
  side->lane.because = because;
  stand_still(lane, *side);
  lane.reports.news({.kind = LaneNews::Kind::disabled, .scope = side->lane.scope, .why = SideLane::Why::disabled});
  lane.reports.alarm({Errc::unavailable,
                      "The destination " + destination.name +
                          " is disabled; mend it, then say: makegood outbox resume " + destination.name + ".",
                      because});
  if (is_mutant("disabling_is_not_told")) return;
  tell(lane,
       destination_disabled_event({.outbox = lane.lasting.outbox, .destination = destination, .because = because}));
}
}  // namespace

void watch_health(OwnedLane& lane, DestinationIndex index, const Outcome& outcome, MonotonicTime now) {
  const auto noted = lane.gone.find(index);
  const bool is_said = noted != lane.gone.end() && noted->second.is_said;
  if (outcome.kind == Outcome::Kind::gone) {
    lane.gone[index] = {"It said that it is gone (" + outcome.code + "). " + outcome.detail, true};
  } else if (outcome.is_answer()) {
    if (noted != lane.gone.end() && !is_said) lane.gone.erase(noted);
  } else if (lane.destinations[index].endpoint.is_hopeless(lane.ownership.store_time(now)) && !is_said) {
    lane.gone[index] = {"It has answered nothing for too long; the last attempt ended with " + outcome.code + "."};
  }
}

void disable_hopeless(OwnedLane& lane) {
  for (const auto& [index, gone] : std::exchange(lane.gone, {})) disable(lane, index, gone.because);
}

bool is_disabled_anew(const OwnedLane& lane, const Side& side) {
  if (side.lane.why != SideLane::Why::disabled) return false;
  return std::ranges::none_of(lane.committed_position.sides, [&](const SideLane& before) {
    return before.scope == side.lane.scope && before.why == SideLane::Why::disabled && before.is_paused;
  });
}

void tell_of_death(OwnedLane& lane, const Message& message, const Parked& row) {
  if (is_event_topic(message.topic)) return;  // Or a bad receiver of these would keep itself busy for ever.
  tell(lane, delivery_died_event({.outbox = lane.lasting.outbox,
                                  .message = message,
                                  .destination = row.destination,
                                  .attempts = row.attempts,
                                  .code = row.error_code,
                                  .error = row.last_error}));
}

}  // namespace makegood::core
