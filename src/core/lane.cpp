#include "core/lane.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "core/lane_cancel.hpp"
#include "core/lane_crowd.hpp"
#include "core/lane_log.hpp"
#include "core/lane_look.hpp"
#include "core/lane_position.hpp"
#include "core/lane_read.hpp"
#include "core/lane_registry.hpp"
#include "core/lane_requests.hpp"
#include "core/lane_settle.hpp"
#include "core/lane_sides.hpp"
#include "core/lane_suspects.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

/// A success may wait this long for a turn that carries it along; nobody waits for it, and a turn costs a sync.
constexpr Duration record_within = 10ms;

/// Only how far everybody has looked differs: that can wait for the next turn, nobody depends on it.
bool differs_in_reach_only(const Position& one, const Position& other) {
  const auto is_alike = [](const SideLane& a, const SideLane& b) {
    SideLane moved = b;
    moved.reached = a.reached;
    return a == moved;
  };
  return one.under_way == other.under_way && one.suspects == other.suspects && one.alone == other.alone &&
         std::ranges::equal(one.sides, other.sides, is_alike);
}

bool is_turn_due(const OwnedLane& lane, MonotonicTime now) {
  const bool has_something_to_say = !differs_in_reach_only(lane.draft->position, lane.committed_position) ||
                                    !lane.draft->parked.empty() || !lane.draft->answers.empty() ||
                                    !lane.draft->messages.empty() || lane.draft->routing || lane.draft->clean ||
                                    lane.is_turn_needed || lane.is_giving_up;
  return has_something_to_say || now >= lane.ownership.renewal_at();
}

MonotonicTime next_due_exchange(const OwnedLane& lane, DestinationIndex index) {
  const DestinationState& state = lane.destinations[index];
  if (!state.next_due || room(lane) == 0) return MonotonicTime::max();
  const MonotonicTime due = lane.ownership.store_now_at + (*state.next_due - lane.ownership.store_now);
  const MonotonicTime at = state.endpoint.is_broken() ? std::max(due, state.endpoint.probe_at()) : due;
  return at == MonotonicTime::max() || due_places(lane, index, at) == 0 ? MonotonicTime::max() : at;
}

MonotonicTime next_side_exchange(const OwnedLane& lane, const Side& side, MonotonicTime now) {
  const Line& endpoint = lane.destinations[side.destination].endpoint;
  const MonotonicTime at = endpoint.is_broken() ? std::max(now, endpoint.probe_at()) : now;
  if (at == MonotonicTime::max()) return at;
  if (side_room(lane, side, at) > 0 || may_merge(lane, side)) return at;
  return MonotonicTime::max();
}

std::size_t numbers_between(Sequence from, Sequence to) {
  return static_cast<std::size_t>(std::max<Sequence>(0, to - from));
}

LaneFigures figures_of(const OwnedLane& lane) {
  LaneFigures figures{.is_owner = true,
                      .unread_count = numbers_between(lane.log.reached(), lane.lasting.counter),
                      .open_count = lane.log.open().count(),
                      .in_flight_count = lane.deliveries.in_flight_count(),
                      .window_count = lane.window.count(),
                      .side_lane_count = lane.sides.count()};
  for (DestinationIndex index = 0; index < lane.destinations.count(); ++index) {
    figures.open_circuit_count += lane.destinations[index].endpoint.is_broken() ? 1U : 0U;
    figures.parked_count += lane.destinations[index].parked_count;
  }
  Sequence lowest = lane.log.reached();
  for (const auto& side : lane.sides) {
    if (!side->is_history()) lowest = std::min(lowest, side->lane.reached);
  }
  figures.pending_count = numbers_between(lowest, lane.lasting.counter) + lane.window.count() +
                          lane.log.holes().size() + figures.parked_count;
  for (const auto& side : lane.sides) figures.pending_count += side->unread.size();
  return figures;
}

}  // namespace

Lane::Lane(const DispatcherOptions& options, std::uint64_t seed, std::vector<std::string> running_ahead,
           Sharing sharing)
    : lasting_(options, seed, std::move(running_ahead), sharing) {
  configure(options);
}

void Lane::configure(const DispatcherOptions& options) {
  const bool has_registry = !options.destinations.empty() || !options.routes.empty();
  MAKEGOOD_ASSERT(!lasting_.is_registry_in_store || !has_registry);
  lasting_.options = options;
  if (owned_) owned_->registry.options_changed();
  lasting_.destinations.configure(options.destinations);
}

