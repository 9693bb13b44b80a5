// What ends the wait of an owner's thread: something has arrived for it, or somebody asks it to look.
#pragma once

#include <mutex>

#include "base/descriptor.hpp"
#include "makegood/clock.hpp"

namespace makegood::engine {

/// Until the descriptor is readable, or the time has come. True if it is readable.
bool wait_for(int descriptor, Duration timeout);

/// Thread-safe. The descriptor is readable while something has happened that was not taken.
class WakeUp {
 public:
  WakeUp();
  /// Something was put where the owner finds it.
  void arrived();
  /// There may be something new in the store: an exchange is due.
  void wake();
  /// True if `wake` was called since the last time. What has arrived must be fetched after this, never before: else
  /// what arrives between the two would wait for the next signal.
  bool take();
  int descriptor() const { return event_.number(); }

 private:
  void signal();

  // Constant after construction.
  const Descriptor event_;
  // Guarded by mutex_.
  std::mutex mutex_;
  bool is_woken_ = false;
  bool is_signalled_ = false;
};

}  // namespace makegood::engine
