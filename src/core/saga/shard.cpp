#include "core/saga/shard.hpp"

#include <algorithm>
#include <utility>

#include "core/mutant.hpp"
#include "core/saga/owned_shard.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

/// So many absences are told apart; older ones are joined, which spares a deadline rather than fires it.
constexpr std::size_t absences_max = 100;

/// The time since `last`, in which nobody worked on this log. Short ones are a hand-over.
void note_absence(OwnedShard& shard, TimePoint last, TimePoint now) {
  if (last == TimePoint() || now - last <= shard.ownership.lease) return;
  shard.absences.push_back({last, now});
  shard.grace_until = now + shard.lasting.options.grace;
  if (shard.absences.size() <= absences_max) return;
  shard.absences[1].from = shard.absences[0].from;
  shard.absences.erase(shard.absences.begin());
}

/// What is under way is read back by number, not by position.
void begin_reading(OwnedShard& shard, Taken& taken) {
  const auto found = taken.position.under_way.find("saga");
  shard.recovery = {.from = taken.position.reached + 1, .to = taken.position.reached};
  if (found != taken.position.under_way.end()) shard.recovery.from = found->second.front();
  shard.committed_position = taken.position;
  shard.not_begun = taken.position.open;
  taken.position.under_way.clear();
  shard.log.begin(taken.position, std::move(taken.mark), 0);
}

bool says_anything(const OwnedShard& shard) {
  const SagaTurn& draft = *shard.draft;
  return !draft.journal.empty() || !draft.ends.empty() || !draft.reopened.empty() || !draft.parked.empty() ||
         !draft.unparked.empty() || !draft.keys_taken.empty() || !draft.keys_left.empty() || !draft.messages.empty() ||
         !draft.requests.empty() || !draft.turn.answers.empty() || shard.has_passed_rows || shard.is_giving_up ||
         draft.turn.set_back > Duration::zero();
}

/// A new version counts for the starts beside it, so what is the newest is asked for before they are decided on.
void take_row(OwnedShard& shard, const MessagePtr& row) {
  shard.rows.push_back({row, read_request(*row)});
  const auto* put = std::get_if<DefinitionPut>(&shard.rows.back().request);
  if (put != nullptr && !is_mutant("saga_definition_is_cached")) shard.definitions.forget_newest(put->name);
}

SagaCallOut call_out(const InHand& in_hand, SagaSend& send, const Participants& participants, Ticket ticket) {
  const Execution& execution = in_hand.execution;
  const SagaStep& step = execution.step(send.step);
  const std::string& uri = send.uri;
  DestinationPtr destination = participants.settings_of(send.participant);
  const std::uint32_t action_round = execution.facts(send.step).actions().round();
  const Attempt* attempt = execution.facts(send.step).track(send.direction).attempts.find(send.round, send.attempt);
  return {.ticket = ticket,
          .uri = uri,
          .destination = destination,
          .path = std::string(path_at(uri, *destination).value_or("")),
          .start = execution.start_row(),
          .step = step.name,
          .direction = send.direction,
          .round = send.round,
          .attempt = send.attempt,
          .key = key_of(execution, send.step, send.direction, send.round),
          .action_key = key_of(execution, send.step, Direction::action, action_round),
          .action_round = action_round,
          .body = std::move(send.body) + (is_mutant("saga_attempt_in_body") ? std::to_string(send.attempt) : ""),
          .deadline = attempt->until,
          .timeout = timeout_of(step, send.direction)};
}

/// An attempt whose deadline has passed while it waited for the lease counts as unknown: to send it now would be to run
/// an action beside its compensation.
bool may_leave(const InHand& in_hand, const SagaSend& send, TimePoint store_now) {
  if (is_mutant("saga_sends_late")) return true;
  const Attempts& attempts = in_hand.execution.facts(send.step).track(send.direction).attempts;
  const Attempt* attempt = attempts.find(send.round, send.attempt);
  return attempt != nullptr && attempt->state == Attempt::State::open && store_now < attempt->until;
}

/// Its destination is there, and still carries it: its URL may have been changed since the place was taken.
bool has_way(const SagaSend& send, const Participants& participants) {
  const DestinationPtr destination = participants.settings_of(send.participant);
  return destination != nullptr && path_at(send.uri, *destination);
}

/// With a turn that is written anyway. What was read back and is not decided on must not lose its journal meanwhile.
void keep_up(OwnedShard& shard, MonotonicTime now) {
  if (now < shard.upkeep_at || !shard.unfolded.empty() || shard.is_giving_up) return;
  shard.draft->upkeep = shard.lasting.options.upkeep;
}

void kept_up(OwnedShard& shard, const Committed& committed, MonotonicTime now) {
  if (!shard.draft->upkeep) return;
  const ShardOptions& options = shard.lasting.options;
  shard.lasting.upkept += committed.cleaned;
  const bool is_more = committed.cleaned >= shard.draft->upkeep->rows_max;
  shard.upkeep_at = now + (is_more ? options.upkeep_pause : options.upkeep_interval);
}

