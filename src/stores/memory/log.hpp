// Writing to the log: rows whose numbers are drawn now and which become visible when their transaction commits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stores/memory/state.hpp"

namespace makegood::memory {

/// The rows of one transaction. Every call happens under an access to the same database.
class DrawnRows {
 public:
  DrawnRows();

  Result<Enqueued> add(State& state, const NewMessage& message, TimePoint now);
  /// Errc::not_in_transaction when the state is no longer the one the numbers were drawn from.
  Result<> commit(State& state);
  /// The numbers are not given back: they stay gaps.
  void roll_back(State& state);

 private:
  MessagePtr find(const State& state, Sequence sequence) const;
  bool is_alive(const State& state) const;

  const TransactionId id_;
  std::vector<MessagePtr> rows_;  // Ascending.
};

/// All or none, as in a database.
Result<std::vector<Enqueued>> append_all(State& state, std::span<const NewMessage> messages, TimePoint now);

/// A row of the owner's turn, under an event id that nobody else has. Its number; nothing when that is not free.
std::optional<Sequence> append_own(State& state, const NewMessage& message, TimePoint now);

}  // namespace makegood::memory
