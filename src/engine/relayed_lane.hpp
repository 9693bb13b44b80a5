// The lane of an outbox, as its owner's loop drives it: `core::Lane` decides, this asks the store and the transports.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lane.hpp"
#include "engine/completion_queue.hpp"
#include "engine/owned.hpp"
#include "engine/shared_endpoints.hpp"
#include "engine/transport_router.hpp"
#include "makegood/dispatcher.hpp"

namespace makegood::engine {

class RelayedLane final : public Owned {
 public:
  /// `observer` and `endpoints` may be null; what else is referred to must outlive the lane.
  RelayedLane(std::unique_ptr<OutboxStore> store, std::vector<Transport*> transports, DispatcherOptions options,
              Observer* observer, const Clock& clock, WakeUp& wake_up, Endpoints* endpoints);

  /// Thread-safe. The loop takes them before its next exchange.
  void reconfigure(DispatcherOptions options);

  Pace pace() const override { return {options_.poll_interval, options_.safety_interval}; }
  void take_settings() override;

  Result<bool> take(const Owner& owner, const Owner& former, MonotonicTime asked_at) override;
  bool is_owner() const override { return lane_.is_owner(); }
  MonotonicTime send_until() const override { return lane_.send_until(); }
  void forget() override;

  Result<bool> look(MonotonicTime asked_at) override;
  bool has_turn() const override { return turn_ != nullptr; }
  Result<> commit() override;
  MonotonicTime next_exchange(MonotonicTime now) const override { return lane_.next_exchange(now); }

  bool has_changed() override { return store_->has_changed(); }
  int change_descriptor() const override { return store_->change_descriptor(); }

  void absorb() override;
  bool release(MonotonicTime now, const std::shared_ptr<const Lease>& lease) override;
  MonotonicTime next_release(MonotonicTime now) override { return lane_.next_release(now); }

  void stop() override { lane_.stop(); }
  void drain(Duration grace) override { transports_.drain(completions_, grace, clock_); }
  void give_up() override { lane_.give_up(); }

  void ownership_changed(std::string_view what, const Owner& owner) override;
  void alarm(const Error& error) override { observer_.alarm(outbox_, error); }
  void report() override;

 private:
  // Constant after construction.
  const std::unique_ptr<OutboxStore> store_;
  const TransportRouter transports_;
  Observer& observer_;
  const Clock& clock_;
  const std::string outbox_;
  const Duration lease_;

  OwnersWaker waker_;

  // Used by the thread of the loop only.
  DispatcherOptions options_;
  core::Lane lane_;
  const Turn* turn_ = nullptr;  ///< Decided, and certainly not written yet.

  // Shared with other threads.
  CompletionQueue<Completion> completions_;
  std::mutex mutex_;
  std::optional<DispatcherOptions> new_options_;  ///< Guarded by mutex_.
};

}  // namespace makegood::engine
