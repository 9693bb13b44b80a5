// Requests of operators.
#pragma once

#include "core/owned_lane.hpp"

namespace makegood::core {

void carry_out(OwnedLane& lane, const std::vector<Request>& requests);
void let_others_pass(OwnedLane& lane, const Parked& row);
/// Retries that were taken in and not sent wait again.
void stand_still(OwnedLane& lane, Side& side);
/// What is in flight goes on under the main lane; the rest is forgotten.
void cancel(OwnedLane& lane, Side& history);

}  // namespace makegood::core
