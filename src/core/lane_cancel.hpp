// Messages that are not to be sent.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

/// Nothing: this turn already changes what the look saw of it, so it stays open for the next one.
std::optional<std::string> cancel_message(OwnedLane& lane, const Request& request);
/// It is put away for all destinations: replays of history do not send it either.
void withdraw_history(OwnedLane& lane, Sequence number);

}  // namespace makegood::core
