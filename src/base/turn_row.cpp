#include "base/turn_row.hpp"

#include <fmt/format.h>

namespace makegood {

NewTurn new_turn(LaneId lane, const Turn& turn) {
  return {.lane = lane,
          .after = turn.after,
          .owner = turn.owner,
          .lease = turn.lease,
          .reached = turn.position.reached,
          .settled = settled(turn.position),
          .position = encode(turn.position),
          .mark = turn.mark};
}

Error fenced(const NewTurn& turn) {
  return {Errc::fenced, "Another owner has the lane; nothing was written.",
          fmt::format("owner {}, after turn {}", turn.owner, turn.after)};
}

}  // namespace makegood
