// What a look should bring: as much as there is room for, in each lane, and whose turn it is.
#include <algorithm>
#include <utility>

#include "core/lane.hpp"
#include "core/lane_log.hpp"
#include "core/lane_look.hpp"
#include "core/lane_registry.hpp"
#include "core/lane_sides.hpp"
#include "core/mutant.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

/// Of those that are not sent: how many messages that lead nowhere are routed again in one exchange, and how many
/// deliveries end whose destination was removed.
constexpr std::size_t unsent_due_max = 100;
/// How many side lanes look in one exchange; they take turns.
constexpr std::size_t sides_per_look = 4;

void look_beyond(OwnedLane& lane, LookFor& wanted, std::size_t free) {
  if (is_without_routes(lane)) return;
  const LaneLimits& limits = lane.options.limits;
  wanted.rows_max = lane.log.is_careful() ? 1 : std::min(free, limits.batch_rows_max);
  wanted.bytes_max = std::min(limits.batch_bytes_max, limits.window_bytes_max - lane.window.bytes());
  wanted.passed_max = limits.passed_rows_max;
  wanted.is_reading_on = has_room_for_open(lane);
  for (const auto& [number, destinations] : lane.log.holes()) wanted.numbers.push_back(number);
  wanted.filter = main_filter(lane);
}

void look_for_due(OwnedLane& lane, LookFor& wanted, std::size_t free, MonotonicTime now) {
  for (DestinationIndex index = 0; index < lane.destinations.count(); ++index) {
    const DestinationState& state = lane.destinations[index];
    if (!state.next_due || *state.next_due > lane.ownership.store_time(now)) continue;
    const std::size_t places = std::min(free, due_places(lane, index, now));
    if (places == 0) continue;
    wanted.due.push_back({state.settings->name, places, lane.sides.paused_tenants(index)});
    lane.asked.due.push_back(index);
  }
}

/// What is ready already is the best probe; else it is a retry's turn, or nothing else is there.
bool is_retry_the_probe(const OwnedLane& lane, DestinationIndex index, MonotonicTime now) {
  const DestinationState& state = lane.destinations[index];
  if (!state.ready.empty() || !state.endpoint.has_place(now)) return false;
  return state.endpoint.prefers_retry() || std::ranges::none_of(lane.sides.at(index), [&](const Side* side) {
           const bool has_more = !side->unread.empty() || side->lane.reached < side_end(lane, *side);
           return has_more && !lane.sides.is_paused(*side);
         });
}

void look_for_sides(OwnedLane& lane, LookFor& wanted, MonotonicTime now) {
  const std::size_t first = lane.lasting.side_turn++;
  for (std::size_t step = 0; step < lane.sides.count() && lane.asked.sides.size() < sides_per_look; ++step) {
    Side& side = **(lane.sides.begin() + static_cast<std::ptrdiff_t>((first + step) % lane.sides.count()));
    const std::size_t free = side_room(lane, side, now);
    if (free == 0) continue;
    wanted.sides.push_back(look_for_side(lane, side, free));
    lane.asked.sides.push_back({&side, wanted.sides.back().numbers});
  }
}

}  // namespace

std::size_t room(const OwnedLane& lane) {
  const LaneLimits& limits = lane.options.limits;
  const std::size_t count = lane.deliveries.main_count();
  if (lane.lasting.is_stopping || count >= limits.window_rows_max || lane.window.bytes() >= limits.window_bytes_max)
    return 0;
  return limits.window_rows_max - count;
}

bool has_room_for_open(const OwnedLane& lane) {
  return lane.log.open().ranges().size() < lane.options.limits.open_ranges_max;
}

std::size_t due_places(const OwnedLane& lane, DestinationIndex index, MonotonicTime now) {
  const DestinationState& state = lane.destinations[index];
  if (has_unread(lane, index) || lane.sides.is_paused(index)) return 0;
  if (is_removed(lane, index) && is_mutant("removed_waits_on")) return 0;
  if (index == unrouted_index || is_removed(lane, index)) return unsent_due_max;
  if (!state.is_registered) return 0;
  if (state.endpoint.is_broken()) return is_retry_the_probe(lane, index, now) ? 1 : 0;
  return state.places_for_due();
}

bool has_unread(const OwnedLane& lane, DestinationIndex index) {
  if (is_mutant("due_before_holes")) return false;
  if (!lane.log.holes().empty()) return true;
  // What is paused is left out of the look; history has no place in the order.
  return std::ranges::any_of(lane.sides.at(index), [&](const Side* side) {
    return !side->unread.empty() && !side->is_history() && !lane.sides.is_paused(*side);
  });
}

LookFor Lane::look_for(MonotonicTime now) {
  MAKEGOOD_ASSERT(owned_);
  OwnedLane& lane = *owned_;
  lane.asked.at = now;
  lane.lasting.is_away = true;
  lane.destinations.exchange_began();
  lane.asked.is_disturbed = false;
  lane.asked.due.clear();
  lane.asked.sides.clear();
  lane.registry.propose(lane.log.reached(), lane.lasting.counter);
  choose_merging(lane);
  const bool is_cleaning_due = lane.options.is_cleaner_enabled && now >= lane.clean_at;
  lane.asked.is_thorough = !lane.log.has_looked() || is_cleaning_due || lane.log.is_stopped();
  LookFor wanted{.owner = lane.ownership.owner,
                 .after = lane.ownership.turn,
                 .is_thorough = lane.asked.is_thorough,
                 .reached = lane.log.reached(),
                 .open = lane.log.open()};
  const std::size_t free = room(lane);
  lane.asked.has_rows = free > 0;
  if (lane.asked.has_rows) {
    look_beyond(lane, wanted, free);
    look_for_due(lane, wanted, free, now);
  }
  look_for_sides(lane, wanted, now);
  return wanted;
}

}  // namespace makegood::core
