#include <utility>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/failure.hpp"
#include "stores/postgres/incarnation.hpp"
#include "stores/postgres/lockers.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/store.hpp"
#include "stores/sql/taking.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::postgres {
namespace {

constexpr std::string_view turn_not_committed =
    "The lane's last owner has written a turn and does not commit it; see the server process named here.";

}  // namespace

struct Store::LastTurn {
  TurnRow row = {};
  TimePoint now;  ///< The store's time.
};

Result<std::optional<Taken>> Store::take(const Owner& owner, Duration lease, const Owner& former) {
  end_exchange();
  MAKEGOOD_TRY(connection_.reconnect_if_lost());
  const Claimant claimant{owner, lease, former};
  // Asked twice: somebody who waits for the lane should not begin to write each time.
  const auto last = read_last_turn();
  if (!last && last.error().code == Errc::schema_mismatch) MAKEGOOD_TRY(check_version(connection_));  // It says more.
  const LastTurn& found = MAKEGOOD_TRY(last);
  if (!may_take(found.row.tenure, claimant, found.now)) return std::optional<Taken>();
  auto taken = take_or_ask(claimant);
  if (!taken && std::exchange(is_locked_out_, false)) {
    return blocked_by_lockers(connection_, "_turn", taken.error(), turn_not_committed);
  }
  if (!taken || !*taken) return taken;
  exchange_.begin(connection_, lease);
  open_.clear();
  news_.begin(connection_);
  turns_from_ = 0;
  return taken;
}

/// A place that is not known yet may still be another way to the same server.
Result<std::optional<Taken>> Store::take_or_ask(const Claimant& claimant) {
  auto taken = take_if_free(claimant);
  const MonotonicTime now = world_.clock->monotonic();
  if (taken || taken.error().code != Errc::store_foreign || !incarnation_.should_ask(now)) return taken;
  if (!MAKEGOOD_TRY(incarnation_.ask(connection_, now))) return taken;
  return take_if_free(claimant);
}

Result<std::optional<Taken>> Store::take_if_free(const Claimant& claimant) {
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection_));
  MAKEGOOD_TRY(check_version(connection_));
  std::string incarnation = MAKEGOOD_TRY(incarnation_.check(connection_));
  auto taken = MAKEGOOD_TRY(append_taking_turn(claimant));
  if (!taken) return taken;
  taken->incarnation = std::move(incarnation);
  MAKEGOOD_TRY(relational::read_what_waits(connection_, *taken));
  MAKEGOOD_TRY(transaction.commit());
  return taken;
}

Result<Store::LastTurn> Store::read_last_turn() {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::last_turn, clock_now(), lane_));
  rows.next();
  LastTurn last{.now = rows.time(turn_columns)};
  if (rows.is_null(0)) return last;
  last.row = MAKEGOOD_TRY(read_turn(rows));
  last.now = store_time(last.now, last.row.tenure.at);
  return last;
}

/// Nothing, when somebody else owns the lane or took it at the same moment.
Result<std::optional<Taken>> Store::append_taking_turn(const Claimant& claimant) {
  const LastTurn last = MAKEGOOD_TRY(read_last_turn());
  if (!may_take(last.row.tenure, claimant, last.now)) return std::optional<Taken>();
  Taken taken = MAKEGOOD_TRY(relational::next_taking(connection_, lane_, last.row, claimant, last.now));
  const std::string position = encode(taken.position);
  auto rows = connection_.query(sql::take_turn, taken.turn, claimant.owner, taken.now, claimant.lease.count(),
                                taken.position.reached, settled(taken.position), Json{position}, taken.mark.anchor,
                                taken.mark.anchor_event, taken.mark.counter, taken.mark.cleaned,
                                to_string(taken.mark.stopped), lane_);
  is_locked_out_ = !rows && connection_.last_state() == lock_not_available;
  if (MAKEGOOD_TRY(std::move(rows)).count() == 0) return std::optional<Taken>();
  return std::optional(std::move(taken));
}

}  // namespace makegood::postgres
