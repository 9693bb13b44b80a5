// How long after its first attempt a message may come again, and which message only asks.
#pragma once

#include "makegood/delivery.hpp"

namespace makegood::broker {

/// Until its last attempt, or until its destination is disabled. A guard against repeats has to remember that long.
Duration repeats_for(const Destination& destination);
/// The one that `destinations test` sends: its reply tells what an operator should know of the broker.
bool is_test(const Delivery& delivery);

}  // namespace makegood::broker
