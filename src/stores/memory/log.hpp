// Writing to the log: rows whose numbers are drawn now and which become visible when their transaction commits.
#pragma once

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

}  // namespace makegood::memory
