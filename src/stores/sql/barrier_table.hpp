// The rows of a barrier on one connection, in the transaction that is open there.
//
// One row per round of an action. Whoever inserts it decides what becomes of the round: `refused` until the same
// transaction says `done` or `failed`. A compensation inserts what is missing up to its round, which stays refused, and
// turns `done` into `undone`. All others read.
#pragma once

#include <vector>

#include "makegood/saga_barrier.hpp"
#include "stores/sql/database.hpp"

namespace makegood::relational {

struct BarrierStatements {
  std::string_view claim_rounds, find_round, keep_round, undo_rounds, before_effect, take_effect_back, after_effect;
};

template <class Sql>
constexpr BarrierStatements barrier_statements_in() {
  return {.claim_rounds = Sql::claim_rounds,
          .find_round = Sql::find_round,
          .keep_round = Sql::keep_round,
          .undo_rounds = Sql::undo_rounds,
          .before_effect = Sql::before_effect,
          .take_effect_back = Sql::take_effect_back,
          .after_effect = Sql::after_effect};
}

class BarrierTable {
 public:
  BarrierTable(Database& database, const BarrierStatements& statements) : database_(database), sql_(statements) {}

  Result<SagaStepResult> act(const BarrierKey& key, const BarrierEffect& effect);
  Result<SagaStepResult> compensate(const BarrierKey& key, const BarrierUndo& undo);

 private:
  /// Whether the key's own round is ours to decide.
  Result<bool> claim(const BarrierKey& key);
  Result<SagaStepResult> stored(const BarrierKey& key);
  Result<> keep(const BarrierKey& key, const SagaStepResult& result);

  Database& database_;
  const BarrierStatements& sql_;
};

/// Whether what came of it may be committed.
inline bool is_definite(const Result<SagaStepResult>& result) {
  return result && (result->outcome == SagaOutcome::ok || result->outcome == SagaOutcome::fail);
}

}  // namespace makegood::relational
