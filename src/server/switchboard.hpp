// Who answers a call: this thread at once, the group commit, or a worker.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/api.hpp"
#include "api/call.hpp"
#include "server/enqueue_queue.hpp"
#include "server/figures.hpp"
#include "server/reply.hpp"
#include "server/saga_queue.hpp"
#include "server/server.hpp"
#include "server/workers.hpp"

namespace makegood::server {

/// Used by the thread that reads and writes.
class Switchboard {
 public:
  /// All must outlive it.
  struct Parts {
    const ServerOptions& options;
    const api::ApiContext& api_context;
    const Process& process;
    Figures& figures;
    Workers& workers;
    EnqueueQueue& enqueues;
    SagaQueue& sagas;
    /// Runs it on this thread, after everything that is ready now.
    std::function<void(std::function<void()>)> soon;
  };
  explicit Switchboard(Parts parts) : parts_(std::move(parts)) {}

  /// The answer, or nothing: then it comes to the caller later.
  std::optional<api::Answer> connect(api::Call call, const std::shared_ptr<Caller>& caller);

 private:
  std::optional<api::Answer> own_route(const api::Call& call);
  std::optional<api::Answer> enqueue(const api::Call& call, const std::shared_ptr<Caller>& caller, bool& is_taken);
  std::optional<api::Answer> start(const api::Call& call, const std::shared_ptr<Caller>& caller, bool& is_taken);
  api::Answer readiness() const;
  bool is_metrics_path(std::string_view path) const;
  void gather(EnqueueTask task);
  void hand_over();
  api::Answer busy();

  Parts parts_;
  std::vector<EnqueueTask> gathered_;  ///< Calls that were ready at the same time: one lock and one wake-up for all.
};

}  // namespace makegood::server
