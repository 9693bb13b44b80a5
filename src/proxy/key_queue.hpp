// The thread that claims and settles keys. What comes while one commit is under way shares the next one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

#include "engine/renewals.hpp"

namespace makegood::proxy {

/// A claim that is renewed until it is settled.
struct HeldClaim {
  ClaimToken claim = {};
  Renewals::Place place = {};
};

struct ClaimTask {
  struct Claimed {
    ClaimAnswer answer = {};
    HeldClaim held = {};  ///< Of a fresh one.
  };
  ClaimRequest request = {};  ///< With a token: a claim whose answer was lost is asked for again.
  MonotonicTime since = {};
  std::function<void(Result<Claimed>)> done = {};
};

/// The lease ends now: the key is in doubt from then on.
struct InDoubt {};

struct SettleTask {
  HeldClaim held = {};
  std::variant<StoredResult, Failure, InDoubt> as = {};
  std::function<void(Result<>)> done = {};
};

class KeyQueue {
 public:
  using Deliver = std::function<void(std::vector<std::function<void()>>)>;
  struct Parts {
    Renewals& renewals;
    Deliver deliver;    ///< Runs all of them, soon, on the thread that asked.
    Duration patience;  ///< How long a store that fails is asked again.
  };
  KeyQueue(std::unique_ptr<IdempotencyStore> store, Parts parts);
  ~KeyQueue() { stop(); }
  KeyQueue(const KeyQueue&) = delete;
  KeyQueue& operator=(const KeyQueue&) = delete;

  // Each is answered once, unless it is stopped before.
  void claim(ClaimTask task);
  void settle(SettleTask task);
  /// The store did not do what it was last asked. It is asked every second until it does.
  bool is_failing() const { return is_failing_.load(std::memory_order_relaxed); }
  /// Ends after the commit under way.
  void stop();

 private:
  struct Tasks {
    std::vector<ClaimTask> claims;
    std::vector<SettleTask> settles;
    bool empty() const { return claims.empty() && settles.empty(); }
  };
  void run(const std::stop_token& stop);
  Tasks take(const std::stop_token& stop);
  void probe();
  void note(const Error* error);
  void claim_all(std::vector<ClaimTask>& tasks, const std::stop_token& stop);
  void settle_all(std::vector<SettleTask>& tasks, const std::stop_token& stop);
  void finish_all(std::vector<SettleTask*>& tasks, std::vector<Result<>>& results, const std::stop_token& stop);
  Result<> settle_one(const SettleTask& task);
  bool may_ask_again(const Error& error, MonotonicTime since, const std::stop_token& stop) const;

  // Constant after construction.
  const std::unique_ptr<IdempotencyStore> store_;  ///< Used by its thread only.
  const Parts parts_;
  std::atomic<bool> is_failing_ = false;

  std::mutex mutex_;
  std::condition_variable_any has_task_;
  Tasks tasks_;  ///< Guarded by mutex_.

  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace makegood::proxy
