#include "stores/sqlite/fenced_turn.hpp"

#include "makegood_store_sqlite_sql.hpp"

namespace makegood::sqlite {

Result<AppendedTurn> append_turn(Connection& connection, const NewTurn& turn, bool is_locked, TimePoint now) {
  const std::int64_t lease = std::chrono::ceil<std::chrono::milliseconds>(turn.lease).count();
  Rows rows =
      MAKEGOOD_TRY(connection.query(sql::append_turn, turn.after, turn.owner, to_milliseconds(now), lease, is_locked,
                                    turn.reached, turn.settled, turn.position, turn.mark.anchor, turn.mark.anchor_event,
                                    turn.mark.counter, turn.mark.cleaned, to_string(turn.mark.stopped), turn.lane));
  if (!MAKEGOOD_TRY(rows.next())) return fenced(turn);
  const AppendedTurn appended{.turn = rows.integer(0), .at = rows.time(1)};
  MAKEGOOD_TRY(rows.finish());
  return appended;
}

}  // namespace makegood::sqlite
