// A store of sagas around a store of sagas: passes the failpoints of each step.
#pragma once

#include "base/forwarding_saga_store.hpp"

namespace makegood::crash {

class WatchedSagaStore final : public ForwardingSagaStore {
 public:
  /// `owner` is set to whoever took the shard last, and outlives the store.
  WatchedSagaStore(std::unique_ptr<SagaStore> inner, Owner& owner)
      : ForwardingSagaStore(std::move(inner)), owner_(owner) {}

  Result<> migrate() override;
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override;
  Result<Found> look(const LookFor& wanted) override;
  Result<std::vector<Sequence>> unfinished(Sequence from, Sequence to, std::size_t rows_max) override;
  Result<std::vector<Sequence>> due(TimePoint now, std::size_t rows_max) override;
  Result<std::optional<Sequence>> find(std::string_view tenant_id, std::string_view id) override;
  Result<std::vector<SagaLoaded>> load(std::span<const Sequence> executions) override;
  Result<Committed> commit(const SagaTurn& turn) override;

 private:
  Owner& owner_;
};

}  // namespace makegood::crash
