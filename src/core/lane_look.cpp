// What a look should bring: as much as there is room for, in each lane, and whose turn it is.
#include <algorithm>
#include <utility>

#include "core/lane.hpp"
#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// Of those that are not sent: how many messages that lead nowhere are routed again in one exchange, and how many
/// deliveries end whose destination was removed.
constexpr std::size_t unsent_due_max = 100;
/// How many side lanes look in one exchange; they take turns.
constexpr std::size_t sides_per_look = 4;

}  // namespace

std::size_t Lane::room() const {
  const LaneLimits& limits = options_.limits;
  const std::size_t count = window_.count() - in_side_hands_;
  if (is_stopping_ || count >= limits.window_rows_max || window_.bytes() >= limits.window_bytes_max) return 0;
  return limits.window_rows_max - count;
}

LookFor Lane::look_for(MonotonicTime now) {
  asked_at_ = now;
  is_away_ = true;
  destinations_.go_away();
  is_disturbed_ = false;
  asked_due_.clear();
  asked_sides_.clear();
  propose_routing();
  choose_merging();
  LookFor wanted{.owner = owner_, .reached = reached_, .open = open_};
  const std::size_t free = room();
  has_asked_rows_ = free > 0;
  if (has_asked_rows_) {
    look_beyond(wanted, free);
    look_for_due(wanted, free, now);
  }
  look_for_sides(wanted, now);
  return wanted;
}

void Lane::look_beyond(LookFor& wanted, std::size_t free) {
  if (is_without_routes()) return;
  const LaneLimits& limits = options_.limits;
  wanted.rows_max = careful_rows_ > 0 ? 1 : std::min(free, limits.batch_rows_max);
  wanted.bytes_max = std::min(limits.batch_bytes_max, limits.window_bytes_max - window_.bytes());
  wanted.passed_max = limits.passed_rows_max;
  wanted.is_reading_on = has_room_for_open();
  for (const auto& [number, destinations] : unread_) wanted.numbers.push_back(number);
  wanted.filter = main_filter();
}

/// Each turn tells them all.
bool Lane::has_room_for_open() const { return open_.ranges().size() < options_.limits.open_ranges_max; }

void Lane::look_for_due(LookFor& wanted, std::size_t free, MonotonicTime now) {
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    const DestinationState& state = destinations_[index];
    if (!state.next_due || *state.next_due > store_time(now)) continue;
    const std::size_t places = std::min(free, due_places(index, now));
    if (places == 0) continue;
    wanted.due.push_back({state.settings->name, places, sides_.paused_tenants(index)});
    asked_due_.push_back(index);
  }
}

/// What was under way and is not in hand comes first, or a delayed or held message could pass it.
std::size_t Lane::due_places(DestinationIndex index, MonotonicTime now) const {
  const DestinationState& state = destinations_[index];
  if (has_unread(index) || sides_.is_paused(index)) return 0;
  if (is_removed(index) && is_mutant("removed_waits_on")) return 0;
  if (index == unrouted_index || is_removed(index)) return unsent_due_max;
  if (!state.is_registered) return 0;
  if (state.circuit.is_open()) return is_retry_the_probe(index, now) ? 1 : 0;
  return state.places_for_due();
}

/// What is ready already is the best probe; else it is a retry's turn, or nothing else is there.
bool Lane::is_retry_the_probe(DestinationIndex index, MonotonicTime now) const {
  const DestinationState& state = destinations_[index];
  if (!state.ready.empty() || !state.has_place(now)) return false;
  return state.circuit.prefers_retry() || std::ranges::none_of(sides_.at(index), [&](const Side* side) {
           const bool has_more = !side->unread.empty() || side->lane.reached < side_end(*side);
           return has_more && !sides_.is_paused(*side);
         });
}

bool Lane::has_unread(DestinationIndex index) const {
  if (is_mutant("due_before_holes")) return false;
  if (!unread_.empty()) return true;
  // What is paused is left out of the look; history has no place in the order.
  return std::ranges::any_of(sides_.at(index), [&](const Side* side) {
    return !side->unread.empty() && !side->is_history() && !sides_.is_paused(*side);
  });
}

void Lane::look_for_sides(LookFor& wanted, MonotonicTime now) {
  const std::size_t first = side_turn_++;
  for (std::size_t step = 0; step < sides_.count() && asked_sides_.size() < sides_per_look; ++step) {
    Side& side = **(sides_.begin() + static_cast<std::ptrdiff_t>((first + step) % sides_.count()));
    const std::size_t free = side_room(side, now);
    if (free == 0) continue;
    wanted.sides.push_back(look_for_side(side, free));
    asked_sides_.push_back({&side, wanted.sides.back().numbers});
  }
}

}  // namespace makegood::core
