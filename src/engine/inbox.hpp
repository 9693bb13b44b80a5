// Where a lane's thread finds what has happened: answers from transports, and wake-ups.
#pragma once

#include <mutex>
#include <vector>

#include "base/descriptor.hpp"
#include "makegood/clock.hpp"
#include "makegood/transport.hpp"

namespace makegood::engine {

/// Until the descriptor is readable, or the time has come. True if it is readable.
bool wait_for(int descriptor, Duration timeout);

struct Happened {
  std::vector<std::vector<Completion>> completions;
  bool is_woken = false;
  bool is_anything() const { return is_woken || !completions.empty(); }
};

/// Thread-safe. The descriptor is readable while something has happened that was not taken.
class Inbox final : public Completions {
 public:
  Inbox();
  void post(std::vector<Completion> completions) override;
  void wake();
  Happened take();
  /// What a wake-up asks for is left for the next `take`.
  std::vector<std::vector<Completion>> take_completions();
  int descriptor() const { return event_.number(); }

 private:
  void signal();

  // Constant after construction.
  const Descriptor event_;
  // Guarded by mutex_.
  std::mutex mutex_;
  Happened happened_;
  bool is_signalled_ = false;
};

}  // namespace makegood::engine
