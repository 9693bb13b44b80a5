// A destination that says it is gone, or that has failed for days, is disabled: it stands still, as if an operator had
// paused it, and loses nothing. This, and every death, is told by a message in the same log, if a route leads it
// anywhere.
#include <algorithm>
#include <utility>

#include "core/lane.hpp"
#include "core/mutant.hpp"
#include "makegood/events.hpp"

namespace makegood::core {

void Lane::watch_health(DestinationIndex index, const Outcome& outcome, MonotonicTime now) {
  DestinationState& state = destinations_[index];
  state.note(outcome, store_time(now));
  if (outcome.kind == Outcome::Kind::gone) {
    gone_[index] = "It said that it is gone (" + outcome.code + "). " + outcome.detail;
  } else if (state.is_hopeless(store_time(now))) {
    gone_[index] = "It has failed for too long without one success, the last time with " + outcome.code + ".";
  }
}

void Lane::disable_hopeless() {
  for (const auto& [index, because] : std::exchange(gone_, {})) disable(index, because);
}

void Lane::disable(DestinationIndex index, const std::string& because) {
  const Destination& destination = *destinations_[index].settings;
  if (is_mutant("disabled_is_not_said")) return;
  Side* side = sides_.find({destination.name});
  if (side == nullptr) side = open_side({.scope = {destination.name}, .why = SideLane::Why::disabled}, index);
  // With too many side lanes it has to wait: the next answer says it again.
  if (side == nullptr || side->lane.is_paused) return;
  side->lane.why = SideLane::Why::disabled;
  side->lane.because = because;
  stand_still(*side);
  news_.push_back({.kind = LaneNews::Kind::disabled, .scope = side->lane.scope, .why = SideLane::Why::disabled});
  alarms_.push_back({Errc::unavailable,
                     "The destination " + destination.name +
                         " is disabled; mend it, then say: makegood outbox resume " + destination.name + ".",
                     because});
  if (is_mutant("disabling_is_not_told")) return;
  tell(destination_disabled_event({.outbox = outbox_, .destination = destination, .because = because}));
}

bool Lane::is_disabled_anew(const Side& side) const {
  if (side.lane.why != SideLane::Why::disabled) return false;
  return std::ranges::none_of(committed_position_.sides, [&](const SideLane& lane) {
    return lane.scope == side.lane.scope && lane.why == SideLane::Why::disabled && lane.is_paused;
  });
}

void Lane::tell_of_death(const Message& message, const Parked& row) {
  if (is_event_topic(message.topic)) return;  // Or a bad receiver of these would keep itself busy for ever.
  tell(delivery_died_event({.outbox = outbox_,
                            .message = message,
                            .destination = row.destination,
                            .attempts = row.attempts,
                            .code = row.error_code,
                            .error = row.last_error}));
}

void Lane::tell(NewMessage event) {
  if (routings_.is_empty() || is_mutant("deaths_are_not_told")) return;
  const Routing& routing = routings_.newest();
  const bool is_told = has_route(routing.routes, tenants_in(routing), event.topic, event.tenant_id);
  if (is_told) draft_->messages.push_back(std::move(event));
}

}  // namespace makegood::core
