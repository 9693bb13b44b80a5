#include "bench/server/bare_log.hpp"

#include <utility>

namespace makegood::bench {
namespace {

/// As large as what enqueue.lua sends.
NewMessage sample() {
  NewMessage message;
  message.topic = "bench.evt";
  message.payload = R"({"order":"1234567","amount":4200,"currency":"EUR","fill":")" + std::string(150, 'A') + R"("})";
  return message;
}

}  // namespace

BareLog::BareLog(const std::string& store_url, Stored stored)
    : bare_(open_bare(store_url)),
      stored_(std::move(stored)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void BareLog::store(std::function<void()> answer) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(answer));
  }
  is_asked_.notify_one();
}

void BareLog::run(const std::stop_token& stop) {
  const NewMessage message = sample();
  while (true) {
    std::unique_lock lock(mutex_);
    if (!is_asked_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
    auto answers = std::exchange(waiting_, {});
    lock.unlock();
    bare_->insert(message, answers.size());
    stored_(std::move(answers));
  }
}

}  // namespace makegood::bench
