// Starts of sagas: those of all calls that arrive while one commit is under way go into the next. Whoever waits for an
// outcome holds no thread; he is answered when the orchestrator of this process has told of it, or, where another node
// carries the executions out, when a look now and then finds it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/saga_start.hpp"
#include "makegood/observe.hpp"
#include "server/reply.hpp"
#include "server/saga_waits.hpp"

namespace makegood::server {

struct StartTask {
  api::SagaStartCall call;
  std::shared_ptr<Caller> caller;
};

class SagaQueue {
 public:
  struct Parts {
    std::function<Result<api::SagaAccess>()> open;
    Deliver deliver;
    std::function<void()> started;  ///< After each commit, before the callers are told. May be null.
  };
  static constexpr std::size_t callers_max = 10'000;
  static constexpr std::size_t commit_starts_max = 1'000;

  explicit SagaQueue(Parts parts);
  ~SagaQueue() { stop(); }
  SagaQueue(const SagaQueue&) = delete;
  SagaQueue& operator=(const SagaQueue&) = delete;

  /// False: too many wait already, and this one was not taken.
  bool push(StartTask task);
  /// What has become of executions. Thread-safe.
  void tell(std::span<const SagaNews> news);
  /// Whether this process carries executions out, and will tell of their outcomes. Thread-safe.
  void tell(const SagaFigures& figures) { is_told_ = figures.is_owner; }
  /// From now on nobody waits: who does, or comes, is told what has become of his execution until now. Thread-safe.
  void wind_up();
  /// Waits for the commit under way; whoever still waits hears nothing.
  void stop();

 private:
  /// An execution of which somebody has told, and what it returns if it is completed.
  struct Told {
    SagaId id;
    std::string definition;
    std::optional<std::string> output;
  };
  struct Work {
    std::vector<StartTask> tasks;
    std::vector<Told> told;
  };

  void run(const std::stop_token& stop);
  Work take(const std::stop_token& stop);
  void commit(std::span<StartTask> tasks);
  Result<> check_definition(const api::SagaStartCall& call);
  Result<std::vector<Enqueued>> append(std::span<const NewMessage> rows);
  void settle(StartTask& task, const Result<Enqueued>& appended);
  void look(std::span<const Told> told);
  void answer_completed(const Told& told);
  Result<> look_at(std::span<const Sequence> executions);
  Result<> look_at(const SagaLoaded& execution);
  void answer(SagaWaits::Wait wait, api::Answer answer);
  Result<api::SagaAccess*> access();
  void forget(const Error& error);
  void flush();

  const Parts parts_;
  std::atomic<bool> is_told_ = false;
  std::atomic<bool> is_winding_up_ = false;

  // Used by its thread only.
  std::optional<api::SagaAccess> access_;
  std::set<std::pair<std::string, std::int64_t>> known_;  ///< Definitions that are there: none ever goes.
  SagaWaits waits_;
  std::vector<Reply> replies_;
  std::vector<SagaId> answered_;  ///< Of those who waited.

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable_any has_work_;
  std::vector<StartTask> tasks_;
  std::multiset<SagaId> awaited_;  ///< From before the start is committed until the caller is answered.
  std::vector<Told> told_;
  std::size_t caller_count_ = 0;
  bool is_woken_ = false;

  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace makegood::server
