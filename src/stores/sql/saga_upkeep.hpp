// The upkeep of sagas, the same on every relational database: ends are counted into the summary, and what ended long
// ago goes. In turns of the owner, so that nothing goes that it works on.
//
// An end is counted when the position has passed its start, in the order of starts: `folded_to` is how far that has
// come. What ends below it, or is opened again there, is counted with the very turn that says so.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/saga_statistics.hpp"
#include "makegood/spi/saga_store.hpp"
#include "stores/sql/database.hpp"

namespace makegood::relational {

class SagaUpkeeper {
 public:
  explicit SagaUpkeeper(Database& database) : database_(database) {}

  /// Somebody else may have been the owner.
  void forget() { folded_to_.reset(); }
  /// Before the turn is written: which of the ends that it takes back are counted.
  Result<> prepare(const SagaTurn& turn);
  /// Whether there is anything to write with it.
  bool has_work(const SagaTurn& turn) const;
  /// Behind everything else that the turn writes; its time is `at`.
  Result<> write(const SagaTurn& turn, TimePoint at, Committed& committed);

 private:
  struct Purge;
  using Counts = std::map<SagaClass, std::int64_t>;

  const SagaStatements& sql() const { return database_.statements().sagas; }
  Result<> count_late(const SagaTurn& turn, TimePoint at);
  Result<std::size_t> fold(const SagaTurn& turn);
  Result<std::size_t> purge(const SagaTurn& turn, TimePoint at);
  Result<Purge> find_purgeable(const SagaTurn& turn, TimePoint before);
  Result<> add(const Counts& counts);

  Database& database_;
  std::optional<Sequence> folded_to_;  ///< Nothing: it is to be read.
  std::vector<SagaEnd> taken_back_;    ///< Counted ends that the turn at hand takes back.
  Sequence purged_to_ = 0;             ///< What is below waits, has failed, or had ended too late.
  TimePoint swept_at_ = {};            ///< When that was last looked at again.
};

}  // namespace makegood::relational
