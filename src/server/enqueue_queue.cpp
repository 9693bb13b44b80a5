#include "server/enqueue_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/store_trouble.hpp"

namespace makegood::server {
namespace {

/// The first calls of one outbox that make a commit; at least one.
std::size_t group_size(std::span<const EnqueueTask> tasks) {
  std::size_t messages = tasks.front().call.messages.size();
  std::size_t size = 1;
  for (; size < tasks.size(); ++size) {
    if (tasks[size].call.outbox != tasks.front().call.outbox) break;
    messages += tasks[size].call.messages.size();
    if (messages > EnqueueQueue::commit_messages_max) break;
  }
  return size;
}

/// Moved, not copied; `give_back` undoes it, because an answer names what it is about.
std::vector<NewMessage> join_messages(std::span<EnqueueTask> group) {
  std::vector<NewMessage> all;
  for (EnqueueTask& task : group) std::ranges::move(task.call.messages, std::back_inserter(all));
  return all;
}
void give_back(std::vector<NewMessage> all, std::span<EnqueueTask> group) {
  auto next = all.begin();
  for (EnqueueTask& task : group) {
    for (NewMessage& message : task.call.messages) message = std::move(*next++);
  }
}

}  // namespace

EnqueueQueue::EnqueueQueue(Parts parts)
    : parts_(std::move(parts)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::vector<EnqueueTask> EnqueueQueue::push(std::vector<EnqueueTask> tasks) {
  auto next = tasks.begin();
  {
    const std::scoped_lock lock(mutex_);
    for (; next != tasks.end() && message_count_ < messages_max; ++next) {
      message_count_ += next->call.messages.size();
      tasks_.push_back(std::move(*next));
    }
  }
  has_task_.notify_one();
  tasks.erase(tasks.begin(), next);
  return tasks;
}

void EnqueueQueue::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void EnqueueQueue::run(const std::stop_token& stop) {
  while (true) {
    std::vector<EnqueueTask> tasks = take(stop);
    if (tasks.empty()) return;
    // Calls of one outbox side by side, in the order in which they came. Mostly there is only one.
    const auto outbox_of = [](const EnqueueTask& task) -> const std::string& { return task.call.outbox; };
    if (!std::ranges::is_sorted(tasks, {}, outbox_of)) std::ranges::stable_sort(tasks, {}, outbox_of);
    std::span<EnqueueTask> rest = tasks;
    while (!rest.empty() && !stop.stop_requested()) {
      const std::size_t size = group_size(rest);
      commit(rest.first(size));
      rest = rest.subspan(size);
    }
  }
}

/// All that wait; nothing when the end has come.
std::vector<EnqueueTask> EnqueueQueue::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!has_task_.wait(lock, stop, [this] { return !tasks_.empty(); }) || stop.stop_requested()) return {};
  message_count_ = 0;
  return std::exchange(tasks_, {});
}

void EnqueueQueue::commit(std::span<EnqueueTask> group) {
  const std::string& outbox = group.front().call.outbox;
  std::vector<Reply> replies;
  replies.reserve(group.size());
  std::vector<NewMessage> messages = join_messages(group);
  const auto enqueued = enqueue(outbox, messages);
  give_back(std::move(messages), group);
  if (!enqueued && group.size() > 1 && !is_of_the_store(enqueued.error().code)) {
    commit_each(group, replies);
  } else if (!enqueued) {
    for (EnqueueTask& task : group) replies.push_back({std::move(task.caller), enqueue_answer(task.call, enqueued)});
  } else {
    auto next = enqueued->begin();
    for (EnqueueTask& task : group) {
      const auto end = std::next(next, std::ssize(task.call.messages));
      const Result<std::vector<Enqueued>> part = std::vector<Enqueued>(std::exchange(next, end), end);
      replies.push_back({std::move(task.caller), enqueue_answer(task.call, part)});
    }
  }
  if (parts_.enqueued) parts_.enqueued(outbox);
  parts_.deliver(std::move(replies));
}

/// One bad call must not hurt the others.
void EnqueueQueue::commit_each(std::span<EnqueueTask> group, std::vector<Reply>& replies) {
  for (EnqueueTask& task : group) {
    replies.push_back(
        {std::move(task.caller), enqueue_answer(task.call, enqueue(task.call.outbox, task.call.messages))});
  }
}

Result<std::vector<Enqueued>> EnqueueQueue::enqueue(const std::string& outbox, std::span<const NewMessage> messages) {
  std::unique_ptr<OutboxStore>& store = stores_[outbox];
  if (!store) store = MAKEGOOD_TRY(parts_.open(outbox));
  auto enqueued = store->enqueue(messages);
  if (!enqueued && is_of_the_store(enqueued.error().code)) store.reset();  // A new connection may be better.
  return enqueued;
}

}  // namespace makegood::server
