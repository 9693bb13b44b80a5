// A store that asks for a lane less often while others should have it first.
#pragma once

#include <atomic>
#include <memory>

#include "makegood/clock.hpp"
#include "makegood/store.hpp"

namespace makegood::cli {

class PatientStore final : public OutboxStore {
 public:
  /// `lets_others_first` and `clock` must outlive it.
  PatientStore(std::unique_ptr<OutboxStore> store, const std::atomic<bool>& lets_others_first,
               const Clock& clock = system_clock())
      : store_(std::move(store)), lets_others_first_(lets_others_first), clock_(clock) {}

  /// Empty without asking, while others come first and it was asked a moment ago.
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
  const std::atomic<bool>& lets_others_first_;
  const Clock& clock_;
  MonotonicTime patient_until_ = {};
};

}  // namespace makegood::cli