/// It is not sent after all; its deadline ends it.
void give_back(OwnedShard& shard, InHand* in_hand, const SagaSend& send, MonotonicTime now) {
  Participants& participants = shard.lasting.participants;
  participants.ended(send.participant, Outcome::returned(), participants.is_probe(send.participant), now,
                     shard.ownership.store_time(now));
  if (in_hand == nullptr) return;
  in_hand->calls -= std::min<std::size_t>(in_hand->calls, 1);
  shard.memory.touch(*in_hand);
}

}  // namespace

/// A step of the generator SplitMix64; as of a lane.
double ShardLasting::unit_random() {
  random_state += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = random_state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  mixed ^= mixed >> 31U;
  return static_cast<double>(mixed >> 11U) * 0x1.0p-53;
}

Shard::Shard(ShardOptions options, std::uint64_t seed, Sharing sharing) : lasting_(options, seed, sharing) {}
Shard::~Shard() = default;

void Shard::begin(const Owner& owner, Taken taken, MonotonicTime asked_at) {
  forget();
  Ownership ownership{.owner = owner,
                      .incarnation = *lasting_.incarnations.insert(std::move(taken.incarnation)).first,
                      .turn = taken.turn,
                      .lease = lasting_.options.lease};
  ownership.renewed(asked_at, lasting_.options.lease);
  ownership.follow_clock(taken.now, asked_at);
  owned_ = std::make_unique<OwnedShard>(lasting_, std::move(ownership));
  owned_->absences = taken.position.absences;
  note_absence(*owned_, taken.position.clock, taken.now);
  owned_->grace_until = taken.now + lasting_.options.grace;
  begin_reading(*owned_, taken);
}

void Shard::forget() {
  owned_.reset();
  lasting_.participants.clear();
}

void Shard::give_up() {
  if (owned_) owned_->is_giving_up = true;
}

LookFor Shard::look_for(MonotonicTime now) {
  MAKEGOOD_ASSERT(owned_);
  OwnedShard& shard = *owned_;
  shard.asked_at = now;
  const std::size_t free = room(shard);
  return {.owner = shard.ownership.owner,
          .after = shard.ownership.turn,
          .is_thorough = !shard.log.has_looked() || shard.log.is_stopped(),
          .reached = shard.log.reached(),
          .open = shard.log.open(),
          .rows_max = lasting_.is_stopping ? 0 : std::min(free, lasting_.options.batch_rows_max),
          .bytes_max = lasting_.options.batch_bytes_max};
}

/// What was read and not decided on is read again.
void Shard::look_failed() {
  if (!owned_) return;
  if (!is_mutant("saga_rows_are_passed")) owned_->log.fall_back(owned_->committed_position);
  owned_->rows.clear();
  owned_->forget_answers();
  owned_->has_passed_rows = false;
}

void Shard::read(Found found, MonotonicTime now) {
  MAKEGOOD_ASSERT(owned_ && !owned_->draft && owned_->rows.empty());
  OwnedShard& shard = *owned_;
  note_absence(shard, shard.ownership.store_now, found.now);  // Of the store: we were here.
  // It may be set back before any turn has said how far ahead it was.
  shard.grace_until = std::min(shard.grace_until, found.now + lasting_.options.grace);
  shard.ownership.follow_clock(found.now, now);
  lasting_.participants.hear(found.now);
  if (shard.log.watch(found)) {
    lasting_.alarms.push_back(error_of(shard.log.trouble()));
    shard.has_passed_rows = true;
  }
  shard.is_more = !shard.log.is_stopped() && found.is_more;
  if (shard.log.is_stopped()) return;
  shard.log.follow(found);
  for (const MessagePtr& row : found.rows) take_row(shard, row);
  shard.log.replace_open(std::move(found.open));
  shard.log.pass(found);
  shard.has_passed_rows = shard.has_passed_rows || !found.rows.empty();
}

ShardNeeds Shard::needs() {
  MAKEGOOD_ASSERT(owned_);
  return needs_of(*owned_);
}

void Shard::supply(const ShardNeeds& needed, ShardSupply supply) {
  MAKEGOOD_ASSERT(owned_);
  take_supply(*owned_, needed, std::move(supply));
}

const SagaTurn* Shard::decide(MonotonicTime now) {
  MAKEGOOD_ASSERT(owned_ && !owned_->draft);
  OwnedShard& shard = *owned_;
  shard.draft.emplace(SagaTurn{.turn = {.owner = shard.ownership.owner,
                                        .after = shard.ownership.turn,
                                        .lease = shard.is_giving_up ? Duration::zero() : lasting_.options.lease}});
  decide_all(shard, now);
  if (says_anything(shard) || now >= shard.ownership.renewal_at()) {
    keep_up(shard, now);
    return &*shard.draft;
  }
  MAKEGOOD_ASSERT(shard.drafted_sends.empty());
  shard.drafted_news.clear();
  // They have ended, and were read for a request that is not in hand any more.
  for (const Sequence number : std::exchange(shard.leaving, {})) shard.memory.remove(number);
  shard.draft.reset();
  // What is due cannot be read: it must not be asked for again at once.
  if (std::exchange(shard.is_due_taken, false))
    shard.next_due = shard.ownership.store_now + lasting_.options.park_after;
  return nullptr;
}

