// Every write of an owner is a turn; this appends it.
#pragma once

#include "base/turn_row.hpp"
#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

/// Right after the remembered turn, or not at all. One step of a pipeline, because what a turn carries goes with it.
/// `now`: nothing, for the server's own clock.
Step append_turn(const NewTurn& turn, std::optional<TimePoint> now);
/// What became of that step, which was the one with this index. Errc::fenced: nothing was written.
Result<AppendedTurn> appended_turn(const Connection& connection, const NewTurn& turn, Result<std::vector<Rows>>& answer,
                                   std::size_t index);

}  // namespace makegood::postgres
