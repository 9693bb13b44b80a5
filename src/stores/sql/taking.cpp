#include "stores/sql/taking.hpp"

#include <array>

#include "base/parked_row.hpp"
#include "stores/sql/outbox_view.hpp"

namespace makegood::relational {

Result<Taken> next_taking(Database& database, LaneId lane, const TurnRow& last, const Claimant& claimant,
                          TimePoint now) {
  Taken taken{.turn = last.turn + 1, .position = {}, .mark = last.mark, .now = now};
  if (last.turn > 0) taken.position = MAKEGOOD_TRY(decode_position(last.position));
  taken.is_after_death = is_after_death(last.tenure, claimant);
  taken.fruitless_takings = MAKEGOOD_TRY(database.one(database.statements().fruitless_takings, lane))->count(0);
  return taken;
}

Result<> read_what_waits(Database& database, Taken& taken) {
  const Statements& sql = database.statements();
  const std::array questions = {Step(sql.blocking_parked), Step(sql.earliest_due), Step(sql.parked_counts),
                                Step(sql.read_routings, false)};
  const auto answers = MAKEGOOD_TRY(database.run(questions));
  Rows& blocking = *answers[0];
  Rows& due = *answers[1];
  Rows& counts = *answers[2];
  while (MAKEGOOD_TRY(blocking.next())) taken.blocking.push_back(MAKEGOOD_TRY(read_parked(blocking)));
  while (MAKEGOOD_TRY(due.next())) {
    taken.next_due.push_back({.destination = std::string(due.text(0)), .due_at = due.time(1)});
  }
  while (MAKEGOOD_TRY(counts.next())) {
    taken.parked_counts.push_back({.destination = std::string(counts.text(0)), .count = counts.count(1)});
  }
  taken.routings = MAKEGOOD_TRY(routings_in(*answers[3]));
  return {};
}

}  // namespace makegood::relational
