// Group commit: the messages of all calls that arrive while one commit is under way go into the next.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/enqueue.hpp"
#include "makegood/spi/store.hpp"
#include "server/reply.hpp"

namespace makegood::server {

struct EnqueueTask {
  api::EnqueueCall call;
  std::shared_ptr<Caller> caller;
};

class EnqueueQueue {
 public:
  using Open = std::function<Result<std::unique_ptr<OutboxStore>>(std::string_view outbox)>;
  struct Parts {
    Open open;
    Deliver deliver;
    std::function<void(std::string_view outbox)> enqueued;  ///< After each commit, before the callers are told.
  };
  static constexpr std::size_t messages_max = 20'000;  ///< That may wait, and one call beyond.
  static constexpr std::size_t commit_messages_max = 1'000;

  explicit EnqueueQueue(Parts parts);
  ~EnqueueQueue() { stop(); }
  EnqueueQueue(const EnqueueQueue&) = delete;
  EnqueueQueue& operator=(const EnqueueQueue&) = delete;

  /// Takes as many as there is room for, and answers the others: too many wait already.
  std::vector<EnqueueTask> push(std::vector<EnqueueTask> tasks);
  /// Waits for the commit under way; what has not begun is dropped, and its callers hear nothing.
  void stop();

 private:
  void run(const std::stop_token& stop);
  std::vector<EnqueueTask> take(const std::stop_token& stop);
  void commit(std::span<EnqueueTask> group);
  Result<std::vector<Enqueued>> enqueue(const std::string& outbox, std::span<const NewMessage> messages);
  void commit_each(std::span<EnqueueTask> group, std::vector<Reply>& replies);

  const Parts parts_;
  std::map<std::string, std::unique_ptr<OutboxStore>, std::less<>> stores_;  // Used by its thread only.

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable_any has_task_;
  std::vector<EnqueueTask> tasks_;
  std::size_t message_count_ = 0;

  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace makegood::server
