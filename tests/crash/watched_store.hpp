// A store around a store: passes the failpoints of each step, and writes down what was said and what was answered.
#pragma once

#include <memory>

#include "makegood/store.hpp"
#include "tests/crash/chronicle.hpp"

namespace makegood::crash {

class WatchedStore final : public OutboxStore {
 public:
  /// `owner` is set to whoever took the lane last; it and the chronicle outlive the store.
  WatchedStore(std::unique_ptr<OutboxStore> inner, const Chronicle& chronicle, Owner& owner)
      : inner_(std::move(inner)), chronicle_(chronicle), owner_(owner) {}

  StoreFeatures features() const override { return inner_->features(); }
  Result<> migrate() override;
  Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages) override {
    return inner_->enqueue(messages);
  }
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override;
  Result<Found> look(const LookFor& wanted) override;
  Result<Committed> commit(const Turn& turn) override;
  bool has_changed() override { return inner_->has_changed(); }
  int change_descriptor() const override { return inner_->change_descriptor(); }

 private:
  const std::unique_ptr<OutboxStore> inner_;
  const Chronicle& chronicle_;
  Owner& owner_;
};

}  // namespace makegood::crash
