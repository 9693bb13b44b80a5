// How long after its first attempt a message may come again, by what a broker knows it then, and which message only
// asks.
#pragma once

#include <string>
#include <string_view>

#include "makegood/delivery.hpp"

namespace makegood::broker {

/// Until its last attempt, or until its destination is disabled. A guard against repeats has to remember that long.
Duration repeats_for(const Destination& destination);
/// The same in every attempt at a delivery, and another for every other delivery, of which a replay is one.
std::string name_of(const Delivery& delivery);
/// What it means that the broker has a message of this name already. `code` is said if it was not put there by us.
Reply repeated(bool is_first, std::string_view code);
/// The one that `destinations test` sends: its reply tells what an operator should know of the broker.
bool is_test(const Delivery& delivery);

}  // namespace makegood::broker
