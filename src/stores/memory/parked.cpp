#include "stores/memory/parked.hpp"

#include <limits>
#include <utility>

#include "base/story.hpp"
#include "makegood/assert.hpp"

namespace makegood::memory {
namespace {

DueKey due_key(const Parked& row) { return {row.destination, row.due_at, row.sequence}; }

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
  const ParkedKey key{change.row.sequence, change.row.destination};
  ParkedRow& row = state.parked[key];
  remove_from_indexes(state, key, row.parked);
  const Parked before = std::exchange(row.parked, change.row);
  if (change.row.error_code.empty()) {
    row.parked.error_code = before.error_code;
    row.parked.last_error = before.last_error;
  }
  row.in_hand_of = change.row.under_way ? owner : Owner{};
  row.changed_at = now;
  if (change.note) row.story.push_back(*change.note);
  add_to_indexes(state, key, row.parked);
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
  const MessagePtr message = message_of(state, row.parked.sequence);
  MAKEGOOD_ASSERT(message != nullptr);  // The cleaner keeps what a parked delivery needs.
  return {.parked = row.parked,
          .topic = std::string(message->topic),
          .event_id = std::string(message->event_id),
          .changed_at = row.changed_at,
          .story = encode_story(row.story)};
}

std::vector<NextDue> next_due(const State& state) {
  std::vector<NextDue> earliest;
  auto first = state.waiting.begin();
  while (first != state.waiting.end()) {
    earliest.push_back({first->destination, first->due_at});
    first = state.waiting.upper_bound({first->destination, TimePoint::max(), std::numeric_limits<Sequence>::max()});
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
