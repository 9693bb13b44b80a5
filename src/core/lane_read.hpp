// What a look has brought.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

void read(OwnedLane& lane, Found& found);
void miss(OwnedLane& lane, Sequence number);
void take_in(OwnedLane& lane, const MessagePtr& message, DestinationIndex destination, TurnNumber covered_by,
             Side* side);
/// It waits behind a blocked head, with a row of its own, so that it does not fill the window.
void hold(OwnedLane& lane, Key& key, Parked row, bool was_counted);
/// Due times were reckoned from the clock of the last turn. When that has been set back since, they would lie further
/// ahead than their own delay.
void follow_clock(OwnedLane& lane, std::vector<Request>& requests);
void take_in_due(OwnedLane& lane, std::vector<DueDelivery> due);
void take_in_due(OwnedLane& lane, DueDelivery delivery, DestinationIndex destination);

}  // namespace makegood::core
