// One decision of the shard: answers, requests and timers become records, and these the rows of a turn.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/json.hpp"
#include "base/saga_calls.hpp"
#include "core/mutant.hpp"
#include "core/saga/owned_shard.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

/// Nobody is looked at more often, whatever it waits for.
constexpr Duration wake_floor = 20ms;
/// As what the lowest execution in memory is kept in a position.
constexpr std::string_view under_way_name = "saga";

/// What one decision needs from the shard.
class Around final : public SagaSurroundings {
 public:
  Around(OwnedShard& shard, MonotonicTime now) : shard_(shard), now_(now) {}
  TimePoint now() const override { return shard_.ownership.store_now; }
  double unit_random() override { return shard_.lasting.unit_random(); }
  bool take_place(const std::string& uri) override {
    if (shard_.lasting.is_stopping) return false;
    return leaves_with_turn(uri) || shard_.lasting.participants.take_place(uri, now_);
  }
  TimePoint next_place(const std::string& uri) const override {
    return now() + shard_.lasting.participants.wait_for_place(uri, now_);
  }
  std::string participant_at(const std::string& uri) const override {
    return std::string(shard_.lasting.participants.name_of(uri));
  }
  bool is_missing(const std::string& uri) const override { return shard_.lasting.participants.is_missing(uri); }
  Duration downtime_since(TimePoint time) const override {
    Duration total{};
    for (const Position::Absence& absence : shard_.absences) {
      total += std::max<Duration>(absence.until - std::max(absence.from, time), {});
    }
    return total;
  }
  bool do_deadlines_count() const override { return now() >= shard_.grace_until || is_mutant("saga_timers_at_start"); }
  std::size_t revisions_max() const override { return shard_.lasting.options.revisions_max; }

 private:
  OwnedShard& shard_;
  MonotonicTime now_;
};

/// Before it is heard, while the attempt is still open.
void tell_step(OwnedShard& shard, const Execution& execution, std::size_t index, const SagaAnswer& answer) {
  if (answer.direction != Direction::action || answer.is_accepted) return;
  const Attempt* attempt = execution.facts(index).actions().find(answer.round, answer.attempt);
  if (attempt == nullptr) return;
  shard.drafted_news.push_back({.kind = SagaNews::Kind::step_ended,
                                .definition = std::string(execution.start().topic),
                                .tenant_id = std::string(execution.tenant_id()),
                                .id = std::string(execution.id()),
                                .step = answer.step,
                                .code = answer.code,
                                .took = shard.ownership.store_now - attempt->began});
}

void hear_reply(OwnedShard& shard, Around& around, const ReplyInHand& each) {
  InHand* in_hand = shard.memory.find(each.call.execution);
  if (in_hand == nullptr) {
    // It came after the store was asked. What is gone cannot be read, and that was told.
    if (!shard.gone.contains(each.call.execution)) shard.replies.push_back(each);
    return;
  }
  in_hand->calls -= std::min<std::size_t>(in_hand->calls, 1);
  const auto index = in_hand->execution.index_of(each.call.step);
  if (!index) return;
  SagaAnswer answer{
      .step = each.call.step, .direction = each.call.direction, .round = each.call.round, .attempt = each.call.attempt};
  const bool was_ever_ok = in_hand->execution.facts(*index).actions().was_ever_ok();
  judge_by_saga(each.reply, in_hand->execution.step(*index), was_ever_ok, answer);
  tell_step(shard, in_hand->execution, *index, answer);
  Draft draft(in_hand->execution, around, in_hand->decided);
  hear(draft, answer);
  shard.memory.touch(*in_hand);
}

/// What was under way when somebody else had them in memory may be done.
void take_over_read_back(OwnedShard& shard, Around& around) {
  for (InHand* in_hand : shard.memory.touched()) {
    if (!std::exchange(in_hand->is_read_back, false) || in_hand->execution.has_ended()) continue;
    Draft draft(in_hand->execution, around, in_hand->decided);
    take_over(draft);
  }
}

SagaNews::Kind news_of(SagaState ended) {
  if (ended == SagaState::completed) return SagaNews::Kind::completed;
  if (ended == SagaState::compensated) return SagaNews::Kind::compensated;
  return ended == SagaState::cancelled ? SagaNews::Kind::cancelled : SagaNews::Kind::failed;
}

void tell(OwnedShard& shard, const Execution& execution, SagaNews::Kind kind) {
  shard.drafted_news.push_back(
      {.kind = kind,
       .definition = std::string(execution.start().topic),
       .tenant_id = std::string(execution.tenant_id()),
       .id = std::string(execution.id()),
       .step = execution.failed_step(),
       .code = execution.code(),
       .output = kind == SagaNews::Kind::completed ? execution.output() : std::string(),
       .took = execution.has_begun() ? shard.ownership.store_now - execution.begun_at() : Duration::zero()});
}

