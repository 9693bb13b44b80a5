#include <fmt/format.h>

#include "base/parked_row.hpp"
#include "base/story.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/store.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {
namespace {

/// Where so much hangs or stands still that a turn has this much to tell, most turns forget it when the next one knows
/// better: 500 turns per second of 200 such destinations are about 7 MB for the disk. One of so many is kept, from
/// which the story of a message learns when it was delivered.
constexpr std::size_t long_position_bytes = 2000;
constexpr TurnNumber kept_of_long_turns = 32;

}  // namespace

struct Store::Written {
  TurnNumber turn = 0;
  std::int64_t at = 0;
  bool is_long = false;
};

Result<Committed> Store::commit(const Turn& turn) {
  const bool is_giving_up = turn.lease == Duration::zero();
  // An owner that took the lane from a frozen one has no lock yet; it gets it when that one is gone.
  if (!is_giving_up) MAKEGOOD_TRY(lock_.try_acquire());

  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection_));
  const Written written = MAKEGOOD_TRY(append_turn(turn));
  for (const Turn::Change& change : turn.parked) MAKEGOOD_TRY(park(change, turn.owner, written.at));
  for (const RequestAnswer& answer : turn.answers) {
    MAKEGOOD_TRY(connection_.execute(sql::answer_request, answer.id, written.at, answer.result));
  }
  if (!turn.messages.empty()) MAKEGOOD_TRY(append(turn.messages));
  Committed committed{.turn = written.turn};
  if (turn.routing) MAKEGOOD_TRY(keep(*turn.routing, turn.owner, written.at));
  if (turn.clean) committed.cleaned = MAKEGOOD_TRY(clean(turn, written.at));
  MAKEGOOD_TRY(transaction.commit());
  long_turn_ = written.is_long ? written.turn : 0;
  if (is_giving_up) lock_.release();
  return committed;
}

Result<Store::Written> Store::append_turn(const Turn& turn) {
  const bool is_giving_up = turn.lease == Duration::zero();
  const std::string position = encode(turn.position);
  const auto lease = std::chrono::ceil<std::chrono::milliseconds>(turn.lease).count();
  Rows rows = MAKEGOOD_TRY(connection_.query(sql::append_turn, turn.after, turn.owner, to_milliseconds(clock_.now()),
                                             std::int64_t{lease}, !is_giving_up && lock_.is_held(),
                                             turn.position.reached, settled(turn.position), position));
  if (!MAKEGOOD_TRY(rows.next())) {
    lock_.release();
    return Error{Errc::fenced, "Another owner has the lane; nothing was written.",
                 fmt::format("owner {}, after turn {}", turn.owner, turn.after)};
  }
  const Written written{
      .turn = rows.integer(0), .at = rows.integer(1), .is_long = position.size() > long_position_bytes};
  MAKEGOOD_TRY(rows.finish());
  if (long_turn_ == turn.after && turn.after % kept_of_long_turns != 0) {
    MAKEGOOD_TRY(connection_.execute(sql::thin_turn, turn.after));
  }
  return written;
}

Result<> Store::append(std::span<const NewMessage> messages) {
  MessageWriter& writer = *MAKEGOOD_TRY(this->writer());
  for (const NewMessage& message : messages) MAKEGOOD_TRY(writer.tell(message));
  seen_version_.reset();  // The data version does not count what its own connection commits.
  return {};
}

Result<> Store::park(const Turn::Change& change, const Owner& owner, std::int64_t at) {
  const Parked& row = change.row;
  const std::string note = change.note ? encode(*change.note) : std::string();
  return connection_.execute(sql::park, row.sequence, row.destination, row.tenant_id, row.dispatch_key,
                             slot_of(row.tenant_id, row.dispatch_key), to_string(row.state), row.blocks, row.attempts,
                             to_milliseconds(row.due_at), NullIfEmpty{row.under_way ? owner : std::string_view()},
                             row.error_code, row.last_error, at, NullIfEmpty{note}, row.deaths);
}

Result<> Store::keep(const Routing& routing, const Owner& owner, std::int64_t at) {
  return connection_.execute(sql::append_routing, routing.version, routing.from, at, owner, encode(routing));
}

}  // namespace makegood::sqlite
