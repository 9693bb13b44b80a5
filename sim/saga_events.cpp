// Events, waits and reports of progress: who tells of them in the simulated world, and what the checker demands.
#include <algorithm>
#include <chrono>

#include "base/saga_calls.hpp"
#include "sim/saga_world.hpp"

namespace makegood::sim {
namespace {

using core::RecordKind;
using core::SagaRecord;

std::vector<std::string> events_of(const SagaDefinition& definition) {
  std::vector<std::string> events;
  for (const SagaStep& step : definition.steps) {
    if (const auto event = event_of(step.action.uri); !event.empty()) events.emplace_back(event);
  }
  return events;
}

/// What a row of the log tells of, or nothing: it is no event.
std::optional<core::AboutExecution> told_in(const Message& row) {
  if (row.topic != core::event_topic) return std::nullopt;
  return std::get<core::AboutExecution>(core::read_request(row));
}

}  // namespace

// --- The world ---

/// Of a step that waits for it, or that will.
void SagaWorld::tell_event(Sequence number, Chance& chance) {
  const SagaStory& story = checker_.story(number);
  if (!story.definition) return;
  const auto events = events_of(*story.definition);
  if (events.empty()) return;
  const std::string id(database_.tables().log.at(number)->event_id);
  core::SagaRequest event{.verb = "event", .event = events[chance.below(events.size())]};
  event.body = R"({"id":"event-)" + std::to_string(current_step_) + R"("})";
  append(core::request_row(id, event), chance);
}

// --- The checker ---

void SagaChecker::check_waiting(Sequence number, const SagaRecord& record) {
  if (record.kind == RecordKind::event_kept) return check_event(number, record);
  if (record.kind == RecordKind::refused) told_[number].insert(record.request);
  if (record.kind == RecordKind::happened) check_happening(number, record);
  const bool is_over = record.kind == RecordKind::turned_back || record.kind == RecordKind::to_manual ||
                       (record.kind == RecordKind::skipped && record.code == "TX.TIMEOUT");
  if (is_over) check_expiry(number, record);
}

void SagaChecker::check_event(Sequence number, const SagaRecord& record) {
  if (!told_[number].insert(record.request).second) violated("event", number, "keeps one event twice");
  const auto row = database_.tables().log.find(record.request);
  if (row == database_.tables().log.end()) return violated("event", number, "keeps an event that nobody told of");
  const auto told = told_in(*row->second);
  const auto* event = told ? std::get_if<core::SagaRequest>(&told->what) : nullptr;
  const bool is_it = event != nullptr && told->id == id_of(number) && event->event == record.event;
  if (!is_it) violated("event", number, "keeps another event than was told of");
}

void SagaChecker::check_happening(Sequence number, const SagaRecord& record) {
  const SagaStory& story = stories_[number];
  const SagaStep& step = *story.find(record.step);
  const auto seen = story.steps.find(record.step);
  if (seen == story.steps.end() || !seen->second.waits_since) {
    return violated("event", number, "is through with " + record.step + " before it has waited");
  }
  if (story.is_turned_back || story.has_ended) violated("event", number, "goes on with " + record.step + " at its end");
  if (const auto wait = wait_of(step.action.uri)) {
    const bool is_early = record.at < *seen->second.waits_since + *wait;
    if (is_early && is_clock_steady_) violated("wait", number, "did not wait long enough at " + record.step);
    return;
  }
  const std::string event(event_of(step.action.uri));
  if (story.unused_events(event) == 0) violated("event", number, "goes on without an event at " + record.step);
}

/// Nobody was told of it in time, and had time to say so.
void SagaChecker::check_expiry(Sequence number, const SagaRecord& record) {
  const SagaStory& story = stories_[number];
  const SagaStep* step = story.find(record.step);
  if (step == nullptr || record.code != "TX.TIMEOUT" || event_of(step->action.uri).empty()) return;
  if (story.unused_events(std::string(event_of(step->action.uri))) > 0) {
    violated("event", number, "says that the event of " + record.step + " did not come, and it did");
  }
  if (!is_clock_steady_) return;
  if (record.at < taken_at_ + grace_) violated("P6", number, "let " + record.step + " expire right after a taking");
  if (record.at < *story.steps.at(record.step).waits_since + step->timeout) {
    violated("event", number, "did not wait long enough for the event of " + record.step);
  }
}

/// The start says when at the earliest.
void SagaChecker::check_begin(Sequence number, const SagaRecord& record) {
  const Message& start = *database_.tables().log.at(number);
  const bool is_early = start.available_at > start.created_at && record.at < start.available_at;
  if (is_early && is_clock_steady_) violated("start_at", number, "began before its time");
}

/// Only of what has neither answered nor passed its deadline.
void SagaChecker::check_extension(Sequence number, const std::string& step, const SagaRecord& record) {
  if (record.direction == core::Direction::check) return;
  const SeenStep& seen = stories_[number].steps[step];
  const auto& attempts = record.direction == core::Direction::action ? seen.actions : seen.compensations;
  const auto attempt = attempts.find({record.round, record.attempt});
  const bool is_open = attempt != attempts.end() && !attempt->second.outcome && !attempt->second.is_denied;
  if (!is_open) violated("P7", number, "gives more time to an attempt at " + step + " that was over");
}

/// What the journal still names when the database has fallen back.
void SagaChecker::note_told(Sequence number, const std::vector<JournalRow>& rows) {
  for (const JournalRow& row : rows) {
    for (const SagaRecord& record : core::decode_saga_records(row.records).value()) {
      const bool is_told = record.kind == RecordKind::event_kept || record.kind == RecordKind::refused;
      if (is_told) told_[number].insert(record.request);
    }
  }
}

/// What was told of an execution that had begun is kept, or refused.
void SagaChecker::settle_events() {
  const SagaTables& tables = database_.tables();
  for (const auto& [request, row] : tables.log) {
    const auto told = told_in(*row);
    if (!told) continue;
    const auto start = tables.starts.find({std::string(row->tenant_id), told->id});
    if (start == tables.starts.end() || start->second > request || tainted_.contains(start->second)) continue;
    if (!told_[start->second].contains(request))
      violated("event", start->second, "was told of an event and lost it: request " + std::to_string(request));
  }
}

}  // namespace makegood::sim