void use(OwnedShard& shard, Around& around, const RowInHand& each, const AboutExecution& about) {
  InHand* in_hand = shard.memory.find(each.row->tenant_id, about.id);
  if (in_hand == nullptr) return;
  Draft draft(in_hand->execution, around, in_hand->decided);
  if (const auto* answer = std::get_if<SagaAnswer>(&about.what)) hear(draft, *answer);
  if (const auto* request = std::get_if<SagaRequest>(&about.what)) {
    const DefinitionName target(std::string(in_hand->execution.start().topic), request->version);
    carry_out(draft, *request, request->version == 0 ? nullptr : shard.definitions.find(target));
  }
  shard.memory.touch(*in_hand);
}

void use_row(OwnedShard& shard, Around& around, const RowInHand& each) {
  if (std::holds_alternative<StartAsked>(each.request)) return shard.memory.touch(shard.memory.add(each.row));
  if (std::holds_alternative<DefinitionPut>(each.request)) return;  // What is the newest was asked for again.
  if (const auto* about = std::get_if<AboutExecution>(&each.request)) return use(shard, around, each, *about);
  shard.lasting.alarms.push_back({Errc::invalid, "A request in the saga's log is not understood and was passed over.",
                                  std::get<NotUnderstood>(each.request).why});
}

SagaSummary summary_of(const Execution& execution, std::string_view waits_for) {
  std::string step = execution.failed_step();
  if (const auto group = step.empty() ? execution.current_group() : std::nullopt) {
    for (std::size_t index = 0; index < execution.step_count() && step.empty(); ++index) {
      const bool is_here = execution.step(index).group == *group && !execution.facts(index).is_finished();
      if (is_here) step = execution.step(index).name;
    }
  }
  return {.execution = execution.number(),
          .tenant_id = std::string(execution.tenant_id()),
          .id = std::string(execution.id()),
          .definition = std::string(execution.start().topic),
          .version = execution.definition() ? execution.definition()->version : 0,
          .state = state_of(execution, waits_for),
          .waits_for = std::string(waits_for),
          .step = std::move(step),
          .code = execution.code(),
          .error = execution.error(),
          .started_at = execution.has_begun() ? execution.begun_at() : execution.start().available_at};
}

std::string as_json(const std::vector<std::string>& names) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartArray();
  for (const std::string& name : names) json::write_text(writer, name);
  writer.EndArray();
  return {text.GetString(), text.GetSize()};
}

/// The completion of an execution, for whoever listens on the outbox.
NewMessage end_message(const Execution& execution) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartObject();
  json::write(writer, "execution", execution.id());
  json::write(writer, "definition", execution.start().topic);
  json::write(writer, "state", makegood::to_string(*execution.ended_as()));
  if (!execution.code().empty()) json::write(writer, "code", std::string_view(execution.code()));
  if (!execution.output().empty()) {
    json::write_name(writer, "output");
    writer.RawValue(execution.output().data(), execution.output().size(), rapidjson::kObjectType);
  }
  writer.EndObject();
  return {.topic = execution.definition()->on_end_topic,
          .payload = {text.GetString(), text.GetSize()},
          .event_id = event_id_for("saga:" + std::string(execution.id()) + ":" + std::to_string(execution.endings())),
          .tenant_id = std::string(execution.tenant_id()),
          .dispatch_key = std::string(execution.id()),
          .traceparent = std::string(execution.start().traceparent),
          .tracestate = std::string(execution.start().tracestate)};
}

bool is_recorded(const InHand& in_hand, RecordKind kind) {
  return std::ranges::find(in_hand.decided.records, kind, &SagaRecord::kind) != in_hand.decided.records.end();
}

/// Nobody can do more about it now; if the request runs after all and answers, it is compensated once more.
void tell_unverified(OwnedShard& shard, const Execution& execution) {
  const std::vector<std::string> steps = execution.unverified_steps();
  if (steps.empty()) return;
  tell(shard, execution, SagaNews::Kind::unverified);
  shard.lasting.alarms.push_back(
      {Errc::not_compensable, "Executions of " + std::string(execution.start().topic) +
                                  " are undone while a request of " + steps.front() +
                                  " of which nothing is known may still run; look at its participant."});
}

void tell_parent(OwnedShard& shard, const Execution& child, bool is_refused) {
  if (!child.parent() || is_mutant("saga_child_end_is_not_told")) return;
  for (const SagaAnswer& answer : answers_of_child(child, is_refused)) {
    NewMessage row = answer_row(child.parent()->execution, answer);
    row.tenant_id = child.tenant_id();
    shard.draft->requests.push_back(std::move(row));
  }
}

