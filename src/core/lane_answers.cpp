// What an answer tells: about its destination, and whether it counts as one of the attempts.
#include <algorithm>
#include <utility>

#include "core/error_text.hpp"
#include "core/lane.hpp"
#include "core/lane_disable.hpp"
#include "core/lane_settle.hpp"
#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// Where it was to leave our lease was over, so another may have sent it. Nothing more goes until a turn, which is due
/// now, has shown that the lane is still ours.
void take_back(OwnedLane& lane, Ticket ticket, MonotonicTime now) {
  const Carried& carried = *lane.window.find(ticket);
  lane.destinations[carried.destination].endpoint.returned(carried.is_probe);
  lane.ownership.doubt(now);
  lane.answers.push_back({.index = Window::index_of(ticket), .outcome = {}, .at = now, .is_spent = false});
}

void tell_circuit(OwnedLane& lane, const DestinationState& state) {
  const auto kind = state.endpoint.is_broken() ? LaneNews::Kind::circuit_opened : LaneNews::Kind::circuit_closed;
  lane.reports.news({.kind = kind, .scope = {state.settings->name}});
}

/// What an answer tells about the destination. False: it was sent before the circuit opened, and an outage must not use
/// up its attempts; or the destination is gone, which is not the message's fault.
bool judge(OwnedLane& lane, const Outcome& outcome, const Carried& carried, MonotonicTime now) {
  DestinationState& state = lane.destinations[carried.destination];
  if (!state.is_registered) {  // Removed meanwhile.
    state.endpoint.ended();
    return outcome.kind != Outcome::Kind::gone;
  }
  const bool was_open = state.endpoint.is_broken();
  const bool is_definite = outcome.kind != Outcome::Kind::retry;
  state.endpoint.answered(outcome, carried.is_probe, now, lane.ownership.store_time(now));
  watch_health(lane, carried.destination, outcome, now);
  if (was_open != state.endpoint.is_broken()) tell_circuit(lane, state);
  if (outcome.kind == Outcome::Kind::gone) return is_mutant("gone_is_dead");
  if (is_mutant("probe_without_attempt") && was_open) return is_definite;
  return is_definite || !was_open || carried.is_probe || is_mutant("outage_spends_attempts");
}

}  // namespace

void Lane::answered(std::vector<Completion> completions, MonotonicTime now) {
  if (!owned_) return;
  OwnedLane& lane = *owned_;
  for (Completion& completion : completions) {
    Carried* carried = lane.window.find(completion.ticket);
    if (carried == nullptr || !carried->is_in_flight) continue;
    lane.deliveries.answered(*carried);
    DestinationState& state = lane.destinations[carried->destination];
    if (completion.outcome.kind == Outcome::Kind::returned) {
      take_back(lane, completion.ticket, now);
      continue;
    }
    hide_content(completion.outcome, carried->message->content);
    const MonotonicTime since = std::min(carried->tried_at.value_or(now), carried->sent_at.value_or(now));
    const bool is_counted = state.endpoint.spends(completion.outcome, since);
    const bool is_spent = judge(lane, completion.outcome, *carried, now);
    const CarriedIndex index = Window::index_of(completion.ticket);
    if (completion.outcome.kind == Outcome::Kind::ok && !carried->is_parked) {
      delivered(lane, index, now);
    } else {
      lane.answers.push_back({index, std::move(completion.outcome), now, is_spent, is_counted});
    }
  }
}

void Lane::hear(MonotonicTime now) {
  if (!owned_) return;
  const TimePoint store_now = owned_->ownership.store_time(now);
  for (DestinationIndex index = 0; index < owned_->destinations.count(); ++index) {
    DestinationState& state = owned_->destinations[index];
    if (state.endpoint.hear(store_now)) tell_circuit(*owned_, state);
  }
}

}  // namespace makegood::core
