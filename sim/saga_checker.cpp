#include "sim/saga_checker.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <ranges>

#include "base/json.hpp"
#include "base/saga_calls.hpp"
#include "base/saga_json.hpp"

namespace makegood::sim {
namespace {

using core::Direction;
using core::RecordKind;
using core::SagaRecord;

constexpr std::size_t deaths_max = 5;

std::vector<std::string> names_in(const std::string& json) {
  std::vector<std::string> names;
  if (json.empty()) return names;
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  for (const auto& each : document.GetArray()) names.emplace_back(each.GetString(), each.GetStringLength());
  return names;
}

/// Answers of somebody who was not reached, or is not the participant: they cost nothing and lead to nothing.
bool is_no_word(const std::string& code) {
  static constexpr std::array codes = {"SIM.DOWN", "HTTP.429", "HTTP.503"};
  return std::ranges::find(codes, code) != codes.end();
}

}  // namespace

void SagaChecker::violated(const std::string& promise, Sequence number, const std::string& sentence) {
  if (violations_.empty()) culprit_ = id_of(number);
  violations_.push_back(promise + ": " + id_of(number) + " " + sentence);
}

std::string SagaChecker::id_of(Sequence number) const {
  const auto found = database_.tables().log.find(number);
  return found == database_.tables().log.end() ? std::to_string(number) : std::string(found->second->event_id);
}

void SagaChecker::taken(TimePoint last) {
  taken_at_ = database_.now();
  looked(last);
}

void SagaChecker::looked(TimePoint last) {
  if (last == TimePoint() || database_.now() - last <= lease_) return;
  absences_.emplace_back(last, database_.now());
  taken_at_ = database_.now();
}

Duration SagaChecker::downtime_since(TimePoint time) const {
  auto sorted = absences_;
  std::ranges::sort(sorted);
  Duration total{};
  for (const auto& [from, until] : sorted) {
    const TimePoint begin = std::max(from, time);
    if (until <= begin) continue;
    total += until - begin;
    time = until;
  }
  return total;
}

SagaDefinitionPtr SagaChecker::definition_of(Sequence number, const SagaRecord& record) const {
  const SagaTables& tables = database_.tables();
  const auto versions = tables.definitions.find(tables.log.at(number)->topic);
  if (record.version == 0 || versions == tables.definitions.end()) return nullptr;
  const auto& row = versions->second.at(static_cast<std::size_t>(record.version) - 1);
  auto definition = decode_saga_definition(row.document).value();
  definition.version = row.version;
  return std::make_shared<const SagaDefinition>(std::move(definition));
}

void SagaChecker::turn(const SagaTurn& turn) {
  for (const JournalRow& row : turn.journal) {
    const auto journal = database_.tables().journal.find(row.execution);
    const std::size_t before = journal == database_.tables().journal.end() ? 0 : journal->second.size();
    if (row.revision != static_cast<std::int64_t>(before) + 1) {
      violated("journal", row.execution, "has a revision that does not follow the last one");
    }
    const auto records = core::decode_saga_records(row.records).value();
    for (const SagaRecord& record : records) {
      check(row.execution, record);
      const auto definition = core::names_version(record.kind) ? definition_of(row.execution, record) : nullptr;
      stories_[row.execution].apply(record, definition);
      check_message(row.execution, record, turn.messages);
      check_child(row.execution, record, turn.requests);
      if (record.kind != RecordKind::started) continue;
      durable_.emplace(row.execution, record.step, record.direction, record.round, record.attempt);
    }
    ++stories_[row.execution].revisions;
  }
  for (const SagaEnd& end : turn.ends) check_end(end);
  for (const SagaParked& row : turn.parked) check_queue(row);
}

void SagaChecker::applied(const std::string& name, Sequence number) {
  applied_[name][number] = static_cast<std::int64_t>(database_.tables().definitions.at(name).size());
}

/// Whoever starts one after a new version was committed gets that version, or a newer one.
void SagaChecker::check_version(Sequence number, const SagaRecord& record) {
  const Message& start = *database_.tables().log.at(number);
  const auto versions = applied_.find(std::string(start.topic));
  if (versions == applied_.end() || !start.headers.empty()) return;
  for (const auto& [request, version] : versions->second) {
    const bool is_older = request < number && database_.tables().log.contains(request);
    if (is_older && record.version < version) violated("S10", number, "began with a version that is not the newest");
  }
}

/// Executions of one tenant and key run one after the other.
void SagaChecker::check_key(Sequence number, const SagaRecord& record) {
  const SagaTables& tables = database_.tables();
  const Message& start = *tables.log.at(number);
  if (start.dispatch_key.empty() || record.version == 0) return;
  for (const auto& [other, story] : stories_) {
    if (other == number || !story.holds_key()) continue;
    const Message& row = *tables.log.at(other);
    const bool is_of_key = row.tenant_id == start.tenant_id && row.dispatch_key == start.dispatch_key;
    if (is_of_key) violated("P8", number, "began while " + id_of(other) + " holds its key");
  }
}

/// Whoever said that it does not want to wait for a key does not.
void SagaChecker::check_queue(const SagaParked& row) {
  const std::string_view headers = database_.tables().log.at(row.summary.execution)->headers;
  const bool may_wait = headers.find("saga-on-busy") == std::string_view::npos || headers.contains(R"("queue")");
  if (!row.key.empty() && !may_wait)
    violated("P8", row.summary.execution, "waits for a key although it was to be refused");
}

void SagaChecker::check(Sequence number, const SagaRecord& record) {
  check_waiting(number, record);
  if (record.kind == RecordKind::spread) return check_spread(number, record);
  if (record.kind == RecordKind::begun) {
    note_forgotten_parent(number);
    check_begin(number, record);
    check_key(number, record);
    return check_version(number, record);
  }
  const SagaStory& story = stories_[number];
  if (record.kind == RecordKind::turned_back) return check_turning(number, record);
  const SagaStep* step = story.find(record.step);
  if (step == nullptr) return;
  if (record.kind == RecordKind::resolved) return note_resolution(number, *step, record);
  if (record.kind == RecordKind::extended) return check_extension(number, step->name, record);
  if (record.kind == RecordKind::answered) return check_answer(number, *step, record);
  if (record.kind == RecordKind::given_up) return check_giving_up(number, record);
  if (record.kind != RecordKind::started) return;
  if (story.revisions > revisions_max_) violated("length", number, "goes on although its journal is too long");
  if (story.deaths(record.step, record.direction) >= deaths_max) {
    violated("P6", number, "began " + record.step + " once more, over which its owners die");
  }
  if (story.has_ended || story.is_paused || story.is_manual) {
    violated("state", number, "began " + record.step + " although it stands or has ended");
  }
  check_pinned(number, *step, record);
  check_item(number, record);
  if (record.direction == Direction::action) check_action(number, *step, record);
  if (record.direction == Direction::compensation) check_compensation(number, *step, record);
}

/// It goes by the version that its journal names.
void SagaChecker::check_pinned(Sequence number, const SagaStep& step, const SagaRecord& record) {
  const bool is_back = record.direction == Direction::compensation;
  const Duration lasts = is_back ? step.compensation_timeout : step.timeout;
  if (record.until != record.at + lasts) violated("S10", number, "began " + step.name + " by another version");
}

void SagaChecker::check_giving_up(Sequence number, const SagaRecord& record) {
  const SagaStory& story = stories_[number];
  const Duration tried_for = record.at - story.turned_back_at - downtime_since(story.turned_back_at);
  const bool kills = record.code == "TX.POISON" && story.deaths(record.step, Direction::compensation) >= deaths_max;
  if (is_clock_steady_ && !kills && tried_for < story.definition->give_up_after) {
    violated("P6", number, "gave up the compensation of " + record.step + " too early");
  }
  if (!story.has_tried_to_undo(record.step)) {
    violated("P6", number, "gave up the compensation of " + record.step + " without an attempt");
  }
}

void SagaChecker::check_action(Sequence number, const SagaStep& step, const SagaRecord& record) {
  SagaStory& story = stories_[number];
  if (story.is_turned_back) violated("P7", number, "began the action of " + step.name + " after it had turned back");
  for (const SagaStep& other : story.definition->steps) {
    if (other.group < step.group && !story.is_finished(other)) {
      violated("order", number, "began " + step.name + " before " + other.name + " was done");
    }
  }
  for (const auto& [at, attempt] : story.steps[step.name].actions) {
    const bool is_no =
        attempt.is_denied || attempt.outcome == SagaOutcome::fail || attempt.outcome == SagaOutcome::retry;
    if (step.participant == SagaPromise::plain && !is_no) {
      violated("P7", number, "repeated " + step.name + ", which may be done, at a plain participant");
    }
    if (at.first < record.round && record.attempt == 1 && story.may_be_done(step)) {
      return violated("P7", number, "used a new key for " + step.name + " while an attempt may be done");
    }
  }
}

void SagaChecker::check_compensation(Sequence number, const SagaStep& step, const SagaRecord& record) {
  const SagaStory& story = stories_[number];
  if (!story.is_turned_back) violated("P7", number, "compensates " + step.name + " without having turned back");
  if (!story.may_be_done(step)) violated("P7", number, "compensates " + step.name + ", which was certainly not done");
  if (step.participant != SagaPromise::barrier && story.may_still_run(step, record.at)) {
    violated("P7", number, "compensates " + step.name + " while an attempt of it may still run");
  }
  const bool is_first = record.round == 1 && record.attempt == 1;
  if (is_first && !story.definition->compensates_in_parallel) check_order(number, step);
}

void SagaChecker::check_order(Sequence number, const SagaStep& step) {
  const SagaStory& story = stories_[number];
  for (const SagaStep& later : story.definition->steps | std::views::reverse) {
    if (later.name == step.name) return;
    const auto seen = story.steps.find(later.name);
    const bool is_passed = seen != story.steps.end() && (seen->second.is_stalled || seen->second.is_given_up);
    const bool is_waiting = later.group == step.group && story.may_still_run(later, TimePoint());
    if (story.is_settled(later) || !later.compensation || is_passed || is_waiting) continue;
    violated("P7", number, "compensates " + step.name + " before " + later.name);
  }
}

void SagaChecker::check_turning(Sequence number, const SagaRecord& record) {
  const SagaStory& story = stories_[number];
  for (const SagaStep& step : story.definition->steps) {
    if (!step.is_pivot) continue;
    const auto seen = story.steps.find(step.name);
    const bool is_skipped = seen != story.steps.end() && seen->second.is_skipped;
    if (is_skipped || story.may_be_done(step)) violated("P6", number, "turned back although its pivot may be done");
  }
  if (is_no_word(record.code) || record.code == "HTTP.404") {
    violated("P6", number, "turned back because of " + record.code);
  }
  const Duration deadline = story.definition->deadline;
  if (!is_clock_steady_) return;
  if (!record.step.empty() || record.code != "TX.TIMEOUT" || story.definition->timeout < std::chrono::minutes(5))
    return;
  if (record.at < story.begun_at + deadline + downtime_since(story.begun_at)) {
    std::string away;
    for (const auto& [from, until] : absences_) {
      away += " " + std::to_string((from - story.begun_at).count() / 1000) + ".." +
              std::to_string((until - story.begun_at).count() / 1000);
    }
    violated("P6", number, "ran into its deadline because of our own downtime:" + away + " ms");
  }
}

void SagaChecker::check_answer(Sequence number, const SagaStep& step, const SagaRecord& record) {
  const SagaStory& story = stories_[number];
  if (child_of(step.action.uri)) return;  // It says with what code it has ended itself.
  if (is_no_word(record.code) && record.is_spent && record.direction != Direction::check)
    violated("P6", number, "spent an attempt on " + record.code);
  if (record.code == "HTTP.500" && record.outcome != SagaOutcome::unknown) {
    violated("P6", number, "takes a 500 of " + step.name + " for an answer");
  }
  if (record.code != "TX.TIMEOUT" || record.direction == Direction::check) return;
  const auto& seen = story.steps.at(record.step);
  const auto& attempts = record.direction == Direction::action ? seen.actions : seen.compensations;
  const SeenAttempt& attempt = attempts.at({record.round, record.attempt});
  if (record.at < attempt.until) violated("P6", number, "ended an attempt at " + step.name + " before its deadline");
  if (is_clock_steady_ && record.at < taken_at_ + grace_) {
    violated("P6", number, "let " + step.name + " expire right after a taking");
  }
  if (record.outcome != SagaOutcome::unknown) violated("P6", number, "takes silence for an answer");
}

void SagaChecker::note_resolution(Sequence number, const SagaStep& step, const SagaRecord& record) {
  if (record.reason == "check") return;
  SagaStory& story = stories_[number];
  const bool is_done = effects_of(number, step.name) > 0;
  const bool is_true = (record.outcome == SagaOutcome::ok) == is_done;
  // A request that is still on its way may be carried out after he has looked.
  const bool may_be_overtaken =
      step.participant == SagaPromise::barrier || (step.participant == SagaPromise::late && !story.is_turned_back);
  const bool is_overtaken = record.outcome != SagaOutcome::ok && may_be_overtaken;
  const bool may_go_on = child_of(step.action.uri).has_value();  // It may be settled by an operator of its own.
  if (!is_true || is_overtaken || may_go_on) story.steps[step.name].is_misjudged = true;
}

void SagaChecker::check_end(const SagaEnd& end) {
  const Sequence number = end.summary.execution;
  const SagaStory& story = stories_[number];
  if (!story.definition) return;
  const bool is_completed = end.summary.state == SagaState::completed;
  for (const SagaStep& step : story.definition->steps) {
    if (is_completed && !story.is_finished(step)) violated("P6", number, "completed without " + step.name);
  }
  if (is_completed) return;
  if (names_in(end.open) != story.open()) violated("P6", number, "does not list exactly what is open");
  const bool is_clean = end.summary.state == SagaState::compensated || end.summary.state == SagaState::cancelled;
  if (is_clean == !story.open().empty()) violated("P6", number, "ended in a state that its steps do not have");
}

void SagaChecker::sent(const core::SagaCallOut& call, TimePoint now) {
  const Sequence number = call.start->sequence;
  if (!durable_.contains({number, call.step, call.direction, call.round, call.attempt})) {
    violated("P7", number, "sent an attempt at " + call.step + " that no turn has recorded");
  }
  if (now >= call.deadline && is_clock_steady_)
    violated("P7", number, "sent an attempt at " + call.step + " after its deadline");
  const auto meant = std::tuple(number, call.step, call.direction, call.round);
  const auto [known, is_new] = keys_.emplace(call.key, meant);
  if (!is_new && known->second != meant && !tainted_.contains(number))
    violated("P7", number, "has a key of another: " + call.key);
}

void SagaChecker::forgot(const std::map<Sequence, std::vector<JournalRow>>& before) {
  const SagaTables& tables = database_.tables();
  told_.clear();
  absences_.clear();  // What the position knows of them is as old as itself.
  for (const auto& absence : tables.position.absences) absences_.emplace_back(absence.from, absence.until);
  std::map<Sequence, SagaStory> old = std::exchange(stories_, {});
  for (const auto& [number, rows] : before) {
    const auto now = tables.journal.find(number);
    if (now == tables.journal.end() || now->second.size() != rows.size()) tainted_.insert(number);
  }
  for (const auto& [number, rows] : tables.journal) {
    note_told(number, rows);
    if (!tainted_.contains(number)) {
      stories_[number] = std::move(old[number]);
      continue;
    }
    for (const JournalRow& row : rows) {
      for (const SagaRecord& record : core::decode_saga_records(row.records).value()) {
        const bool is_named = core::names_version(record.kind);
        stories_[number].apply(record, is_named ? definition_of(number, record) : nullptr);
      }
      ++stories_[number].revisions;
    }
  }
}

void SagaChecker::at_rest() {
  for (const auto& [number, end] : database_.tables().ends) {
    if (database_.tables().parked.contains(number)) violated("journal", number, "has ended and is parked");
    if (!tainted_.contains(number)) settle(number, end);
  }
  settle_events();
  for (const std::string& key : participants_.torn_keys()) {
    const auto known = keys_.find(key);
    const Sequence number = known == keys_.end() ? 0 : std::get<0>(known->second);
    if (!tainted_.contains(number)) violated("P7", number, "sent two bodies under one key: " + key);
  }
}

void SagaChecker::settle(Sequence number, const SagaEnd& end) {
  const SagaStory& story = stories_[number];
  if (!story.definition) return;
  for (const SagaStep& step : story.definition->steps) settle_step(number, end, step);
}

/// It ran after its compensation, and nobody has heard of it: that is what `unverified` lists.
bool SagaChecker::is_unverified(Sequence number, const SagaStep& step) {
  const Ledger& ledger = participants_.ledger(id_of(number), step.name);
  if (step.participant != SagaPromise::late || !ledger.last) return false;
  if (ledger.last->is_copy) return true;
  const auto& actions = stories_[number].steps[step.name].actions;
  const auto attempt = actions.find({ledger.last->round, ledger.last->attempt});
  return attempt == actions.end() || !attempt->second.is_heard;
}

void SagaChecker::settle_step(Sequence number, const SagaEnd& end, const SagaStep& step) {
  SagaStory& story = stories_[number];
  const SeenStep& seen = story.steps[step.name];
  const Ledger& ledger = participants_.ledger(id_of(number), step.name);
  const int effects = effects_of(number, step.name);
  if (step.has_no_effect || seen.is_misjudged || ledger.is_twofold) return;
  const auto is_forgotten = [&](Sequence child) { return tainted_.contains(child); };
  if (std::ranges::any_of(children_of(number, step.name), is_forgotten)) return;
  if (effects > 1) violated("P7", number, "did " + step.name + " more than once");
  if (effects < 0) violated("P7", number, "undid " + step.name + " more than once");
  if (end.summary.state == SagaState::completed) {
    if (!seen.is_skipped && effects != 1) violated("P6", number, "completed, and " + step.name + " was not done");
    return;
  }
  const auto open = names_in(end.open);
  const bool is_open = std::ranges::find(open, step.name) != open.end();
  if (effects == 0 || is_open || is_unverified(number, step)) return;
  violated("P6", number, "says that " + step.name + " has no effect, and it has");
}

}  // namespace makegood::sim
