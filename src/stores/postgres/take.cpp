#include <fmt/format.h>

#include <utility>

#include "base/parked_row.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/incarnation.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/routing_row.hpp"
#include "stores/postgres/store.hpp"
#include "stores/postgres/transaction.hpp"

namespace makegood::postgres {
namespace {

constexpr Duration clock_lead_max = std::chrono::minutes(1);
constexpr std::string_view lock_not_available = "55P03";

/// The server's clock, but never before the last turn, unless that was so far ahead that its clock must have been
/// wrong.
TimePoint store_time(TimePoint now, std::optional<TimePoint> last_at) {
  return last_at && *last_at > now && *last_at <= now + clock_lead_max ? *last_at : now;
}

}  // namespace

struct Store::LastTurn {
  TimePoint now;        ///< The store's time.
  bool is_none = true;  ///< Nobody has ever owned the lane.
  TurnNumber turn = 0;
  Owner owner;
  TimePoint at;
  TimePoint lease_until;
  std::string position;
};

/// Who wants the lane, and what speaks for it.
struct Store::Claim {
  const Owner& owner;
  Duration lease;
  const Owner& former;
};

Result<std::optional<Taken>> Store::take(const Owner& owner, Duration lease, const Owner& former) {
  end_exchange();
  MAKEGOOD_TRY(connection_.reconnect_if_lost());
  const Claim claim{owner, lease, former};
  // Asked twice: somebody who waits for the lane should not begin to write each time.
  if (!is_takeable(MAKEGOOD_TRY(read_last_turn()), claim)) return std::optional<Taken>();
  auto taken = take_if_free(claim);
  if (!taken && std::exchange(is_locked_out_, false)) return name_who_is_waited_for(taken.error());
  if (!taken || !*taken) return taken;
  // From here on, what this session shows follows what the taking turn has seen.
  known_session_ = connection_.session_number();
  server_start_.reset();
  forget_open();
  seen_to_.reset();
  wake_up_.begin(connection_);
  is_just_taken_ = true;
  cleaned_to_ = 0;
  turns_from_ = 0;
  // Whoever waits for longer than its lease has lost the lane meanwhile.
  connection_.wait_at_most(std::chrono::ceil<std::chrono::milliseconds>(lease));
  settled_session_ = 0;
  idle_timeout_ = fmt::format("{}", std::chrono::ceil<std::chrono::milliseconds>(lease / 2).count());
  return taken;
}

Result<std::optional<Taken>> Store::take_if_free(const Claim& claim) {
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection_));
  MAKEGOOD_TRY(check_version(connection_));
  std::string incarnation = MAKEGOOD_TRY(check_incarnation(connection_));
  auto taken = MAKEGOOD_TRY(append_taking_turn(claim));
  if (!taken) return taken;
  taken->incarnation = std::move(incarnation);
  MAKEGOOD_TRY(read_what_waits(*taken));
  taken->routings = MAKEGOOD_TRY(read_routings(connection_, RoutingsOf::lanes));
  MAKEGOOD_TRY(transaction.commit());
  return taken;
}

Result<Store::LastTurn> Store::read_last_turn() {
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::last_turn, clock_now()));
  rows.next();
  return LastTurn{
      .now = store_time(rows.time(0), rows.time_or_null(3)),
      .is_none = rows.is_null(1),
      .turn = rows.integer(1),
      .owner = Owner(rows.text(2)),
      .at = rows.time(3),
      .lease_until = rows.time(4),
      .position = std::string(rows.text(5)),
  };
}

bool Store::is_takeable(const LastTurn& last, const Claim& claim) {
  if (last.is_none || last.owner == claim.former) return true;
  const bool is_over = last.lease_until <= last.now;
  const bool is_too_far_ahead = last.lease_until > last.now + claim.lease;
  return is_over || is_too_far_ahead;
}

/// Nothing, when somebody else owns the lane or took it at the same moment.
Result<std::optional<Taken>> Store::append_taking_turn(const Claim& claim) {
  const LastTurn last = MAKEGOOD_TRY(read_last_turn());
  if (!is_takeable(last, claim)) return std::optional<Taken>();
  Taken taken;
  if (!last.is_none) {
    taken.position = MAKEGOOD_TRY(decode_position(last.position));
    const bool is_given_up = last.lease_until == last.at;
    taken.is_after_death = !is_given_up && last.owner != claim.former;
  }
  taken.fruitless_takings = static_cast<std::size_t>(MAKEGOOD_TRY(connection_.number(sql::fruitless_takings)));
  taken.turn = last.turn + 1;
  taken.now = last.now;
  const std::string position = encode(taken.position);
  auto rows = connection_.query(sql::take_turn, taken.turn, claim.owner, taken.now, claim.lease.count(),
                                taken.position.reached, settled(taken.position), Json{position});
  is_locked_out_ = !rows && connection_.last_state() == lock_not_available;
  if (MAKEGOOD_TRY(std::move(rows)).count() == 0) return std::optional<Taken>();
  return std::optional(std::move(taken));
}

Result<> Store::read_what_waits(Taken& taken) {
  Pipeline pipeline(connection_);
  for (const std::string_view sql : {sql::blocking_parked, sql::earliest_due, sql::parked_counts}) pipeline.add(sql);
  auto answers = MAKEGOOD_TRY(pipeline.run());
  Rows& blocking = answers[0];
  Rows& due = answers[1];
  Rows& counts = answers[2];
  while (blocking.next()) taken.blocking.push_back(MAKEGOOD_TRY(read_parked(blocking)));
  while (due.next()) taken.next_due.push_back({.destination = std::string(due.text(0)), .due_at = due.time(1)});
  while (counts.next()) {
    taken.parked_counts.push_back(
        {.destination = std::string(counts.text(0)), .count = static_cast<std::size_t>(counts.integer(1))});
  }
  return {};
}

Error Store::name_who_is_waited_for(Error error) {
  auto rows = connection_.query(sql::turn_lockers, connection_.outbox().qualified("_turn"));
  if (!rows) return error;
  error.message = "The lane's last owner has written a turn and does not commit it; see the server process named here.";
  while (rows->next()) {
    error.diagnostics += fmt::format("; waits for process {} ({}, {}, {})", rows->integer(0), rows->text(1),
                                     rows->text(2), rows->text(3));
  }
  return error;
}

}  // namespace makegood::postgres
