#include "stores/postgres/fenced_turn.hpp"

#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {
namespace {

constexpr std::string_view null_in_a_column = "23502";
constexpr std::string_view number_is_taken = "23505";

}  // namespace

Step append_turn(const NewTurn& turn, std::optional<TimePoint> now) {
  return {sql::append_turn, Parameters(turn.after, turn.owner, now, turn.lease.count(), turn.reached, turn.settled,
                                       Json{turn.position}, turn.mark.anchor, turn.mark.anchor_event, turn.mark.counter,
                                       turn.mark.cleaned, to_string(turn.mark.stopped), turn.lane)};
}

Result<AppendedTurn> appended_turn(const Connection& connection, const NewTurn& turn, Result<std::vector<Rows>>& answer,
                                   std::size_t index) {
  if (!answer) {
    const std::string& state = connection.last_state();
    const bool is_refused = state == null_in_a_column || state == number_is_taken;
    if (is_refused && connection.last_failed_step() == index) return fenced(turn);
    if (connection.is_lost()) return connection.check_commit(answer).error();
    return answer.error();
  }
  Rows& row = answer->at(index);
  row.next();
  return AppendedTurn{.turn = row.integer(0), .at = row.time(1)};
}

}  // namespace makegood::postgres
