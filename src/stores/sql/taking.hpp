// What a new owner of a lane begins with, read in the transaction in which it takes the lane.
#pragma once

#include "base/turn_row.hpp"
#include "stores/sql/database.hpp"

namespace makegood::relational {

/// The taking turn that comes after `last`, before it is appended.
Result<Taken> next_taking(Database& database, LaneId lane, const TurnRow& last, const Claimant& claimant,
                          TimePoint now);
/// The parked deliveries and the routes that an owner has to know of.
Result<> read_what_waits(Database& database, Taken& taken);

}  // namespace makegood::relational
