// Sends, the end of one attempt, and what it means for the key and for the parked row.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

bool may_send(const OwnedLane& lane, MonotonicTime now);
/// The lanes of a destination take turns; the main lane has several for each of a side lane. Null: nothing can go.
std::deque<CarriedIndex>* next_ready(OwnedLane& lane, DestinationIndex index);
/// The common case: nothing is written but the position, with the next turn, in which this hole is missing.
void delivered(OwnedLane& lane, CarriedIndex index, MonotonicTime at);
void drop_if_idle(OwnedLane& lane, Key& key);
void promote_freed(OwnedLane& lane);
void record_answers(OwnedLane& lane);
/// A destination that was removed may come back before they are due; but nobody waits for its dead.
bool blocks_key(OwnedLane& lane, const Parked& row);
void block(OwnedLane& lane, Key& key, Sequence sequence, Blocker blocker);
void let_next_go(OwnedLane& lane, Key& key, TurnNumber not_before);
/// The head of the key has ended, or is parked. Who follows has to wait for the turn that says so: if that turn is
/// lost, the head comes first again.
void pass_on(OwnedLane& lane, Key& key);
void park_dead(OwnedLane& lane, const MessagePtr& message, Parked row, Errc code, std::string_view sentence,
               bool was_counted);

}  // namespace makegood::core
