// Renews the claims that this process holds, on a thread and a connection of its own, until they are settled or lost.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "makegood/spi/idempotency_store.hpp"

namespace makegood {

class Renewals {
 public:
  /// The store is used by the thread alone.
  explicit Renewals(std::unique_ptr<IdempotencyStore> store);
  ~Renewals();
  Renewals(const Renewals&) = delete;
  Renewals& operator=(const Renewals&) = delete;

  struct Held {
    ClaimToken claim;
    Duration lease;
    MonotonicTime due;    ///< For the next renewal.
    MonotonicTime until;  ///< As long as nobody can have taken it over.
    bool is_lost = false;
  };
  using Place = std::list<Held>::iterator;

  /// `since`: a moment before the claim was asked for.
  Place hold(const ClaimToken& claim, Duration lease, MonotonicTime since);
  void let_go(Place place);
  bool is_held(Place place) const;

 private:
  void run(const std::stop_token& stop);
  /// The one whose renewal is due next; the end: there is none.
  Place next();
  void renew(Place place, std::unique_lock<std::mutex>& lock);
  void sleep(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  const std::unique_ptr<IdempotencyStore> store_;
  mutable std::mutex mutex_;
  std::condition_variable_any has_changed_;
  // Guarded by mutex_.
  std::list<Held> held_;
  std::optional<Place> renewing_;  ///< The thread has it in hand.
  MonotonicTime wakes_at_ = {};    ///< The thread sleeps until then.
  bool is_due_earlier_ = false;    ///< One is due before that.
  std::jthread thread_;            ///< The last member: it is joined before anything else is gone.
};

}  // namespace makegood