void Lane::begin(const Owner& owner, Taken taken, MonotonicTime asked_at) {
  forget();
  Ownership ownership{.owner = owner,
                      .incarnation = *lasting_.incarnations.insert(std::move(taken.incarnation)).first,
                      .turn = taken.turn,
                      .lease = lasting_.lease};
  ownership.renewed(asked_at, lasting_.lease);
  ownership.follow_clock(taken.now, asked_at);
  owned_ = std::make_unique<OwnedLane>(lasting_, std::move(ownership));
  load(*owned_, std::move(taken), asked_at);
}

void Lane::forget() {
  if (owned_) lasting_.left_at = owned_->log.reached();
  owned_.reset();
  lasting_.clear();
}

const Owner& Lane::owner() const {
  static const Owner nobody;
  return owned_ ? owned_->ownership.owner : nobody;
}

void Lane::give_up() {
  if (owned_) owned_->is_giving_up = true;
}

Sequence Lane::reached() const { return owned_ ? owned_->log.reached() : lasting_.left_at; }

MonotonicTime Lane::lease_until() const { return owned_ ? owned_->ownership.lease_until : MonotonicTime(); }

MonotonicTime Lane::send_until() const { return owned_ ? owned_->ownership.send_until() : MonotonicTime(); }

TimePoint Lane::store_time(MonotonicTime now) const {
  MAKEGOOD_ASSERT(owned_);
  return owned_->ownership.store_time(now);
}

void Lane::look_failed() {
  if (!is_owner()) return;
  OwnedLane& lane = *owned_;
  MAKEGOOD_ASSERT(!lane.draft);
  lane.log.fall_back(lane.committed_position);
  lane.registry.forget_change();  // Its request may be forgotten, too.
  for (const auto& side : lane.sides) {
    const auto was = std::ranges::find_if(lane.committed_position.sides, [&](const SideLane& before) {
      return before.scope == side->lane.scope && (before.why == SideLane::Why::history) == side->is_history();
    });
    if (was != lane.committed_position.sides.end()) side->lane.reached = was->reached;
  }
}

const Turn* Lane::decide(Found found, MonotonicTime now) {
  MAKEGOOD_ASSERT(owned_ && !owned_->draft);
  OwnedLane& lane = *owned_;
  lane.ownership.follow_clock(found.now, now);
  lane.lasting.looked_at = now;
  lane.lasting.counter = found.counter;
  lane.unrecorded_since.reset();
  lane.draft.emplace(Turn{.owner = lane.ownership.owner, .after = lane.ownership.turn, .lease = lane.lasting.lease});

  watch_log(lane, found);
  if (lane.log.is_stopped()) {  // Such a look has nothing but requests to tell.
    lane.asked.has_rows = false;
    lane.asked.sides.clear();
  } else {
    lane.parked.expect_due(std::exchange(lane.asked.due, {}), found.next_due);
    adopt_routing(lane);
    close_sides(lane);
  }
  follow_clock(lane, found.requests);
  record_answers(lane);
  wind_up_removed(lane);
  carry_out(lane, found.requests);
  promote_freed(lane);
  take_in_due(lane, std::move(found.due));
  for (std::size_t index = 0; index < lane.asked.sides.size(); ++index) {
    const Asked::FromSide& asked = lane.asked.sides[index];
    if (asked.side != nullptr) read_side(lane, *asked.side, asked.numbers, found.sides[index]);
  }
  lane.log.expect_more(!lane.log.is_stopped() && (found.is_more || lane.asked.is_disturbed ||
                                                  (!lane.asked.has_rows && found.counter > lane.log.reached())));
  if (!lane.log.is_stopped()) lane.log.follow(found);
  read(lane, found);
  open_crowded(lane, now);
  end_being_alone(lane, now);
  send_one_alone(lane, now);
  lane.suspects.name(lane.deliveries.in_flight_count(), lane.ownership.turn + 1);

  lane.draft->position = lane.rewound ? *std::exchange(lane.rewound, std::nullopt) : position_of(lane);
  lane.draft->parked = lane.parked.take();
  lane.draft->mark = lane.log.mark();
  if (lane.options.is_cleaner_enabled && now >= lane.clean_at && lane.asked.is_thorough && !lane.lasting.is_stopping &&
      !lane.log.is_stopped()) {
    lane.draft->clean = lane.options.clean;
    lane.draft->oldest_routing = oldest_routing(lane);
  }
  if (lane.is_giving_up || (lane.lasting.is_stopping && lane.deliveries.in_flight_count() == 0)) {
    lane.is_giving_up = true;
    lane.draft->lease = {};
  }
  if (!is_turn_due(lane, now)) lane.draft.reset();
  return lane.draft ? &*lane.draft : nullptr;
}

