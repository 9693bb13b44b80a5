// The cleaner goes by position and by the clock of turns, never by when a message was created: a row may be old when it
// appears. Each step is bounded and part of a turn, so the owner's own position is its upper end.
//
// Where what was deleted stays in the way until the server has vacuumed it, somebody's old snapshot may put that off
// for hours. So each step goes on from where the last one ended.
#pragma once

#include <functional>

#include "base/turn_row.hpp"
#include "makegood/id.hpp"
#include "stores/sql/database.hpp"

namespace makegood::relational {

class Cleaner {
 public:
  /// Appends a row of Makegood's own to the log, in the turn's transaction, and answers its number.
  using Append = std::function<Result<Sequence>(const NewMessage& row)>;

  /// `turns_from`: turns before this one have been cleaned; kept between two steps.
  Cleaner(Database& database, LaneId lane, Ids& ids, TurnNumber& turns_from, Append append)
      : database_(database), lane_(lane), ids_(ids), turns_from_(turns_from), append_(std::move(append)) {}

  /// One step of it, in the turn that was just appended at `at`.
  Result<> clean(const Turn& turn, TimePoint at, Committed& committed);

 private:
  struct OldTurns;

  Result<> clean_log(const Turn& turn, const OldTurns& old, std::size_t turns_max, Committed& committed);
  Result<bool> is_drawn_again(const LogMark& mark);
  Result<Sequence> below_the_anchor(Sequence boundary, Committed& committed);
  Result<> mark_turn(const Committed& committed);
  Result<> clean_parked(std::string_view sql, TimePoint before, std::size_t rows_max);

  Database& database_;
  const LaneId lane_;
  Ids& ids_;
  TurnNumber& turns_from_;
  const Append append_;
};

}  // namespace makegood::relational
