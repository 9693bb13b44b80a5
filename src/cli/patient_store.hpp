// A store that waits for a while after it was refused a lane: each question costs the server something.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "makegood/clock.hpp"
#include "makegood/store.hpp"

namespace makegood::cli {

class PatientStore final : public OutboxStore {
 public:
  /// `patience` and `clock` must outlive it.
  PatientStore(std::unique_ptr<OutboxStore> store, const std::atomic<Duration>& patience,
               const Clock& clock = system_clock())
      : store_(std::move(store)), patience_(patience), clock_(clock) {}

  /// Empty without asking, when it was refused a moment ago.
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override;

  StoreFeatures features() const override { return store_->features(); }
  Result<> migrate() override { return store_->migrate(); }
  Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages) override {
    return store_->enqueue(messages);
  }
  Result<Found> look(const LookFor& wanted) override { return store_->look(wanted); }
  Result<Committed> commit(const Turn& turn) override { return store_->commit(turn); }
  bool has_changed() override { return store_->has_changed(); }
  int change_descriptor() const override { return store_->change_descriptor(); }

 private:
  const std::unique_ptr<OutboxStore> store_;
  const std::atomic<Duration>& patience_;
  const Clock& clock_;
  std::optional<MonotonicTime> refused_at_;
};

}  // namespace makegood::cli
