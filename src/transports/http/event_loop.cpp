#include "transports/http/event_loop.hpp"

#include <algorithm>
#include <csignal>
#include <system_error>
#include <utility>

#include "base/real_time.hpp"

namespace makegood::http {
namespace {

/// Signals are for the program's own threads. SIGPIPE is not even an accident here.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

Result<std::unique_ptr<EventLoop>> EventLoop::start(const ClientWorld& world) {
  std::unique_ptr<EventLoop> loop(new EventLoop(MAKEGOOD_TRY(Poller::open())));
  loop->client_ = MAKEGOOD_TRY(Client::open(world, loop->poller_));
  try {
    loop->thread_ = std::jthread([&running = *loop] { running.run(); });
  } catch (const std::system_error&) {
    return Error{Errc::unavailable, "The system has no thread for the HTTP client."};
  }
  return loop;
}

EventLoop::~EventLoop() {
  sends_.close();
  poller_.ring();
}

void EventLoop::send(std::vector<Delivery> deliveries, Completions& done) {
  if (sends_.put({.deliveries = std::move(deliveries), .done = &done, .sent_at = real_now()})) poller_.ring();
}

std::future<void> EventLoop::drain(Completions& done, MonotonicTime end_at) {
  SendQueue::Drain drain{.done = &done, .end_at = end_at};
  auto drained = drain.drained.get_future();
  sends_.put(std::move(drain));
  poller_.ring();
  return drained;
}

void EventLoop::run() {
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

void EventLoop::take_sends() {
  for (SendQueue::Batch& batch : sends_.take_all()) {
    client_->take(std::move(batch.deliveries), *batch.done, batch.sent_at);
  }
}

void EventLoop::drain() {
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

std::optional<Duration> EventLoop::patience() {
  std::optional<Duration> patience = client_->next_timeout();
  for (const SendQueue::Drain& drain : drains_) {
    patience = std::min(patience.value_or(Duration::max()), drain.end_at - real_now());
  }
  return patience;
}

}  // namespace makegood::http
