// Attempts that leave with the turn itself: an action over a bus is a message of the outbox, written in the very commit
// that says that it was begun. Whoever gets it answers by the address in its headers.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/saga/steering.hpp"

namespace makegood::core {

/// Where this attempt is answered; empty: nowhere.
using CallbackAddress = std::function<std::string(const Execution& execution, const SagaSend& send)>;

bool leaves_with_turn(std::string_view uri);
/// It expires at the attempt's deadline: a dead letter that is replayed later does not run beside its compensation.
NewMessage bus_message(const Execution& execution, const SagaSend& send, const CallbackAddress& callback);
/// As the id of an event: what is too long for one is told by its digest.
std::string event_id_for(const std::string& text);

}  // namespace makegood::core
