// The threads that answer calls, each with its own connections to the store.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "api/api.hpp"
#include "server/reply.hpp"

namespace makegood::server {

class Workers {
 public:
  using Task = std::function<api::Answer(api::Api&)>;

  /// `api_context` must outlive it.
  Workers(const api::ApiContext& api_context, std::size_t count, std::size_t tasks_max, Deliver deliver);
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// False: too many wait already, and this one was not taken.
  bool submit(Task task, std::shared_ptr<Caller> caller);
  /// What has not begun is dropped; what has is waited for.
  void stop();

 private:
  struct Waiting {
    Task task;
    std::shared_ptr<Caller> caller;
  };
  void run(const std::stop_token& stop);
  /// Nothing: it is to stop.
  std::optional<Waiting> next(const std::stop_token& stop);
  std::optional<Waiting> take();
  void ask_again(const api::Later& later, std::shared_ptr<Caller> caller);

  // Constant after construction.
  const api::ApiContext& api_context_;
  const std::size_t tasks_max_;
  const Deliver deliver_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable_any has_task_;
  std::deque<Waiting> tasks_;
  std::multimap<MonotonicTime, Waiting> later_;  ///< Answers that were not there yet; they hold no thread.

  std::vector<std::jthread> threads_;  // Last: they use all of the above.
};

}  // namespace makegood::server
