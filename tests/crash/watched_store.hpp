// A store around a store: passes the failpoints of each step, and writes down what was said and what was answered.
#pragma once

#include <memory>

#include "base/forwarding_store.hpp"
#include "tests/crash/chronicle.hpp"

namespace makegood::crash {

class WatchedStore final : public ForwardingStore {
 public:
  /// `owner` is set to whoever took the lane last; it and the chronicle outlive the store.
  WatchedStore(std::unique_ptr<OutboxStore> inner, const Chronicle& chronicle, Owner& owner)
      : ForwardingStore(std::move(inner)), chronicle_(chronicle), owner_(owner) {}

  Result<> migrate() override;
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override;
  Result<Found> look(const LookFor& wanted) override;
  Result<Committed> commit(const Turn& turn) override;

 private:
  const Chronicle& chronicle_;
  Owner& owner_;
};

}  // namespace makegood::crash
