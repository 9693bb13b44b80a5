// One thread with a client, and how others speak to it. What is under way at its end is given up.
//
// A client carries deliveries on the loop's thread: it has `take`, `ready`, `go_on`, `next_timeout`, `stop_starting`,
// `has_under_way` and `give_up`, as http::Client says what they mean.
#pragma once

#include <algorithm>
#include <csignal>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/real_time.hpp"
#include "transports/net/poller.hpp"
#include "transports/net/send_queue.hpp"

namespace makegood::net {

/// Signals are for the program's own threads. SIGPIPE is not even an accident here.
inline void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

template <class Client>
class EventLoop {
 public:
  /// `open` makes the client with the loop's poller: Result<std::unique_ptr<Client>>(Poller&).
  template <class Open>
  static Result<std::unique_ptr<EventLoop>> start(Open open) {
    std::unique_ptr<EventLoop> loop(new EventLoop(MAKEGOOD_TRY(Poller::open())));
    loop->client_ = MAKEGOOD_TRY(open(loop->poller_));
    try {
      loop->thread_ = std::jthread([&running = *loop] { running.run(); });
    } catch (const std::system_error&) {
      return Error{Errc::unavailable, "The system has no thread for a client of the network."};
    }
    return loop;
  }
  ~EventLoop() {
    sends_.close();
    poller_.ring();
  }
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// From any thread.
  void send(std::vector<Delivery> deliveries, Completions& done) {
    if (sends_.put({.deliveries = std::move(deliveries), .done = &done, .sent_at = real_now()})) poller_.ring();
  }
  /// Ready once nothing that was sent for `done` is under way: by `end_at` at the latest. From any thread.
  std::future<void> drain(Completions& done, MonotonicTime end_at) {
    SendQueue::Drain drain{.done = &done, .end_at = end_at};
    auto drained = drain.drained.get_future();
    sends_.put(std::move(drain));
    poller_.ring();
    return drained;
  }

 private:
  explicit EventLoop(Poller poller) : poller_(std::move(poller)) {}

  void run() {
    block_signals();
    for (;;) {
      take_sends();
      client_->go_on();
      drain();  // Only now: what is done is told, however short the grace.
      if (sends_.is_closed()) break;
      for (const Ready& ready : poller_.wait(patience())) client_->ready(ready);
    }
    client_.reset();  // Here, so that whoever joins finds every connection closed.
  }

  void take_sends() {
    for (SendQueue::Batch& batch : sends_.take_all()) {
      client_->take(std::move(batch.deliveries), *batch.done, batch.sent_at);
    }
  }

  void drain() {
    for (SendQueue::Drain& drain : sends_.take_drains()) {
      client_->stop_starting(*drain.done);
      drains_.push_back(std::move(drain));
    }
    std::erase_if(drains_, [this](SendQueue::Drain& drain) {
      if (client_->has_under_way(*drain.done) && real_now() < drain.end_at) return false;
      client_->give_up(*drain.done);
      sends_.drained(drain);
      return true;
    });
  }

  std::optional<Duration> patience() {
    std::optional<Duration> patience = client_->next_timeout();
    for (const SendQueue::Drain& drain : drains_) {
      patience = std::min(patience.value_or(Duration::max()), drain.end_at - real_now());
    }
    return patience;
  }

  Poller poller_;
  SendQueue sends_;
  std::unique_ptr<Client> client_;        ///< Of the thread, once it runs.
  std::vector<SendQueue::Drain> drains_;  ///< Likewise.
  std::jthread thread_;
};

}  // namespace makegood::net
