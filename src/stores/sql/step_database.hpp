// A participant's own database for steps of sagas: as many connections as steps run at once, and for each call a
// transaction with the barrier in it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "makegood/saga_function.hpp"
#include "stores/sql/barrier_table.hpp"

namespace makegood::relational {

/// `Lent` is a connection of ours: `open(place)`, `native()`, `barrier()`, `begin()`, `commit()`, `roll_back()`,
/// `is_alive()`.
template <class Native, class Lent>
class PooledStepDatabase final : public StepDatabase<Native> {
 public:
  explicit PooledStepDatabase(std::string place) : place_(std::move(place)) {}

  SagaStepResult act(const BarrierKey& key, const std::function<SagaStepResult(Native*)>& effect) override {
    return with_connection([&](Lent& lent) { return lent.barrier().act(key, [&] { return effect(lent.native()); }); });
  }
  SagaStepResult compensate(const BarrierKey& key,
                            const std::function<SagaStepResult(Native*, std::string_view)>& undo) override {
    return with_connection([&](Lent& lent) {
      return lent.barrier().compensate(key, [&](std::string_view output) { return undo(lent.native(), output); });
    });
  }
  /// The first connection shows whether there is a database.
  Result<> connect() {
    give_back(MAKEGOOD_TRY(lend()));
    return {};
  }

 private:
  template <class Ask>
  SagaStepResult with_connection(const Ask& ask) {
    auto lent = lend();
    if (!lent) return not_done(lent.error());
    SagaStepResult result = in_transaction(**lent, ask);
    give_back(*std::move(lent));
    return result;
  }

  /// What throws has been rolled back by the barrier; its connection is closed.
  template <class Ask>
  static SagaStepResult in_transaction(Lent& lent, const Ask& ask) {
    if (const Result<> begun = lent.begin(); !begun) return not_done(begun.error());
    const Result<SagaStepResult> result = ask(lent);
    if (!is_definite(result)) {
      lent.roll_back();
      return result ? *result : not_done(result.error());
    }
    if (const Result<> committed = lent.commit(); !committed) {
      return SagaStepResult::unknown(std::string(to_string(committed.error().code)), committed.error().message);
    }
    return *result;
  }

  static SagaStepResult not_done(const Error& error) {
    return SagaStepResult::retry(std::string(to_string(error.code)), error.message);
  }

  Result<std::unique_ptr<Lent>> lend() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto lent = std::move(free_.back());
        free_.pop_back();
        return lent;
      }
    }
    return Lent::open(place_);
  }
  void give_back(std::unique_ptr<Lent> lent) {
    if (!lent->is_alive()) return;
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(lent));
  }

  const std::string place_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lent>> free_;  ///< Guarded by mutex_.
};

}  // namespace makegood::relational
