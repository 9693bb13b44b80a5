#include <fmt/format.h>

#include "base/message_gone.hpp"
#include "base/parked_row.hpp"
#include "base/story.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sql/cleaning.hpp"
#include "stores/sql/transaction.hpp"
#include "stores/sqlite/fenced_turn.hpp"
#include "stores/sqlite/store.hpp"

namespace makegood::sqlite {
namespace {

/// Where so much hangs or stands still that a turn has this much to tell, most turns forget it when the next one knows
/// better: 500 turns per second of 200 such destinations are about 7 MB for the disk. One of so many is kept, from
/// which the story of a message learns when it was delivered.
constexpr std::size_t long_position_bytes = 2000;
constexpr TurnNumber kept_of_long_turns = 32;

}  // namespace

Result<Committed> Store::commit(const Turn& turn, const Also& also) {
  const bool is_giving_up = turn.lease == Duration::zero();
  // An owner that took the lane from a frozen one has no lock yet; it gets it when that one is gone.
  if (!is_giving_up) MAKEGOOD_TRY(lock_.try_acquire());

  // From here on nobody else can write to the file: what can be done before is.
  const NewTurn row = new_turn(lane_, turn);
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection_));
  const AppendedTurn appended = MAKEGOOD_TRY(append(row));
  const std::int64_t at = to_milliseconds(appended.at);
  if (turn.set_back > Duration::zero()) {
    const auto by = std::chrono::ceil<std::chrono::milliseconds>(turn.set_back).count();
    const TimePoint was = turn.position.clock + turn.set_back;
    MAKEGOOD_TRY(connection_.execute(sql::set_back_due, std::int64_t{by}, to_milliseconds(was)));
  }
  for (const Turn::Change& change : turn.parked) MAKEGOOD_TRY(park(change, turn.owner, at));
  if (turn.is_rewind) {
    MAKEGOOD_TRY(connection_.execute(sql::read_anew, turn.position.reached));
    MAKEGOOD_TRY(connection_.execute(sql::end_gone, to_string(Errc::not_found), message_gone, at));
  }
  for (const RequestAnswer& answer : turn.answers) {
    MAKEGOOD_TRY(connection_.execute(sql::answer_request, answer.id, at, answer.result));
  }
  for (const NewMessage& message : turn.messages) MAKEGOOD_TRY(append_one(message));
  Committed committed{.turn = appended.turn};
  if (turn.routing) MAKEGOOD_TRY(keep(*turn.routing, turn.owner, at));
  if (also) MAKEGOOD_TRY(also(appended.at, committed));
  if (turn.clean) MAKEGOOD_TRY(clean(turn, appended.at, committed));
  if (turn.is_reset) MAKEGOOD_TRY(connection_.run_script(connection_.outbox().into(sql::reset)));
  MAKEGOOD_TRY(transaction.commit());
  long_turn_ = row.position.size() > long_position_bytes ? appended.turn : 0;
  if (is_giving_up) lock_.release();
  return committed;
}

Result<AppendedTurn> Store::append(const NewTurn& turn) {
  const bool is_giving_up = turn.lease == Duration::zero();
  auto appended = append_turn(connection_, turn, !is_giving_up && lock_.is_held(), clock_.now());
  if (!appended && appended.error().code == Errc::fenced) lock_.release();
  if (appended && long_turn_ == turn.after && turn.after % kept_of_long_turns != 0) {
    MAKEGOOD_TRY(connection_.execute(sql::thin_turn, turn.after, turn.lane));
  }
  return appended;
}

Result<> Store::clean(const Turn& turn, TimePoint at, Committed& committed) {
  const auto append = [this](const NewMessage& row) { return append_one(row); };
  return relational::Cleaner(connection_, lane_, ids_, turns_from_, append).clean(turn, at, committed);
}

/// Answers its number.
Result<Sequence> Store::append_one(const NewMessage& message) {
  MessageWriter& writer = *MAKEGOOD_TRY(this->writer());
  seen_version_.reset();  // The data version does not count what its own connection commits.
  return MAKEGOOD_TRY(writer.tell(message)).sequence;
}

Result<> Store::park(const Turn::Change& change, const Owner& owner, std::int64_t at) {
  const Parked& row = change.row;
  const std::string note = change.note ? encode(*change.note) : std::string();
  return connection_.execute(sql::park, row.sequence, row.destination, row.tenant_id, row.dispatch_key,
                             slot_of(row.tenant_id, row.dispatch_key), to_string(row.state), row.blocks, row.attempts,
                             to_milliseconds(row.due_at), NullIfEmpty{row.under_way ? owner : std::string_view()},
                             row.error_code, row.last_error, at, NullIfEmpty{note}, row.deaths, row.answered,
                             row.event_id, row.replay);
}

Result<> Store::keep(const Routing& routing, const Owner& owner, std::int64_t at) {
  return connection_.execute(sql::append_routing, routing.version, routing.from, at, owner, encode(routing));
}

}  // namespace makegood::sqlite
