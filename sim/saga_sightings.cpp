// What turns say, for the checker, for the story of an execution and for the situations that must have been met.
#include <algorithm>
#include <array>
#include <utility>

#include "base/saga_calls.hpp"
#include "sim/saga_world.hpp"

namespace makegood::sim {
namespace {

using core::Direction;
using core::RecordKind;
using core::SagaRecord;

constexpr std::array<std::pair<RecordKind, SagaSite>, 9> sites_of_kinds = {{
    {RecordKind::repinned, SagaSite::repinned},
    {RecordKind::extended, SagaSite::extended},
    {RecordKind::to_manual, SagaSite::manual},
    {RecordKind::given_up, SagaSite::given_up},
    {RecordKind::stalled, SagaSite::stalled},
    {RecordKind::lost, SagaSite::attempt_lost},
    {RecordKind::reopened, SagaSite::reopened},
    {RecordKind::skipped, SagaSite::skipped},
    {RecordKind::refused, SagaSite::refused_request},
}};

SagaSite site_of_end(SagaState state) {
  if (state == SagaState::completed) return SagaSite::completed;
  if (state == SagaState::compensated) return SagaSite::compensated;
  return state == SagaState::cancelled ? SagaSite::cancelled : SagaSite::failed;
}

}  // namespace

void SagaWorld::watch(const SagaTurn& turn) {
  for (const JournalRow& row : turn.journal) {
    const auto records = core::decode_saga_records(row.records).value();
    for (const SagaRecord& record : records) note(row.execution, record);
  }
  checker_.turn(turn);
  const bool is_set_back = turn.turn.set_back > Duration::zero();
  if (is_set_back && !database_.tables().parked.empty()) summary_.sites.hit(SagaSite::clock_set_back);
  for (const SagaEnd& end : turn.ends) {
    summary_.sites.hit(site_of_end(end.summary.state));
    if (end.summary.code == "SAGA.KEY_BUSY") summary_.sites.hit(SagaSite::key_refused);
    const bool is_kept = end.summary.state == SagaState::failed && end.summary.version != 0;
    if (is_kept && !database_.tables().log.at(end.summary.execution)->dispatch_key.empty())
      summary_.sites.hit(SagaSite::key_kept);
    tell(end.summary.id, "ended " + std::string(to_string(end.summary.state)) + ", open " + end.open);
  }
  for (const SagaKeyHeld& left : turn.keys_left) note_key(left);
  for (const SagaParked& row : turn.parked) {
    summary_.sites.hit(SagaSite::parked);
    if (!row.key.empty()) summary_.sites.hit(SagaSite::key_awaited);
    tell(row.summary.id, "parked as " + std::string(to_string(row.summary.state)));
  }
}

/// Before the checker has read the record.
void SagaWorld::note_waiting(Sequence number, const SagaRecord& record) {
  SagaSites& sites = summary_.sites;
  const SagaStory& story = checker_.story(number);
  const Message& start = *database_.tables().log.at(number);
  const bool is_later = start.available_at > start.created_at;
  if (record.kind == RecordKind::begun && is_later) sites.hit(SagaSite::begun_later);
  if (record.kind == RecordKind::ended && story.begun_at == TimePoint() && is_later && record.state == "cancelled")
    sites.hit(SagaSite::cancelled_before);
  if (record.kind == RecordKind::happened) sites.hit(record.event.empty() ? SagaSite::waited : SagaSite::event_awaited);
  const SagaStep* step = story.find(record.step);
  const bool is_event = step != nullptr && step->action.uri.starts_with("event:");
  if (is_event && record.code == "TX.TIMEOUT") sites.hit(SagaSite::event_expired);
  if (record.kind == RecordKind::awaited && is_event && story.unused_events(step->action.uri.substr(6)) > 0)
    sites.hit(SagaSite::event_early);
}

void SagaWorld::note_kinship(Sequence number, const SagaRecord& record) {
  SagaSites& sites = summary_.sites;
  const auto parent = core::read_parent(*database_.tables().log.at(number));
  const bool is_begun = parent && record.kind == RecordKind::begun;
  if (is_begun) sites.hit(SagaSite::child_begun);
  if (is_begun && parent->depth > 1) sites.hit(SagaSite::child_of_child);
  const bool is_undone = record.kind == RecordKind::turned_back && record.code == "SAGA.UNDONE_BY_PARENT";
  if (is_undone) sites.hit(SagaSite::child_undone);
  const SagaStep* step = checker_.story(number).find(record.step);
  const bool is_child = step != nullptr && child_of(step->action.uri);
  const bool has_failed = is_child && record.kind == RecordKind::answered && record.outcome == SagaOutcome::unknown;
  if (has_failed) sites.hit(SagaSite::child_failed);
  if (record.kind == RecordKind::spread)
    sites.hit(record.body == "[]" ? SagaSite::spread_for_nothing : SagaSite::spread);
  const bool is_undoing = record.kind == RecordKind::started && record.direction == Direction::compensation;
  if (is_undoing && record.step.contains('.')) sites.hit(SagaSite::item_undone);
}

/// Somebody waits for it: it is passed on.
void SagaWorld::note_key(const SagaKeyHeld& left) {
  const auto is_waiting = [&](const auto& row) {
    return row.second.key == left.key && row.second.summary.tenant_id == left.tenant_id;
  };
  if (std::ranges::any_of(database_.tables().parked, is_waiting)) summary_.sites.hit(SagaSite::key_passed);
}

void SagaWorld::note(Sequence number, const SagaRecord& record) {
  SagaSites& sites = summary_.sites;
  const SagaStory& story = checker_.story(number);
  const bool is_note = record.kind == RecordKind::noted && !record.operator_name.empty();
  const bool is_answer = (record.kind == RecordKind::answered || record.kind == RecordKind::noted) && !is_note;
  for (const auto& [kind, site] : sites_of_kinds) {
    if (kind == record.kind) sites.hit(site);
  }
  if (is_answer && record.request != 0) sites.hit(SagaSite::callback);
  if (is_answer && record.is_held) sites.hit(SagaSite::held);
  if (record.kind == RecordKind::skipped && record.code == "CONDITION") sites.hit(SagaSite::condition_false);
  if (record.kind == RecordKind::started && record.direction == Direction::check) sites.hit(SagaSite::checked);
  if (record.kind == RecordKind::to_manual && record.code == "TX.POISON") sites.hit(SagaSite::poison);
  if (record.kind == RecordKind::given_up && record.code == "TX.POISON") sites.hit(SagaSite::poison_undo);
  if (record.kind == RecordKind::to_manual && record.code == "SAGA.TOO_LONG") sites.hit(SagaSite::too_long);
  if (is_note && story.has_ended) sites.hit(SagaSite::annotated);
  if (record.kind == RecordKind::decided) {
    sites.hit(record.outcome == SagaOutcome::ok ? SagaSite::approval : SagaSite::rejected);
  }
  if (record.kind == RecordKind::round_begun) {
    sites.hit(record.direction == Direction::action ? SagaSite::new_round : SagaSite::compensated_again);
  }
  if (record.kind == RecordKind::turned_back && record.step.empty() && record.code == "TX.TIMEOUT") {
    sites.hit(SagaSite::deadline_over);
  }
  if (record.kind == RecordKind::begun) {
    const bool is_first = story.begun_at == TimePoint();
    if (record.version == 0) sites.hit(SagaSite::no_definition);
    if (record.version != 0 && !is_first) sites.hit(SagaSite::begun_after_apply);
  }
  note_waiting(number, record);
  note_kinship(number, record);
  const SagaStep* step = story.find(record.step);
  if (is_answer && step != nullptr && step->is_pivot && record.outcome == SagaOutcome::ok)
    sites.hit(SagaSite::pivot_passed);
  if (record.kind == RecordKind::noted && step != nullptr) sites.hit(SagaSite::late_answer);
  if (record.kind == RecordKind::started && step != nullptr) {
    const auto same = [&](const SagaStep& other) { return other.group == step->group && other.name != step->name; };
    if (std::ranges::any_of(story.definition->steps, same)) sites.hit(SagaSite::parallel_group);
    const auto& versions = database_.tables().definitions.at(story.definition->name);
    if (story.definition->version < static_cast<std::int64_t>(versions.size())) sites.hit(SagaSite::old_version);
  }
  const MessagePtr& row = database_.tables().log.at(number);
  tell(row->event_id, core::encode({record}));
  trace(5, static_cast<std::uint64_t>(record.kind) * 64 + static_cast<std::uint64_t>(number));
}

}  // namespace makegood::sim
