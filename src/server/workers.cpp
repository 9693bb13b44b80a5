#include "server/workers.hpp"

#include <exception>
#include <utility>

namespace makegood::server {
namespace {

/// A call must not end the process: what throws here is a lack of memory, or a mistake of ours.
api::Answer guarded(const Workers::Task& task, api::Api& api) {
  try {
    return task(api);
  } catch (const std::exception& exception) {
    return api::problem(
        {Errc::internal, "The call could not be carried out; the server's log may tell more.", exception.what()});
  }
}

}  // namespace

Workers::Workers(const api::ApiContext& api_context, std::size_t count, std::size_t tasks_max, Deliver deliver)
    : api_context_(api_context), tasks_max_(tasks_max), deliver_(std::move(deliver)) {
  threads_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  }
}

bool Workers::submit(Task task, std::shared_ptr<Caller> caller) {
  {
    const std::scoped_lock lock(mutex_);
    if (tasks_.size() >= tasks_max_) return false;
    tasks_.push_back({std::move(task), std::move(caller)});
  }
  has_task_.notify_one();
  return true;
}

void Workers::stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();  // Joins.
}

void Workers::run(const std::stop_token& stop) {
  api::Api api(api_context_);
  while (true) {
    std::unique_lock lock(mutex_);
    if (!has_task_.wait(lock, stop, [this] { return !tasks_.empty(); }) || stop.stop_requested()) return;
    Waiting next = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    api::Answer answer = guarded(next.task, api);
    std::vector<Reply> replies;
    replies.push_back({std::move(next.caller), std::move(answer)});
    deliver_(std::move(replies));
  }
}

}  // namespace makegood::server