void Lane::committed(const Committed& committed, MonotonicTime now) {
  MAKEGOOD_ASSERT(owned_ && owned_->draft && committed.turn > owned_->ownership.turn);
  OwnedLane& lane = *owned_;
  lane.ownership.turn = committed.turn;
  lane.committed_position = std::move(lane.draft->position);
  lane.log.committed(committed.mark ? *committed.mark : lane.draft->mark);
  lane.cancelled.forget_settled(lane.committed_position);
  lane.ownership.renewed(lane.asked.at, lane.draft->lease);
  if (lane.draft->clean) {
    const bool is_more_to_clean = committed.cleaned >= lane.draft->clean->rows_max;
    lane.clean_at = is_more_to_clean ? now : now + lane.options.clean_interval;
  }
  lane.reports.committed();
  if (!lane.draft->messages.empty()) lane.log.expect_more(true);  // No store tells us of our own rows.
  lane.draft.reset();
  for (const auto& side : lane.sides) side->is_resuming = false;
  lane.suspects.committed(lane.committed_position);
  if (lane.is_giving_up) forget();
}

MonotonicTime Lane::next_exchange(MonotonicTime now) const {
  MAKEGOOD_ASSERT(owned_);
  const OwnedLane& lane = *owned_;
  if (lane.log.is_stopped() && !lane.lasting.is_stopping) return next_stopped_exchange(lane, now);
  if (!lane.answers.empty() || !lane.freed.empty() || lane.registry.has_change()) return now;
  if (lane.lasting.is_stopping && lane.deliveries.in_flight_count() == 0) return now;
  const bool is_worth_reading = lane.log.is_more() && room(lane) * 4 >= lane.options.limits.window_rows_max;
  if (is_worth_reading) return now;
  MonotonicTime next = std::min(lane.ownership.renewal_at(), lane.lasting.looked_at + lane.options.safety_interval);
  next = std::min(next, lane.suspects.next_exchange(lane.lasting.looked_at, lane.deliveries.in_flight_count()));
  if (lane.unrecorded_since) next = std::min(next, *lane.unrecorded_since + record_within);
  if (lane.options.is_cleaner_enabled && !lane.lasting.is_stopping) next = std::min(next, lane.clean_at);
  if (lane.full_since && lane.log.is_more())
    next = std::min(
        next, std::max(*lane.full_since + lane.options.limits.crowded_after, lane.lasting.looked_at + record_within));
  for (DestinationIndex index = 0; index < lane.destinations.count(); ++index)
    next = std::min(next, next_due_exchange(lane, index));
  for (const auto& side : lane.sides) next = std::min(next, next_side_exchange(lane, *side, now));
  return std::max(next, now);
}

MonotonicTime Lane::next_release(MonotonicTime now) {
  MonotonicTime next = MonotonicTime::max();
  if (!owned_) return next;
  OwnedLane& lane = *owned_;
  if (!may_send(lane, now) || lane.deliveries.is_all_sent(lane.answers.size()) ||
      (lane.suspects.is_isolating() && lane.deliveries.in_flight_count() > 0))
    return next;
  for (DestinationIndex index = 0; index < lane.destinations.count(); ++index) {
    if (next_ready(lane, index) == nullptr) continue;
    next = std::min(next, lane.destinations[index].endpoint.next_place(now));
  }
  return next;
}

LaneFigures Lane::figures() const {
  if (owned_) return figures_of(*owned_);
  const std::size_t left = numbers_between(lasting_.left_at, lasting_.counter);
  return {.unread_count = left, .pending_count = left};
}

void Lane::assert_consistent() const {
  if (!owned_) return;
  owned_->deliveries.assert_consistent();
  owned_->suspects.assert_consistent();
}

bool Lane::is_broken(std::string_view destination) const {
  const auto index = lasting_.destinations.find(destination);
  return index && lasting_.destinations[*index].endpoint.is_broken();
}

}  // namespace makegood::core
