#include "base/parked_row.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/incarnation.hpp"
#include "stores/sqlite/migrate.hpp"
#include "stores/sqlite/routing_row.hpp"
#include "stores/sqlite/store.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {

struct Store::LastTurn {
  TurnNumber turn = 0;
  Owner owner;
  std::int64_t at = 0;
  std::int64_t lease_until = 0;
  bool is_locked = false;
  std::string position;
};

/// Who wants the lane, and what speaks for it.
struct Store::Claim {
  const Owner& owner;
  Duration lease;
  const Owner& former;
  bool found_lock_free;  ///< The lock was somebody's or nobody's, and is ours since this call began.
};

Result<std::optional<Taken>> Store::take(const Owner& owner, Duration lease, const Owner& former) {
  const bool was_held = lock_.is_held();
  const bool is_held = MAKEGOOD_TRY(lock_.try_acquire());
  auto taken = take_if_free({owner, lease, former, is_held && !was_held});
  if (taken && *taken) {
    watch_.begin(connection_.file());
  } else {
    lock_.release();  // Whoever owns the lane should be able to hold it.
  }
  return taken;
}

Result<std::optional<Taken>> Store::take_if_free(const Claim& claim) {
  // Asked twice: somebody who waits for the lane should not take the write lock each time.
  if (!MAKEGOOD_TRY(is_takeable(claim))) return std::optional<Taken>();
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection_));
  MAKEGOOD_TRY(check_version(connection_));
  const std::string incarnation = MAKEGOOD_TRY(check_incarnation(connection_));
  if (!MAKEGOOD_TRY(is_takeable(claim))) return std::optional<Taken>();
  Taken taken = MAKEGOOD_TRY(append_taking_turn(claim));
  taken.incarnation = incarnation;
  taken.blocking = MAKEGOOD_TRY(read_blocking());
  taken.next_due = MAKEGOOD_TRY(read_next_due());
  taken.parked_counts = MAKEGOOD_TRY(read_parked_counts());
  taken.routings = MAKEGOOD_TRY(read_routings(connection_, RoutingsOf::lanes));
  MAKEGOOD_TRY(transaction.commit());
  return std::optional(std::move(taken));
}

Result<bool> Store::is_takeable(const Claim& claim) {
  const auto last = MAKEGOOD_TRY(read_last_turn());
  if (!last || last->owner == claim.former) return true;
  // Its owner held the lock when it last spoke, and holds it no more: it is gone.
  if (last->is_locked && claim.found_lock_free) return true;
  const TimePoint now = store_time(last->at);
  const bool is_over = last->lease_until <= to_milliseconds(now);
  const bool is_too_far_ahead = last->lease_until > to_milliseconds(now + claim.lease);
  return is_over || is_too_far_ahead;
}

Result<std::optional<Store::LastTurn>> Store::read_last_turn() {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::last_turn));
  if (!MAKEGOOD_TRY(rows.next())) return std::optional<LastTurn>();
  return std::optional(LastTurn{
      .turn = rows.integer(0),
      .owner = Owner(rows.text(1)),
      .at = rows.integer(2),
      .lease_until = rows.integer(3),
      .is_locked = rows.integer(4) != 0,
      .position = std::string(rows.text(5)),
  });
}

Result<Taken> Store::append_taking_turn(const Claim& claim) {
  Taken taken;
  std::optional<std::int64_t> last_at;
  if (const auto last = MAKEGOOD_TRY(read_last_turn())) {
    taken.turn = last->turn;
    taken.position = MAKEGOOD_TRY(decode_position(last->position));
    last_at = last->at;
    const bool is_given_up = last->lease_until == last->at;
    taken.is_after_death = !is_given_up && last->owner != claim.former;
  }
  taken.fruitless_takings = static_cast<std::size_t>(MAKEGOOD_TRY(connection_.number(sql::fruitless_takings)));
  ++taken.turn;
  taken.now = store_time(last_at);
  MAKEGOOD_TRY(connection_.execute(sql::take_turn, taken.turn, claim.owner, to_milliseconds(taken.now),
                                   to_milliseconds(taken.now + claim.lease), lock_.is_held(), taken.position.reached,
                                   settled(taken.position), encode(taken.position)));
  return taken;
}

Result<std::vector<Parked>> Store::read_blocking() {
  std::vector<Parked> blocking;
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::blocking_parked));
  while (MAKEGOOD_TRY(rows.next())) blocking.push_back(MAKEGOOD_TRY(read_parked(rows)));
  return blocking;
}

Result<std::vector<NextDue>> Store::read_next_due() {
  std::vector<NextDue> next_due;
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::earliest_due));
  while (MAKEGOOD_TRY(rows.next())) {
    next_due.push_back({.destination = std::string(rows.text(0)), .due_at = rows.time(1)});
  }
  return next_due;
}

Result<std::vector<ParkedCount>> Store::read_parked_counts() {
  std::vector<ParkedCount> counts;
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::parked_counts));
  while (MAKEGOOD_TRY(rows.next())) {
    counts.push_back({.destination = std::string(rows.text(0)), .count = static_cast<std::size_t>(rows.integer(1))});
  }
  return counts;
}

}  // namespace makegood::sqlite
