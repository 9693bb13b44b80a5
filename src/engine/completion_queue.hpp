// Where a lane's thread finds what has happened: answers from transports, and wake-ups.
#pragma once

#include <mutex>
#include <vector>

#include "base/descriptor.hpp"
#include "makegood/clock.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood::engine {

/// Until the descriptor is readable, or the time has come. True if it is readable.
bool wait_for(int descriptor, Duration timeout);

struct Happened {
  std::vector<std::vector<Completion>> completions;
  bool is_woken = false;
  bool is_anything() const { return is_woken || !completions.empty(); }
};

/// Thread-safe. The descriptor is readable while something has happened that was not taken.
class CompletionQueue final : public Completions {
 public:
  CompletionQueue();
  /// Judged here, on the thread of the transport: that of the lane has enough to do.
  void post(std::vector<Report> reports) override;
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
