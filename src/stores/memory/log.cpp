#include "stores/memory/log.hpp"

#include <algorithm>
#include <atomic>

#include "stores/memory/message.hpp"

namespace makegood::memory {
namespace {

/// Never drawn twice in this process, so that a transaction can tell its own numbers after a restore drew them again.
TransactionId next_transaction_id() {
  static std::atomic<TransactionId> last = 0;
  return ++last;
}

EventKey event_of(const Message& row) { return {std::string(row.tenant_id), std::string(row.event_id)}; }

Error conflict() {
  return {Errc::conflict, "This event id was already used with other content; give a new event a new id."};
}
Error locked() {
  return {Errc::store_unavailable, "Another transaction is enqueueing the same event; try again when it has ended."};
}
Error taken() { return {Errc::conflict, "The counter drew a number that is in the log already; it was set back."}; }
Error gone() {
  return {Errc::not_in_transaction, "The transaction was lost when the database was restored; run it again."};
}

}  // namespace

DrawnRows::DrawnRows() : id_(next_transaction_id()) {}

Result<Enqueued> DrawnRows::add(State& state, const NewMessage& message, TimePoint now) {
  if (!is_alive(state)) return gone();
  auto row = new_row(message, *state.ids, now);
  const auto [event, is_new] = state.events.try_emplace(event_of(*row), state.counter + 1);
  if (!is_new) {
    const MessagePtr first = find(state, event->second);
    if (!first) return locked();
    if (!has_same_content(*first, *row)) return conflict();
    return Enqueued{.sequence = event->second, .was_there = true};
  }
  row->sequence = ++state.counter;
  if (state.log.contains(row->sequence) || state.open.contains(row->sequence)) {
    state.events.erase(event);
    return taken();
  }
  state.open.emplace(row->sequence, id_);
  rows_.push_back(row);
  return Enqueued{.sequence = row->sequence};
}

Result<> DrawnRows::commit(State& state) {
  if (!is_alive(state)) return gone();
  for (const MessagePtr& row : rows_) {
    state.open.erase(row->sequence);
    state.log.emplace(row->sequence, row);
  }
  rows_.clear();
  return {};
}

void DrawnRows::roll_back(State& state) {
  if (!is_alive(state)) return;
  for (const MessagePtr& row : rows_) {
    state.open.erase(row->sequence);
    state.events.erase(event_of(*row));
  }
  rows_.clear();
}

MessagePtr DrawnRows::find(const State& state, Sequence sequence) const {
  if (const auto row = state.log.find(sequence); row != state.log.end()) return row->second;
  const auto mine = std::ranges::lower_bound(rows_, sequence, {}, [](const MessagePtr& row) { return row->sequence; });
  return mine != rows_.end() && (*mine)->sequence == sequence ? *mine : nullptr;
}

bool DrawnRows::is_alive(const State& state) const {
  return std::ranges::all_of(rows_, [&](const MessagePtr& row) {
    const auto open = state.open.find(row->sequence);
    return open != state.open.end() && open->second == id_;
  });
}

Result<std::vector<Enqueued>> append_all(State& state, std::span<const NewMessage> messages, TimePoint now) {
  DrawnRows rows;
  std::vector<Enqueued> answers;
  answers.reserve(messages.size());
  for (const NewMessage& message : messages) {
    auto added = rows.add(state, message, now);
    if (!added) {
      rows.roll_back(state);
      return std::move(added).error();
    }
    answers.push_back(*added);
  }
  MAKEGOOD_TRY(rows.commit(state));
  return answers;
}

std::optional<Sequence> append_own(State& state, const NewMessage& message, TimePoint now) {
  DrawnRows rows;
  const auto enqueued = rows.add(state, message, now);
  if (!enqueued || !rows.commit(state)) return std::nullopt;
  return enqueued->sequence;
}

MessagePtr message_of(const State& state, Sequence sequence) {
  if (const auto row = state.log.find(sequence); row != state.log.end()) return row->second;
  const auto row = state.kept.lower_bound({sequence});
  return row != state.kept.end() && row->first.sequence == sequence ? row->second : nullptr;
}

MessagePtr message_of(const State& state, const Parked& row) {
  const auto in_log = state.log.find(row.sequence);
  if (in_log != state.log.end() && in_log->second->event_id == row.event_id) return in_log->second;
  const auto kept = state.kept.find({row.sequence, row.event_id});
  return kept != state.kept.end() ? kept->second : nullptr;
}

}  // namespace makegood::memory
