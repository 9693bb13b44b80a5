#include "makegood_store_sqlite_sql.hpp"
#include "stores/sql/taking.hpp"
#include "stores/sql/transaction.hpp"
#include "stores/sqlite/incarnation.hpp"
#include "stores/sqlite/migrate.hpp"
#include "stores/sqlite/store.hpp"

namespace makegood::sqlite {

struct Store::LastTurn {
  TurnRow row = {};
  bool is_locked = false;
};

/// Who wants the lane, and what speaks for it.
struct Store::Taker {
  Claimant claimant;
  bool found_lock_free;  ///< The lock was somebody's or nobody's, and is ours since this call began.
};

Result<std::optional<Taken>> Store::take(const Owner& owner, Duration lease, const Owner& former) {
  const bool was_held = lock_.is_held();
  const bool is_held = MAKEGOOD_TRY(lock_.try_acquire());
  auto taken = take_if_free({{owner, lease, former}, is_held && !was_held});
  if (taken && *taken) {
    watch_.begin(connection_.file());
    turns_from_ = 0;
  } else {
    lock_.release();  // Whoever owns the lane should be able to hold it.
  }
  return taken;
}

Result<std::optional<Taken>> Store::take_if_free(const Taker& taker) {
  // Asked twice: somebody who waits for the lane should not take the write lock each time.
  if (!is_takeable(MAKEGOOD_TRY(read_last_turn()), taker)) return std::optional<Taken>();
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection_));
  MAKEGOOD_TRY(check_version(connection_));
  const std::string incarnation = MAKEGOOD_TRY(check_incarnation(connection_, environment_));
  const LastTurn last = MAKEGOOD_TRY(read_last_turn());
  if (!is_takeable(last, taker)) return std::optional<Taken>();
  Taken taken = MAKEGOOD_TRY(append_taking_turn(last.row, taker.claimant));
  taken.incarnation = incarnation;
  MAKEGOOD_TRY(relational::read_what_waits(connection_, taken));
  MAKEGOOD_TRY(transaction.commit());
  return std::optional(std::move(taken));
}

bool Store::is_takeable(const LastTurn& last, const Taker& taker) const {
  // Its owner held the lock when it last spoke, and holds it no more: it is gone.
  if (last.is_locked && taker.found_lock_free) return true;
  const Tenure& tenure = last.row.tenure;
  return may_take(tenure, taker.claimant, store_time(clock_.now(), tenure.at));
}

Result<Store::LastTurn> Store::read_last_turn() {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::newest_turn, lane_));
  if (!MAKEGOOD_TRY(rows.next())) return LastTurn();
  return LastTurn{.row = MAKEGOOD_TRY(read_turn(rows)), .is_locked = rows.boolean(turn_columns)};
}

Result<Taken> Store::append_taking_turn(const TurnRow& last, const Claimant& claimant) {
  const TimePoint now = store_time(clock_.now(), last.tenure.at);
  Taken taken = MAKEGOOD_TRY(relational::next_taking(connection_, lane_, last, claimant, now));
  MAKEGOOD_TRY(connection_.execute(
      sql::take_turn, taken.turn, claimant.owner, to_milliseconds(now), to_milliseconds(now + claimant.lease),
      lock_.is_held(), taken.position.reached, settled(taken.position), encode(taken.position), taken.mark.anchor,
      taken.mark.anchor_event, taken.mark.counter, taken.mark.cleaned, to_string(taken.mark.stopped), lane_));
  return taken;
}

}  // namespace makegood::sqlite
