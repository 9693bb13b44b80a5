#include "stores/memory/parked.hpp"

#include <limits>
#include <utility>

#include "base/message_gone.hpp"
#include "base/story.hpp"

namespace makegood::memory {
namespace {

DueKey due_key(const Parked& row) { return {row.destination, row.due_at, row.sequence, row.event_id}; }

std::string event_of(const State& state, const Parked& row) {
  if (!row.event_id.empty()) return row.event_id;
  const MessagePtr message = message_of(state, row.sequence);
  return message ? std::string(message->event_id) : std::string();
}

void add_to_indexes(State& state, const ParkedKey& key, const Parked& row) {
  if (row.state == ParkedState::waiting) state.waiting.insert(due_key(row));
  if (row.blocks) state.blocking.insert(key);
}

void remove_from_indexes(State& state, const ParkedKey& key, const Parked& row) {
  state.waiting.erase(due_key(row));
  state.blocking.erase(key);
}

}  // namespace

void park(State& state, const Turn::Change& change, const Owner& owner, TimePoint now) {
  const ParkedKey key{change.row.sequence, change.row.destination, event_of(state, change.row)};
  ParkedRow& row = state.parked[key];
  remove_from_indexes(state, key, row.parked);
  const Parked before = std::exchange(row.parked, change.row);
  row.parked.event_id = key.event_id;
  const bool is_replayed = change.note && change.note->outcome == "replayed";  // It begins anew.
  if (change.row.error_code.empty() && !is_replayed) {
    row.parked.error_code = before.error_code;
    row.parked.last_error = before.last_error;
  }
  row.in_hand_of = change.row.under_way ? owner : Owner{};
  row.changed_at = now;
  if (change.note) row.story.push_back(*change.note);
  add_to_indexes(state, key, row.parked);
}

const ParkedRow* find_parked(const State& state, Sequence sequence, const std::string& destination) {
  const MessagePtr message = message_of(state, sequence);
  const std::string event_id = message ? std::string(message->event_id) : std::string();
  auto row = state.parked.find({sequence, destination, event_id});
  if (row == state.parked.end() && !message) row = state.parked.lower_bound({sequence, destination});
  const bool is_there = row != state.parked.end() && row->first.sequence == sequence;
  return is_there && row->first.destination == destination ? &row->second : nullptr;
}

void set_back_due(State& state, Duration by, TimePoint was) {
  for (auto& [key, row] : state.parked) {
    const bool is_retry = row.parked.attempts > 0 || row.parked.due_at <= was;
    if (row.parked.state != ParkedState::waiting || !is_retry) continue;
    remove_from_indexes(state, key, row.parked);
    row.parked.due_at -= by;
    add_to_indexes(state, key, row.parked);
  }
}

bool is_in_log(const State& state, const ParkedKey& key) {
  const auto message = state.log.find(key.sequence);
  return message != state.log.end() && message->second->event_id == key.event_id;
}

void read_anew(State& state, Sequence reached) {
  for (auto row = state.parked.lower_bound({reached + 1, ""}); row != state.parked.end();) {
    const auto& [key, parked] = *row++;
    const bool begins_anew = parked.parked.state != ParkedState::quarantined && is_in_log(state, key);
    if (begins_anew) forget_parked(state, ParkedKey(key));
  }
}

void end_gone(State& state, TimePoint now) {
  for (auto& [key, row] : state.parked) {
    const bool is_kept = state.kept.contains({key.sequence, key.event_id}) && !state.log.contains(key.sequence);
    if (is_in_log(state, key) || is_kept) continue;
    remove_from_indexes(state, key, row.parked);
    row.parked.blocks = false;
    row.in_hand_of = {};
    row.parked.under_way = false;
    if (row.parked.state != ParkedState::waiting && row.parked.state != ParkedState::held) continue;
    row.parked.state = ParkedState::dead;
    row.parked.error_code = to_string(Errc::not_found);
    row.parked.last_error = message_gone;
    row.changed_at = now;
  }
}

void forget_parked(State& state, const ParkedKey& key) {
  const auto row = state.parked.find(key);
  if (row == state.parked.end()) return;
  remove_from_indexes(state, key, row->second.parked);
  state.parked.erase(row);
}

bool is_dead_letter(const Parked& row) {
  return row.state == ParkedState::dead || row.state == ParkedState::quarantined;
}

bool is_of(const Parked& row, std::string_view tenant_id) { return tenant_id.empty() || row.tenant_id == tenant_id; }

DeadLetter dead_letter(const State& state, const ParkedRow& row) {
  const MessagePtr message = message_of(state, row.parked);
  return {.parked = row.parked,
          .topic = message ? std::string(message->topic) : std::string(),
          .event_id = row.parked.event_id,
          .changed_at = row.changed_at,
          .story = encode_story(row.story)};
}

std::vector<NextDue> next_due(const State& state) {
  std::vector<NextDue> earliest;
  auto first = state.waiting.begin();
  while (first != state.waiting.end()) {
    earliest.push_back({first->destination, first->due_at});
    first = state.waiting.upper_bound({first->destination, TimePoint::max(), std::numeric_limits<Sequence>::max(), {}});
  }
  return earliest;
}

std::vector<ParkedCount> parked_counts(const State& state) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [key, row] : state.parked) {
    const bool is_tried = row.parked.state == ParkedState::waiting && row.parked.attempts > 0;
    if (is_tried || row.parked.state == ParkedState::held) ++counts[key.destination];
  }
  std::vector<ParkedCount> parked;
  parked.reserve(counts.size());
  for (const auto& [destination, count] : counts) parked.push_back({destination, count});
  return parked;
}

}  // namespace makegood::memory
