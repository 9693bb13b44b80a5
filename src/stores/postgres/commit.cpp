// The turn and all that it carries go to the server together with the COMMIT, in the transaction that the look began.
#include <algorithm>
#include <set>

#include "base/message_gone.hpp"
#include "base/parked_row.hpp"
#include "base/story.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/fenced_turn.hpp"
#include "stores/postgres/store.hpp"
#include "stores/sql/cleaning.hpp"

namespace makegood::postgres {
namespace {

bool reads_on(const Step& step) {
  return step.sql == sql::look_beyond || step.sql == sql::look_keys || step.sql == sql::look_numbers;
}

/// The parameters of park.
struct ParkedArrays {
  Array sequence{Type::bigint}, destination{Type::text}, tenant_id{Type::text}, dispatch_key{Type::text},
      slot{Type::bigint}, state{Type::text}, blocks{Type::boolean}, attempts{Type::bigint}, deaths{Type::bigint},
      due_at{Type::timestamptz}, owner{Type::text}, error_code{Type::text}, last_error{Type::text}, note{Type::json},
      answered{Type::bigint}, event_id{Type::text}, replay{Type::bigint};

  void add(const Turn::Change& change, const Owner& turn_owner) {
    const Parked& row = change.row;
    sequence.add(row.sequence);
    destination.add(row.destination);
    tenant_id.add(row.tenant_id);
    dispatch_key.add(row.dispatch_key);
    slot.add(std::int64_t{slot_of(row.tenant_id, row.dispatch_key)});
    state.add(to_string(row.state));
    blocks.add(row.blocks);
    attempts.add(std::int64_t{row.attempts});
    deaths.add(std::int64_t{row.deaths});
    answered.add(std::int64_t{row.answered});
    due_at.add(row.due_at);
    owner.add(NullIfEmpty{row.under_way ? std::string_view(turn_owner) : std::string_view()});
    error_code.add(row.error_code);
    last_error.add(without_nul(row.last_error));
    add_note(change.note);
    event_id.add(row.event_id);
    replay.add(row.replay);
  }
  void add_note(const std::optional<AttemptNote>& told) {
    if (!told) return note.add_null();
    AttemptNote clean = *told;
    clean.error = without_nul(clean.error);
    note.add(std::string_view(encode(clean)));
  }
  Step step(LaneId lane) const {
    return {sql::park, Parameters(sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, deaths,
                                  due_at, owner, error_code, last_error, note, answered, event_id, replay, lane)};
  }
};

/// A statement can change a row only once, so what comes again goes into the next one.
void add_parked(std::span<const Turn::Change> changes, LaneId lane, const Owner& owner, Pipeline& pipeline) {
  std::optional<ParkedArrays> arrays;
  std::set<std::pair<Sequence, std::string_view>> changed;
  for (const Turn::Change& change : changes) {
    const bool is_new = changed.emplace(change.row.sequence, change.row.destination).second;
    if (!is_new) {
      pipeline.add(arrays->step(lane));
      arrays.reset();
      changed = {{change.row.sequence, change.row.destination}};
    }
    if (!arrays) arrays.emplace();
    arrays->add(change, owner);
  }
  if (arrays) pipeline.add(arrays->step(lane));
}

void add_answers(std::span<const RequestAnswer> answers, LaneId lane, Pipeline& pipeline) {
  if (answers.empty()) return;
  Array ids(Type::bigint);
  Array results(Type::text);
  for (const RequestAnswer& answer : answers) {
    ids.add(answer.id);
    results.add(without_nul(answer.result));
  }
  pipeline.add(sql::answer_requests, ids, results, lane);
}

/// What the turn carries besides the position.
void add_changes(const Turn& turn, LaneId lane, Pipeline& pipeline) {
  if (turn.set_back > Duration::zero()) {
    pipeline.add(sql::set_back_due, turn.set_back.count(), turn.position.clock + turn.set_back);
  }
  add_parked(turn.parked, lane, turn.owner, pipeline);
  if (turn.is_rewind) {
    pipeline.add(sql::read_anew, turn.position.reached);
    pipeline.add(sql::end_gone, to_string(Errc::not_found), message_gone, lane);
  }
  add_answers(turn.answers, lane, pipeline);
  if (!turn.routing) return;
  const std::string document = encode(*turn.routing);
  pipeline.add(sql::append_routing, turn.routing->version, turn.routing->from, turn.owner, Json{document}, lane);
}

Result<> reset(Connection& connection) {
  MAKEGOOD_TRY(connection.execute(sql::lock_log));
  return connection.execute(sql::reset);
}

}  // namespace

Result<Committed> Store::commit(const Turn& turn, std::span<const Step> also, const Then& then) {
  MAKEGOOD_TRY(exchange_.check_unbroken(connection_));
  if (const auto was_right = connection_.take_guess()) *was_right ? read_ahead_.was_used() : read_ahead_.was_wasted();
  auto committed = try_commit(turn, also, then);
  if (!committed) {
    end_exchange();
    news_.expect();
    turns_from_ = 0;
    return committed;
  }
  exchange_.was_committed(connection_);
  read_ahead_.took_turn();
  news_.answered(turn.answers);
  if (!turn.messages.empty()) news_.expect();
  return committed;
}

/// What the next look will ask, if there is more to read and looks follow turns at once: the server reads on while we
/// send.
std::vector<Step> Store::next_look(const Turn& turn) const {
  const bool is_more = news_.goes_on_after(turn.position.reached);
  if (!is_more || !exchange_.has_settings(connection_) || !read_ahead_.is_worth_it()) return {};
  std::vector<Step> steps = connection_.last_pipeline();
  std::erase_if(steps, [](const Step& step) {
    return step.sql == verb::rollback || step.sql == sql::lock_holders || step.sql == sql::row_in_cleaned;
  });
  const auto beyond = std::ranges::find_if(steps, reads_on);
  if (beyond == steps.end()) return {};
  beyond->values.set_number(0, turn.position.reached);
  return steps;
}

Result<Committed> Store::try_commit(const Turn& turn, std::span<const Step> also, const Then& then) {
  Pipeline pipeline(connection_);
  if (!connection_.is_in_transaction()) {
    pipeline.add(verb::begin_write);
    exchange_.add_settings(pipeline, connection_);
  }
  const std::size_t index = pipeline.count();
  const NewTurn row = new_turn(lane_, turn);
  pipeline.add(append_turn(row, clock_now()));
  add_changes(turn, lane_, pipeline);
  for (const Step& step : also) pipeline.add(step);
  const bool is_simple = turn.messages.empty() && !turn.clean && !turn.is_reset && !then;
  if (is_simple) {
    pipeline.add(verb::commit);
    auto answer = pipeline.run(next_look(turn));
    const AppendedTurn appended = MAKEGOOD_TRY(appended_turn(connection_, row, answer, index));
    MAKEGOOD_TRY(connection_.check_commit(answer));
    return Committed{.turn = appended.turn};
  }
  auto answer = pipeline.run();
  const AppendedTurn appended = MAKEGOOD_TRY(appended_turn(connection_, row, answer, index));
  Committed committed{.turn = appended.turn};
  if (!turn.messages.empty()) MAKEGOOD_TRY(writer(true).write(turn.messages, appended.at));
  if (then) MAKEGOOD_TRY(then(appended.at, committed));
  if (turn.clean) MAKEGOOD_TRY(clean(turn, appended.at, committed));
  if (turn.is_reset) MAKEGOOD_TRY(reset(connection_));
  MAKEGOOD_TRY(connection_.commit());
  return committed;
}

Result<> Store::clean(const Turn& turn, TimePoint at, Committed& committed) {
  const auto append = [&](const NewMessage& row) -> Result<Sequence> {
    news_.expect();
    return MAKEGOOD_TRY(writer(true).write(row, at)).sequence;
  };
  return relational::Cleaner(connection_, lane_, *world_.ids, turns_from_, append).clean(turn, at, committed);
}

}  // namespace makegood::postgres
