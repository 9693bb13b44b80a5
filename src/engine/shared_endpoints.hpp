// The endpoints that the owners of a process share: locks for what `core` leaves open, and the sign by which the thread
// of an owner hears of what others have done.
#pragma once

#include <atomic>

#include "core/shared_endpoint.hpp"
#include "engine/wake_up.hpp"
#include "makegood/dispatcher.hpp"

namespace makegood::engine {

/// Null: with nobody. Without a waker an owner asks again after a while.
core::Sharing sharing(Endpoints* endpoints);
core::Sharing sharing(Endpoints* endpoints, core::Waker& waker);

/// Of one owner. Thread-safe.
class OwnersWaker final : public core::Waker {
 public:
  /// `wake_up` must outlive the waker.
  explicit OwnersWaker(WakeUp& wake_up) : wake_up_(wake_up) {}
  void place_freed() override { wake_up_.arrived(); }
  void circuit_changed() override {
    has_changed_ = true;
    wake_up_.arrived();
  }
  /// Whether a circuit has changed since the last time.
  bool take_changed() { return has_changed_ && has_changed_.exchange(false); }

 private:
  WakeUp& wake_up_;
  std::atomic<bool> has_changed_ = false;
};

}  // namespace makegood::engine

namespace makegood {

class Endpoints::Shared {
 public:
  Shared();
  core::Endpoints endpoints;
};

}  // namespace makegood
