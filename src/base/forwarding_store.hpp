// A store around a store: hands everything on. Whoever wants to wait, count or fail somewhere overrides that.
#pragma once

#include <memory>
#include <utility>

#include "makegood/spi/store.hpp"

namespace makegood {

class ForwardingStore : public OutboxStore {
 public:
  explicit ForwardingStore(std::unique_ptr<OutboxStore> store) : store_(std::move(store)) {}

  StoreFeatures features() const override { return store_->features(); }
  Result<> migrate() override { return store_->migrate(); }
  Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages) override {
    return store_->enqueue(messages);
  }
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override {
    return store_->take(owner, lease, former);
  }
  Result<Found> look(const LookFor& wanted) override { return store_->look(wanted); }
  Result<Committed> commit(const Turn& turn) override { return store_->commit(turn); }
  bool has_changed() override { return store_->has_changed(); }
  int change_descriptor() const override { return store_->change_descriptor(); }

 private:
  const std::unique_ptr<OutboxStore> store_;
};

}  // namespace makegood
