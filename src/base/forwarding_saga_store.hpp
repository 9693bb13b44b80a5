// A store of sagas around another: hands everything on. Whoever wants to wait, count or fail somewhere overrides that.
#pragma once

#include <memory>
#include <utility>

#include "makegood/spi/saga_store.hpp"

namespace makegood {

class ForwardingSagaStore : public SagaStore {
 public:
  explicit ForwardingSagaStore(std::unique_ptr<SagaStore> store) : store_(std::move(store)) {}

  StoreFeatures features() const override { return store_->features(); }
  Result<> migrate() override { return store_->migrate(); }
  Result<std::vector<Enqueued>> append(std::span<const NewMessage> requests) override {
    return store_->append(requests);
  }
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override {
    return store_->take(owner, lease, former);
  }
  Result<Found> look(const LookFor& wanted) override { return store_->look(wanted); }
  bool has_changed() override { return store_->has_changed(); }
  int change_descriptor() const override { return store_->change_descriptor(); }
  Result<std::vector<Sequence>> unfinished(Sequence from, Sequence to, std::size_t rows_max) override {
    return store_->unfinished(from, to, rows_max);
  }
  Result<std::vector<Sequence>> due(TimePoint now, std::size_t rows_max) override { return store_->due(now, rows_max); }
  Result<std::optional<TimePoint>> next_due() override { return store_->next_due(); }
  Result<std::optional<Sequence>> find(std::string_view tenant_id, std::string_view id) override {
    return store_->find(tenant_id, id);
  }
  Result<std::vector<SagaLoaded>> load(std::span<const Sequence> executions) override {
    return store_->load(executions);
  }
  Result<std::optional<SagaDefinitionRow>> definition(std::string_view name, std::int64_t version) override {
    return store_->definition(name, version);
  }
  Result<std::optional<SagaKeyHeld>> key_holder(std::string_view tenant_id, std::string_view key) override {
    return store_->key_holder(tenant_id, key);
  }
  Result<Committed> commit(const SagaTurn& turn) override { return store_->commit(turn); }

 private:
  const std::unique_ptr<SagaStore> store_;
};

}  // namespace makegood