void write_end(OwnedShard& shard, InHand& in_hand) {
  const Execution& execution = in_hand.execution;
  shard.leaving.push_back(execution.number());
  if (std::exchange(in_hand.is_parked, false)) shard.draft->unparked.push_back(execution.number());
  if (!is_recorded(in_hand, RecordKind::ended)) return;
  if (in_hand.had_ended) shard.draft->reopened.push_back(execution.number());
  const auto open = execution.open_steps();
  shard.draft->ends.push_back(
      {.summary = summary_of(execution, {}),
       .revision = in_hand.revision,
       .output = execution.output(),
       .open = open.empty() || is_mutant("saga_open_is_not_listed") ? std::string() : as_json(open)});
  if (execution.definition() && !execution.definition()->on_end_topic.empty()) {
    shard.draft->messages.push_back(end_message(execution));
  }
  tell(shard, execution, news_of(*execution.ended_as()));
  tell_unverified(shard, execution);
  leave_key(shard, execution);
  in_hand.decided.must_tell_parent = true;
}

void park(OwnedShard& shard, InHand& in_hand, const Outlook& outlook) {
  shard.draft->parked.push_back({.summary = summary_of(in_hand.execution, outlook.waits_for),
                                 .due_at = outlook.wake,
                                 .key = in_hand.waits_for_key ? std::string(in_hand.execution.key()) : std::string()});
  shard.leaving.push_back(in_hand.execution.number());
  if (outlook.wake && (!shard.next_due || *outlook.wake < *shard.next_due)) shard.next_due = outlook.wake;
}

void keep(OwnedShard& shard, InHand& in_hand, std::optional<TimePoint> wake) {
  if (std::exchange(in_hand.is_parked, false)) shard.draft->unparked.push_back(in_hand.execution.number());
  shard.memory.set_wake(in_hand, wake);
}

/// What should have been looked at already waits for a deadline that does not count yet, or found nothing to do: the
/// same wake-up must not follow at once.
std::optional<TimePoint> next_look(const OwnedShard& shard, const std::optional<TimePoint>& wake) {
  const TimePoint now = shard.ownership.store_now;
  if (!wake || *wake > now) return wake;
  return std::max(now + wake_floor, shard.grace_until);
}

bool should_park(const OwnedShard& shard, const InHand& in_hand, const std::optional<TimePoint>& wake) {
  if (!in_hand.execution.has_begun()) return true;
  if (in_hand.calls > 0 || !in_hand.decided.sends.empty()) return false;
  return !wake || *wake > shard.ownership.store_now + shard.lasting.options.park_after;
}

/// It had failed, and somebody wants it tried again: that is neither a late answer nor somebody who has settled it.
bool is_replayed(const InHand& in_hand) {
  const std::vector<SagaRecord>& records = in_hand.decided.records;
  const auto reopened = std::ranges::find(records, RecordKind::reopened, &SagaRecord::kind);
  if (reopened == records.end() || reopened->request == 0) return false;
  return std::ranges::none_of(records, [&](const SagaRecord& record) {
    return record.kind == RecordKind::resolved && record.request == reopened->request;
  });
}

void write_journal(OwnedShard& shard, InHand& in_hand) {
  std::vector<SagaRecord>& records = in_hand.decided.records;
  if (records.empty()) return;
  ++in_hand.revision;
  in_hand.execution.count_revision();
  shard.draft->journal.push_back({in_hand.execution.number(), in_hand.revision, encode(records)});
  if (is_recorded(in_hand, RecordKind::turned_back)) tell(shard, in_hand.execution, SagaNews::Kind::compensating);
  if (is_recorded(in_hand, RecordKind::to_manual)) tell(shard, in_hand.execution, SagaNews::Kind::manual);
  if (is_replayed(in_hand)) tell(shard, in_hand.execution, SagaNews::Kind::replayed);
}

