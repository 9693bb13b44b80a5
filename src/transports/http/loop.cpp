#include "transports/http/loop.hpp"

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

Result<std::unique_ptr<Loop>> Loop::start(const ClientWorld& world) {
  std::unique_ptr<Loop> loop(new Loop(MAKEGOOD_TRY(Poller::open())));
  loop->client_ = MAKEGOOD_TRY(Client::open(world, loop->poller_));
  try {
    loop->thread_ = std::jthread([&running = *loop] { running.run(); });
  } catch (const std::system_error&) {
    return Error{Errc::unavailable, "The system has no thread for the HTTP client."};
  }
  return loop;
}

Loop::~Loop() {
  close(real_now());
  join();
}

void Loop::send(std::vector<Delivery> deliveries, Completions& done) {
  if (inbox_.put({.deliveries = std::move(deliveries), .done = &done, .sent_at = real_now()})) poller_.ring();
}

void Loop::close(MonotonicTime end_at) {
  inbox_.close(end_at);
  poller_.ring();
}

void Loop::join() {
  if (thread_.joinable()) thread_.join();
}

void Loop::run() {
  block_signals();
  for (;;) {
    take_inbox();
    client_->go_on();  // Before the end too: what is done is told, however short the grace.
    if (has_ended()) break;
    for (const Ready& ready : poller_.wait(patience())) client_->ready(ready);
  }
  client_.reset();  // Here, so that whoever joins finds every connection closed.
}

void Loop::take_inbox() {
  for (Inbox::Batch& batch : inbox_.take_all()) {
    client_->take(std::move(batch.deliveries), *batch.done, batch.sent_at);
  }
}

bool Loop::has_ended() {
  const auto end_at = inbox_.end_at();
  if (!end_at) return false;
  client_->stop_starting();
  return client_->is_idle() || real_now() >= *end_at;
}

std::optional<Duration> Loop::patience() {
  std::optional<Duration> patience = client_->next_timeout();
  if (const auto end_at = inbox_.end_at())
    patience = std::min(patience.value_or(Duration::max()), *end_at - real_now());
  return patience;
}

}  // namespace makegood::http
