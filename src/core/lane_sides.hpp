// Side lanes: scopes that leave, read on their own, and come back.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

/// It starts where the lane around it is. Null when there are too many already.
Side* open_side(OwnedLane& lane, SideLane opened, DestinationIndex destination);
/// Back to being a number of its lane: it is read again when the lane gets to it.
void put_back(OwnedLane& lane, CarriedIndex index);
/// With everything in hand behind it, which must not pass it.
void put_back_key(OwnedLane& lane, Key& key);
/// Only rows from the log queue up in hand.
void put_back_followers(OwnedLane& lane, Key& key, Sequence sequence);
/// A retry that was taken in and not sent: its row waits again, and its attempt is not spent.
void put_back_parked(OwnedLane& lane, CarriedIndex index);
void choose_merging(OwnedLane& lane);
bool may_merge(const OwnedLane& lane, const Side& side);
void close_sides(OwnedLane& lane);
/// What it has in hand goes on in the other lane.
void close(OwnedLane& lane, Side& side, Side* into, LaneNews::Kind kind);
void open_broken(OwnedLane& lane);
Sequence side_end(const OwnedLane& lane, const Side& side);
/// How many rows it may read now.
std::size_t side_room(const OwnedLane& lane, const Side& side, MonotonicTime now);
LookFor::Side look_for_side(const OwnedLane& lane, const Side& side, std::size_t free);
std::optional<Filter> main_filter(const OwnedLane& lane);
void read_side(OwnedLane& lane, Side& side, const std::vector<Sequence>& asked, const Found::Side& found);
/// A backfill that is already past this number takes it in; if its own routes lead there, it is no history.
void hand_over_history(OwnedLane& lane, const Message& message, std::span<const DestinationIndex> destinations);

}  // namespace makegood::core
