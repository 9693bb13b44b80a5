// When the log is not the one that the last turn has left.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

void watch_log(OwnedLane& lane, const Found& found);
/// It says so again and again, renews its lease, and records what comes back of what it had in hand.
MonotonicTime next_stopped_exchange(const OwnedLane& lane, MonotonicTime now);
/// All that is in the log is read again, by the newest routes, from the first row or from where the operator wants it;
/// but not what an operator has put away. The lane is given up with the turn that says so: whoever takes it next has no
/// memory of what the numbers meant.
std::string rewind(OwnedLane& lane, const Request& request);

}  // namespace makegood::core
