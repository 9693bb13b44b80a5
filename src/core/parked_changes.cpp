#include "core/parked_changes.hpp"

#include <algorithm>
#include <ranges>
#include <string>

#include "core/error_text.hpp"

namespace makegood::core {

/// Delayed ones have not been tried; dead ones are not on their way any more.
bool counts(const Parked& row) {
  return row.state == ParkedState::held || (row.state == ParkedState::waiting && row.attempts > 0);
}

Parked new_row(const Message& message, std::string_view destination) {
  return {.sequence = message.sequence,
          .destination = std::string(destination),
          .tenant_id = std::string(message.tenant_id),
          .dispatch_key = std::string(message.dispatch_key),
          .event_id = std::string(message.event_id)};
}

void ParkedChanges::begin(const Taken& taken) {
  for (const NextDue& next : taken.next_due) state_of(next.destination).next_due = next.due_at;
  for (const ParkedCount& parked : taken.parked_counts) state_of(parked.destination).parked_count = parked.count;
}

void ParkedChanges::expect_due(const std::vector<DestinationIndex>& asked, const std::vector<NextDue>& next_due) {
  for (const DestinationIndex index : asked) destinations_[index].next_due.reset();
  for (const NextDue& next : next_due) state_of(next.destination).expect_due(next.due_at);
}

void ParkedChanges::set_back(Duration by) {
  for (DestinationIndex index = 0; index < destinations_.count(); ++index) {
    DestinationState& state = destinations_[index];
    if (state.next_due) *state.next_due -= by;
  }
}

void ParkedChanges::park(Parked row, std::optional<AttemptNote> note, bool was_counted) {
  DestinationState& state = state_of(row.destination);
  if (row.state == ParkedState::waiting && !row.under_way) state.expect_due(row.due_at);
  state.parked_count += counts(row) ? 1U : 0U;
  state.parked_count -= std::min<std::size_t>(state.parked_count, was_counted ? 1 : 0);
  changes_.push_back({std::move(row), std::move(note)});
}

Parked ParkedChanges::row_of(const Carried& carried) const {
  Parked row = new_row(*carried.message, destinations_[carried.destination].settings->name);
  row.attempts = carried.attempts;
  row.answered = carried.answered;
  row.deaths = carried.deaths;
  row.replay = carried.replay;
  return row;
}

AttemptNote ParkedChanges::note(const Parked& row, std::string_view outcome, TimePoint at) const {
  return {.attempt = row.attempts, .at = at, .outcome = std::string(outcome), .owner = ownership_.owner};
}

AttemptNote ParkedChanges::note_of_failure(const Parked& row, std::string_view outcome, TimePoint at) const {
  AttemptNote failure = note(row, outcome, at);
  failure.code = row.error_code;
  failure.error = beginning_of(row.last_error);
  return failure;
}

bool ParkedChanges::has(Sequence sequence, std::string_view destination) const {
  return last_of(sequence, destination) != nullptr;
}

const Parked* ParkedChanges::last_of(Sequence sequence, std::string_view destination) const {
  const auto newest_first = std::views::reverse(changes_);
  const auto last = std::ranges::find_if(newest_first, [&](const Turn::Change& change) {
    return change.row.sequence == sequence && change.row.destination == destination;
  });
  return last == newest_first.end() ? nullptr : &last->row;
}

bool ParkedChanges::has(Sequence sequence) const {
  return std::ranges::any_of(changes_, [&](const Turn::Change& change) { return change.row.sequence == sequence; });
}

}  // namespace makegood::core
