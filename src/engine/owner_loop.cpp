#include "engine/owner_loop.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "makegood/id.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::engine {
namespace {

using namespace std::chrono_literals;

/// How often what somebody else owns is asked for. On SQLite a dead owner is noticed this fast.
constexpr Duration take_interval = 50ms;
constexpr Duration trouble_wait_min = 10ms;
constexpr Duration trouble_wait_max = 1s;

void listen_to(int events, int descriptor) {
  epoll_event event{.events = EPOLLIN, .data = {}};
  MAKEGOOD_ASSERT(epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event) == 0);
}

/// What broke says more than that the outcome is unknown.
Error told_as(const Error& error) {
  Error told = error;
  if (error.cause) told.code = *error.cause;
  return told;
}

}  // namespace

OwnerLoop::OwnerLoop(Owned& owned, WakeUp& wake_up, const Clock& clock)
    : owned_(owned), wake_up_(wake_up), clock_(clock), events_(epoll_create1(EPOLL_CLOEXEC)), poll_(owned) {
  MAKEGOOD_ASSERT(events_.number() >= 0);
  listen_to(events_.number(), wake_up_.descriptor());
}

OwnerLoop::~OwnerLoop() { stop(5s); }

void OwnerLoop::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void OwnerLoop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) run_once(clock_.monotonic() + owned_.pace().safety_interval);
}

void OwnerLoop::stop(Duration grace) {
  if (thread_.joinable()) {
    thread_.request_stop();
    wake_up_.wake();
    thread_.join();
  }
  if (!std::exchange(is_finished_, true)) finish(grace);
}

/// Nothing new starts; what is under way may end, while the lease is renewed; one last turn records it and gives up
/// what is owned.
void OwnerLoop::finish(Duration grace) {
  owned_.stop();
  std::atomic<bool> is_drained = false;
  const std::jthread drainer([&] {
    owned_.drain(grace);
    is_drained = true;
    wake_up_.wake();
  });
  while (!is_drained) run_once(clock_.monotonic() + owned_.pace().safety_interval);
  handle(wake_up_.take());
  if (!owned_.is_owner()) return;
  owned_.give_up();
  exchange();
  owned_.report();
}

bool OwnerLoop::run_once(MonotonicTime deadline) {
  const MonotonicTime now = clock_.monotonic();
  const MonotonicTime until = std::min(deadline, next_wake());
  if (until > now) wait_for(events_.number(), until - now);
  return handle(wake_up_.take());
}

/// True if there was an exchange or anything to send.
bool OwnerLoop::handle(bool is_woken) {
  if (!owned_.has_turn()) owned_.take_settings();
  const MonotonicTime now = clock_.monotonic();
  owned_.absorb();
  const bool has_sent = owned_.release(now, lease_);

  const bool is_calm = now >= trouble_until_;
  if (is_calm && !owned_.is_owner() && now >= take_at_ && !is_finished_) take();
  const bool may_exchange = is_calm && owned_.is_owner();
  const bool is_due =
      may_exchange && (is_woken || owned_.has_turn() || owned_.next_exchange(now) <= clock_.monotonic());
  // An exchange reads anyway; skip the poll.
  const bool has_exchanged = is_due || (poll_.may_have_changed(clock_.monotonic()) && may_exchange);
  if (has_exchanged) exchange();
  owned_.report();
  return has_sent || has_exchanged;
}

/// First the clock of the lease: if we are stopped between the two, it is over the sooner.
OwnerLoop::Began OwnerLoop::begin_exchange() const {
  const Duration on_lease_clock = Lease::now();
  return {.on_lease_clock = on_lease_clock, .at = clock_.monotonic()};
}

void OwnerLoop::take() {
  began_ = begin_exchange();
  const Owner owner = new_ulid();
  const auto is_taken = owned_.take(owner, owner_, began_.at);
  take_at_ = began_.at + take_interval;
  if (!is_taken) return wait_after(is_taken.error());
  trouble_count_ = 0;
  if (!*is_taken) return;
  lease_ = std::make_shared<Lease>(lease_end());
  owner_ = owner;
  listen();
  owned_.ownership_changed("taken", owner_);
}

void OwnerLoop::listen() {
  const int signs = owned_.change_descriptor();
  if (std::exchange(is_listening_, signs >= 0) || signs < 0) return;
  listen_to(events_.number(), signs);
}

void OwnerLoop::exchange() {
  if (!owned_.has_turn() && !look()) return;
  if (owned_.has_turn()) commit();
  owned_.absorb();  // What ended meanwhile, so that what follows it goes at once.
  owned_.release(clock_.monotonic(), lease_);
}

/// An error: another owner has written, or the database has forgotten our last turns, so its own position is the truth.
bool OwnerLoop::look() {
  began_ = begin_exchange();
  const auto has_found = owned_.look(began_.at);
  if (has_found) {
    if (*has_found) poll_.expect_more(clock_.monotonic());
  } else if (has_found.error().code == Errc::fenced) {
    lose(has_found.error());
  } else {
    wait_after(has_found.error());
  }
  return has_found.has_value();
}

void OwnerLoop::commit() {
  const auto committed = owned_.commit();
  if (committed) {
    trouble_count_ = 0;
    lease_->extend(lease_end());
    if (!owned_.is_owner()) owned_.ownership_changed("given up", owner_);
  } else if (committed.error().code == Errc::fenced || committed.error().code == Errc::in_doubt) {
    lose(committed.error());
  } else {
    wait_after(committed.error());  // Certainly not written: the same turn is tried again.
  }
}

/// On the clock of the lease, as long after the exchange began as on ours.
Duration OwnerLoop::lease_end() const {
  return owned_.is_owner() ? began_.on_lease_clock + (owned_.send_until() - began_.at) : Duration::min();
}

/// Fenced or in doubt are one case: we no longer know what the store knows, so we start anew from what it says.
void OwnerLoop::lose(const Error& error) {
  owned_.forget();
  lease_->end();
  take_at_ = {};
  owned_.alarm(told_as(error));
  owned_.ownership_changed("lost", owner_);
}

void OwnerLoop::wait_after(const Error& error) {
  const Duration wait = std::min(trouble_wait_min * (1 << std::min(trouble_count_, 10U)), trouble_wait_max);
  ++trouble_count_;
  trouble_until_ = clock_.monotonic() + wait;
  owned_.alarm(told_as(error));
}

MonotonicTime OwnerLoop::next_wake() {
  const MonotonicTime now = clock_.monotonic();
  if (now < trouble_until_) return std::min(trouble_until_, owned_.next_release(now));
  if (!owned_.is_owner()) return is_finished_ ? MonotonicTime::max() : take_at_;
  if (owned_.has_turn()) return now;
  return std::min({owned_.next_exchange(now), owned_.next_release(now), poll_.next()});
}

}  // namespace makegood::engine