void Shard::committed(const Committed& committed, MonotonicTime now) {
  MAKEGOOD_ASSERT(owned_ && owned_->draft);
  OwnedShard& shard = *owned_;
  const bool is_given_up = shard.is_giving_up;
  shard.ownership.turn = committed.turn;
  shard.ownership.renewed(shard.asked_at, lasting_.options.lease);
  shard.committed_position = shard.draft->turn.position;
  shard.log.committed(committed.mark.value_or(shard.draft->turn.mark));
  for (const Sequence number : std::exchange(shard.leaving, {})) shard.memory.remove(number);
  std::ranges::move(std::exchange(shard.drafted_sends, {}), std::back_inserter(shard.outgoing));
  std::ranges::move(std::exchange(shard.drafted_news, {}), std::back_inserter(lasting_.news));
  kept_up(shard, committed, now);
  shard.is_more = shard.is_more || !shard.draft->requests.empty();  // What was asked for is read at once.
  shard.draft.reset();
  shard.has_passed_rows = false;
  if (std::exchange(shard.is_due_taken, false)) shard.is_next_due_known = false;
  if (is_given_up) forget();
}

void Shard::answered(std::vector<Report> reports, MonotonicTime now) {
  if (!owned_) return;
  OwnedShard& shard = *owned_;
  for (Report& report : reports) {
    auto call = shard.in_flight.extract(report.ticket);
    if (call.empty()) continue;
    const TimePoint store_now = shard.ownership.store_time(now);
    lasting_.participants.ended(call.mapped().participant, judged_by_outbox(report.reply), call.mapped().is_probe, now,
                                store_now);
    shard.replies.push_back({std::move(call.mapped()), std::move(report.reply)});
  }
}

std::vector<SagaCallOut> Shard::release(MonotonicTime now) {
  std::vector<SagaCallOut> calls;
  if (!owned_ || now >= owned_->ownership.send_until()) return calls;
  OwnedShard& shard = *owned_;
  for (auto& [number, send] : std::exchange(shard.outgoing, {})) {
    InHand* in_hand = shard.memory.find(number);
    const bool may_go = in_hand != nullptr && has_way(send, lasting_.participants) &&
                        may_leave(*in_hand, send, shard.ownership.store_time(now));
    if (!may_go) {
      give_back(shard, in_hand, send, now);
      continue;
    }
    calls.push_back(call_out(*in_hand, send, lasting_.participants, ++lasting_.last_ticket));
    const SagaCallOut& call = calls.back();
    shard.in_flight.emplace(call.ticket,
                            SagaCallInFlight{.execution = number,
                                             .step = call.step,
                                             .participant = send.participant,
                                             .direction = call.direction,
                                             .round = call.round,
                                             .attempt = call.attempt,
                                             .is_probe = lasting_.participants.is_probe(send.participant)});
  }
  return calls;
}

MonotonicTime Shard::next_exchange(MonotonicTime now) const {
  if (!owned_) return MonotonicTime::max();
  const OwnedShard& shard = *owned_;
  const bool may_load = room(shard) > 0 && !lasting_.is_stopping;
  const bool has_to_load = may_load && (!shard.recovery.is_over() || !shard.is_next_due_known || shard.is_more);
  const bool is_touched = !shard.memory.touched().empty();
  const bool has_work =
      is_touched || !shard.replies.empty() || shard.is_giving_up || !shard.wanted.empty() || !shard.log.has_looked();
  if (has_work || has_to_load) return now;
  MonotonicTime next = shard.ownership.renewal_at();
  const auto at = [&](const std::optional<TimePoint>& time) {
    if (!time) return;
    const Duration ahead = *time - shard.ownership.store_now;
    next = std::min(next, shard.ownership.store_now_at + ahead);
  };
  at(shard.memory.next_wake());
  if (may_load) at(shard.next_due);
  return next;
}

MonotonicTime Shard::send_until() const { return owned_ ? owned_->ownership.send_until() : MonotonicTime(); }

void Shard::assert_consistent() const {
  if (!owned_ || owned_->draft) return;
  const OwnedShard& shard = *owned_;
  shard.memory.assert_consistent();
  MAKEGOOD_ASSERT(shard.drafted_sends.empty() && shard.leaving.empty());
  // Beside those that there is room for: what a batch of requests speaks of, and what is answered after it has left.
  const std::size_t beside = lasting_.options.batch_rows_max + shard.in_flight.size() + shard.replies.size();
  MAKEGOOD_ASSERT(shard.memory.count() <= lasting_.options.executions_max + beside);
}

std::vector<Error> Shard::take_alarms() {
  std::ranges::move(lasting_.participants.take_alarms(), std::back_inserter(lasting_.alarms));
  return std::exchange(lasting_.alarms, {});
}

ShardFigures Shard::figures() const {
  if (!owned_) return {};
  return {.is_owner = true,
          .in_memory = owned_->memory.count(),
          .in_flight = owned_->in_flight.size(),
          .open_circuits = lasting_.participants.broken_count()};
}

}  // namespace makegood::core
