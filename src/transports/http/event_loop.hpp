// One thread with a client, and how others speak to it. What is under way at its end is given up.
#pragma once

#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "transports/http/client.hpp"
#include "transports/http/poller.hpp"
#include "transports/http/send_queue.hpp"

namespace makegood::http {

class EventLoop {
 public:
  static Result<std::unique_ptr<EventLoop>> start(const ClientWorld& world);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// From any thread.
  void send(std::vector<Delivery> deliveries, Completions& done);
  /// Ready once nothing that was sent for `done` is under way: by `end_at` at the latest. From any thread.
  std::future<void> drain(Completions& done, MonotonicTime end_at);

 private:
  explicit EventLoop(Poller poller) : poller_(std::move(poller)) {}

  void run();
  void take_sends();
  void drain();
  std::optional<Duration> patience();

  Poller poller_;
  SendQueue sends_;
  std::unique_ptr<Client> client_;        ///< Of the thread, once it runs.
  std::vector<SendQueue::Drain> drains_;  ///< Likewise.
  std::jthread thread_;
};

}  // namespace makegood::http
