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
    if (tasks_.size() + later_.size() >= tasks_max_) return false;
    tasks_.push_back({std::move(task), std::move(caller)});
  }
  has_task_.notify_one();
  return true;
}

void Workers::stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();  // Joins.
}

/// What was put off and is due comes first: it has waited longer.
std::optional<Workers::Waiting> Workers::take() {
  if (!later_.empty() && later_.begin()->first <= system_clock().monotonic()) {
    return std::move(later_.extract(later_.begin()).mapped());
  }
  if (tasks_.empty()) return std::nullopt;
  Waiting next = std::move(tasks_.front());
  tasks_.pop_front();
  return next;
}

std::optional<Workers::Waiting> Workers::next(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (auto taken = take()) return taken;
    if (later_.empty()) {
      has_task_.wait(lock, stop, [this] { return !tasks_.empty() || !later_.empty(); });
    } else {
      const MonotonicTime due = later_.begin()->first;
      has_task_.wait_until(lock, stop, due,
                           [&] { return !tasks_.empty() || later_.empty() || later_.begin()->first < due; });
    }
  }
  return std::nullopt;
}

void Workers::ask_again(const api::Later& later, std::shared_ptr<Caller> caller) {
  Waiting waiting{.task = [call = later.call](api::Api& api) { return api.begin(call); }, .caller = std::move(caller)};
  {
    const std::scoped_lock lock(mutex_);
    later_.emplace(system_clock().monotonic() + later.in, std::move(waiting));
  }
  has_task_.notify_one();
}

void Workers::run(const std::stop_token& stop) {
  api::Api api(api_context_);
  while (auto next = this->next(stop)) {
    api::Answer answer = guarded(next->task, api);
    if (answer.later != nullptr) {
      ask_again(*answer.later, std::move(next->caller));
      continue;
    }
    std::vector<Reply> replies;
    replies.push_back({std::move(next->caller), std::move(answer)});
    deliver_(std::move(replies));
  }
}

}  // namespace makegood::server