void settle(OwnedShard& shard, const Around& around, InHand& in_hand) {
  const Execution& execution = in_hand.execution;
  write_journal(shard, in_hand);
  std::ranges::move(in_hand.decided.alarms, std::back_inserter(shard.lasting.alarms));
  if (execution.has_ended()) {
    write_end(shard, in_hand);
  } else {
    if (in_hand.had_ended) shard.draft->reopened.push_back(execution.number());
    in_hand.had_ended = false;
    Outlook outlook = outlook_of(execution, in_hand.decided, around);
    if (in_hand.waits_for_key) outlook = {.waits_for = "key"};  // It is called when the key is left.
    outlook.wake = next_look(shard, outlook.wake);
    should_park(shard, in_hand, outlook.wake) ? park(shard, in_hand, outlook) : keep(shard, in_hand, outlook.wake);
  }
  if (in_hand.decided.must_tell_parent) tell_parent(shard, execution, in_hand.decided.is_undo_refused);
  if (is_recorded(in_hand, RecordKind::turned_back)) {
    std::ranges::move(cancelled_children(execution), std::back_inserter(shard.draft->requests));
  }
  for (const SagaSend& send : in_hand.decided.posts) {
    const bool is_child = child_of(send.uri).has_value();
    if (is_child) shard.draft->requests.push_back(child_request(execution, send));
    if (!is_child) shard.draft->messages.push_back(bus_message(execution, send, shard.lasting.options.callback));
  }
  for (const SagaSend& send : in_hand.decided.sends) {
    auto& sends = is_mutant("saga_send_before_turn") ? shard.outgoing : shard.drafted_sends;
    sends.emplace_back(execution.number(), send);
    ++in_hand.calls;
  }
  in_hand.decided = {};
  in_hand.is_touched = false;
}

/// The store's clock was set back. What waits in the store moves with it; whoever waits here is looked at again.
void follow_clock(OwnedShard& shard) {
  const Duration set_back = shard.committed_position.clock - shard.ownership.store_now;
  if (set_back < clock_set_back_min || is_mutant("saga_set_back_is_ignored")) return;
  shard.draft->turn.set_back = set_back;
  shard.grace_until = std::min(shard.grace_until, shard.ownership.store_now + shard.lasting.options.grace);
  shard.memory.wake_until(TimePoint::max());
  shard.is_due_taken = true;
}

Position position_of(const OwnedShard& shard) {
  Position position{.reached = shard.log.reached(), .open = shard.log.open()};
  const bool is_set_back = shard.draft->turn.set_back > Duration::zero();
  const TimePoint now = shard.ownership.store_now;
  position.clock = is_set_back ? now : std::max(now, shard.committed_position.clock);
  position.absences = shard.absences;
  std::optional<Sequence> lowest;
  const auto lower = [&](Sequence number) { lowest = std::min(lowest.value_or(number), number); };
  std::set<Sequence> leaving(shard.leaving.begin(), shard.leaving.end());
  if (const auto staying = shard.memory.lowest_without(leaving)) lower(*staying);
  if (!shard.recovery.is_over()) lower(shard.recovery.from);
  for (const Sequence number : shard.recovered) lower(number);
  if (lowest && !is_mutant("saga_under_way_not_stored"))
    position.under_way.emplace(under_way_name, std::vector{*lowest});
  return position;
}

/// What it has to know first could not be asked for in this exchange.
bool must_wait(const OwnedShard& shard, const Execution& execution) {
  if (execution.has_begun() || execution.has_ended()) return false;
  ShardNeeds needs;
  need_to_begin(shard, execution.start(), needs);
  return !needs.empty();
}

/// One exchange could not bring all that the requests speak of, as after the taking of a large log. To decide without
/// it would be to lose them: they are read again in the next exchange, which begins at once.
void read_rows_again(OwnedShard& shard) {
  if (!is_row_unsupplied(shard) || is_mutant("saga_request_is_not_awaited")) return;
  shard.log.fall_back(shard.committed_position);
  shard.rows.clear();
  shard.has_passed_rows = false;
  shard.is_more = true;
}

void decide_on(OwnedShard& shard, Around& around, InHand& in_hand) {
  if (admit(shard, around, in_hand)) tell(shard, in_hand.execution, SagaNews::Kind::started);
  Draft draft(in_hand.execution, around, in_hand.decided);
  advance(draft);
  settle(shard, around, in_hand);
}

}  // namespace

void decide_all(OwnedShard& shard, MonotonicTime now) {
  Around around(shard, now);
  follow_clock(shard);
  take_over_read_back(shard, around);
  for (const ReplyInHand& each : std::exchange(shard.replies, {})) hear_reply(shard, around, each);
  read_rows_again(shard);
  for (const RowInHand& each : std::exchange(shard.rows, {})) use_row(shard, around, each);
  shard.memory.wake_until(shard.ownership.store_now);
  for (InHand* in_hand : shard.memory.take_touched()) {
    must_wait(shard, in_hand->execution) ? shard.memory.keep_touched(*in_hand) : decide_on(shard, around, *in_hand);
  }
  shard.draft->turn.position = position_of(shard);
  shard.draft->turn.mark = shard.log.mark();
  shard.forget_answers();
}

}  // namespace makegood::core
