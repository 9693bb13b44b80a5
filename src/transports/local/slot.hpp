// What one worker has in hand. The worker walks through its chunk; the watchdog may look in at any moment to take away
// what a slow handler would hold up, or to give the worker up. The slot's mutex decides between them, so each delivery
// is completed by exactly one of the two.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "makegood/clock.hpp"
#include "transports/local/queue.hpp"

namespace makegood::local {

/// A handler that runs longer than this no longer holds up what was taken together with its delivery.
inline constexpr Duration patience = std::chrono::milliseconds(1);

/// Reports and where they go.
struct Answers {
  std::vector<Report> reports = {};
  Completions* done = nullptr;
};

/// What the watchdog takes out of a worker's hands.
struct Relief {
  Answers finished;
  Chunk not_started;
  bool is_abandoned = false;  ///< The handler is past its timeout; its answer, if it ever comes, is dropped.
};

class Slot {
 public:
  // For the worker.

  /// Hands over a chunk. `chunk` receives the memory of the one before.
  void load(Chunk& chunk);
  /// Moves the next delivery into `delivery`; false when there is none. `look_at` is when the watchdog has to look in.
  bool start(Delivery& delivery, MonotonicTime now, MonotonicTime& look_at);
  /// False when the worker was given up meanwhile: its answer is dropped and it must end.
  bool finish(Reply reply);
  /// Answers so for all that has not started.
  void refuse(const Reply& reply);
  std::vector<Report> take_finished();
  Completions* done() const { return chunk_.done; }
  /// Of what runs, if it is a step of a saga; otherwise nobody can ask it to stop.
  std::stop_source stop_source();

  // For the watchdog, for drain and for stop.

  Relief relieve(MonotonicTime now);
  /// When `relieve` will have something to do; `later` if it is not known to.
  MonotonicTime look_at(MonotonicTime later);
  /// What has not started of this receiver.
  Chunk forget(const Completions& done);
  /// Whether anything of this receiver is in hand.
  bool has_any(const Completions& done);
  /// Gives the worker up if it runs a handler for this receiver. Returns what it had finished.
  std::optional<Answers> abandon_running(const Completions& done);
  /// Nothing is started here any more. Returns what had not been.
  Chunk close();
  /// Gives the worker up, wherever it is. Returns what it had finished.
  Answers abandon();

 private:
  Answers answers();
  Chunk rest();
  MonotonicTime next_look() const;

  // Guarded by mutex_.
  std::mutex mutex_;
  Chunk chunk_;
  std::size_t next_ = 0;  ///< Of the chunk: what is started next.
  std::vector<Report> finished_;
  bool is_running_ = false;
  Ticket ticket_ = 0;
  MonotonicTime started_at_;
  Duration timeout_ = {};
  std::stop_source stop_{std::nostopstate};
  bool is_closed_ = false;
  bool is_abandoned_ = false;
};

}  // namespace makegood::local
