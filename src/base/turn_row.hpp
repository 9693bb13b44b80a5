// A lane's turn as it is stored.
#pragma once

#include <string>

#include "base/log_mark.hpp"
#include "base/tenure.hpp"
#include "makegood/spi/store.hpp"

namespace makegood {

/// Which chain of turns in a table: each lane of a log has its own, and one owner.
using LaneId = std::int64_t;
inline constexpr LaneId main_lane = 0;

struct TurnRow {
  TurnNumber turn = 0;  ///< 0: there is none.
  Tenure tenure;
  std::string position;
  LogMark mark = {};
};

/// How many columns a turn takes; what a statement adds comes after them.
inline constexpr int turn_columns = 10;

/// The first columns of `row`: turn, owner, at, lease_until, position, and those of the mark.
template <class Row>
Result<TurnRow> read_turn(const Row& row) {
  return TurnRow{.turn = row.integer(0),
                 .tenure = {.owner = Owner(row.text(1)), .at = row.time(2), .until = row.time(3)},
                 .position = std::string(row.text(4)),
                 .mark = MAKEGOOD_TRY(read_mark(row, 5))};
}

/// A turn that an owner appends to the chain of its lane.
struct NewTurn {
  LaneId lane = main_lane;
  TurnNumber after = 0;  ///< The remembered turn, which must be the last one, and of the same owner.
  Owner owner;
  Duration lease = {};  ///< None: the lane is given up.
  Sequence reached = 0;
  Sequence settled = 0;
  std::string position;
  LogMark mark = {};
};
NewTurn new_turn(LaneId lane, const Turn& turn);

struct AppendedTurn {
  TurnNumber turn = 0;
  TimePoint at = {};
};

/// What is said when the last turn is not the remembered one.
Error fenced(const NewTurn& turn);

}  // namespace makegood
