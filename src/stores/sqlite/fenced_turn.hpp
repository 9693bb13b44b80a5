// Every write of an owner is a turn; this appends it.
#pragma once

#include "base/turn_row.hpp"
#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

/// Right after the remembered turn, or not at all: Errc::fenced. `is_locked`: its owner holds the lane's file lock.
Result<AppendedTurn> append_turn(Connection& connection, const NewTurn& turn, bool is_locked, TimePoint now);

}  // namespace makegood::sqlite
