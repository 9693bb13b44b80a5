#include "transports/local/pool.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/real_time.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/assert.hpp"
#include "transports/local/run.hpp"

namespace makegood::local {
namespace {

constexpr std::size_t chunk_max = 32;
/// The watchdog's longest sleep, and how soon it tries again when the system had no thread for us.
constexpr Duration longest_sleep = std::chrono::minutes(1);
constexpr Duration thread_retry_interval = std::chrono::milliseconds(100);
/// Keeps `now + grace` from overflowing.
constexpr Duration grace_max = std::chrono::hours(24);

thread_local std::stop_token stop_token_here;

/// Without a lock: what a step does when it is asked to stop is its own affair.
void ask_to_stop(std::vector<std::stop_source>& steps) {
  for (std::stop_source& step : steps) step.request_stop();
}

Reply refused() {
  return Reply::said(Outcome::retry(std::string(to_string(Errc::unavailable)), "Too many handlers have not returned."));
}

}  // namespace

std::stop_token stop_token_of_this_thread() { return stop_token_here; }

Pool::Pool(HandlersOptions options) : options_(options), crew_(options.threads) {
  MAKEGOOD_ASSERT(options_.threads > 0);
  MAKEGOOD_ASSERT(options_.abandoned_max > 0);
}

Pool::~Pool() { MAKEGOOD_ASSERT(crew_.is_empty() && !watchdog_.joinable()); }

HandlerRoutes& Pool::registration() {
  const std::lock_guard lock(mutex_);
  MAKEGOOD_ASSERT(!is_started_);
  return routes_;
}

TransportFeatures Pool::features() const { return {.scheme = scheme, .keeps_order_per_key = false}; }

void Pool::send(std::vector<Delivery> deliveries, Completions& done) {
  const std::lock_guard lock(mutex_);
  const bool is_draining = std::ranges::find(draining_, &done) != draining_.end();
  if (is_stopping_ || is_draining || deliveries.empty()) return;
  if (!is_started_) start_threads();
  queue_.push_back({.deliveries = std::move(deliveries), .done = &done});
  wake_worker();
}

// Threads
// ----------------------------------------------------------------------------------------------------------------

void Pool::start_threads() {
  is_started_ = true;
  fill_up();
  watchdog_ = std::thread([this] { watch(); });
}

/// False if the system had no thread to give; the watchdog tries again.
bool Pool::fill_up() {
  return is_stopping_ || crew_.fill_up([self = shared_from_this()](Slot& slot) { self->work(slot); });
}

/// Woken one at a time: each worker that takes a chunk and leaves something behind wakes the next.
void Pool::wake_worker() {
  if (idle_count_ > 0 && !queue_.is_empty()) work_waits_.notify_one();
}

/// When the queue is short the workers share it, so that slow handlers run side by side.
std::size_t Pool::chunk_size() const { return std::clamp<std::size_t>(queue_.size() / options_.threads, 1, chunk_max); }

// A worker
// ---------------------------------------------------------------------------------------------------------------

void Pool::work(Slot& slot) {
  Chunk spare;
  for (Next next = take(slot, spare); next != Next::end; next = take(slot, spare)) {
    // So many handlers have not returned that starting one more would only lose one more thread.
    if (next == Next::refuse) slot.refuse(refused());
    if (work_off(slot)) continue;
    leave_abandoned();
    return;
  }
  leave(slot);
}

/// A chunk goes from the queue to the slot with the lock held: whoever drains finds it in one of them.
Pool::Next Pool::take(Slot& slot, Chunk& spare) {
  std::unique_lock lock(mutex_);
  if (!draining_.empty()) worker_went_on_.notify_all();
  ++idle_count_;
  work_waits_.wait(lock, [this] { return is_stopping_ || !queue_.is_empty(); });
  --idle_count_;
  if (is_stopping_) return Next::end;
  queue_.take(chunk_size(), spare);
  slot.load(spare);
  wake_worker();
  return crew_.abandoned_count() < options_.abandoned_max ? Next::run : Next::refuse;
}

/// Runs what is in the slot. False when the worker was given up.
bool Pool::work_off(Slot& slot) {
  MonotonicTime posted_at = real_now();
  MonotonicTime look_at;
  Delivery delivery;
  for (MonotonicTime now = posted_at; slot.start(delivery, now, look_at); now = real_now()) {
    if (look_at < look_at_.load()) ring(look_at);
    if (now - posted_at > patience) {
      post_finished(slot);
      posted_at = now;
    }
    stop_token_here = slot.stop_source().get_token();
    if (!slot.finish(run(routes_, delivery))) return false;
  }
  post_finished(slot);
  return true;
}

void Pool::post_finished(Slot& slot) {
  gate_.post(slot.done(), [&] { return slot.take_finished(); });
}

/// Makes the watchdog look earlier than it meant to.
void Pool::ring(MonotonicTime look_at) {
  const std::lock_guard lock(mutex_);
  if (look_at >= look_at_.load()) return;
  look_at_ = look_at;
  watchdog_rings_.notify_one();
}

void Pool::leave_abandoned() {
  const std::lock_guard lock(mutex_);
  // Those that stop gave up were never counted.
  if (!is_closed_) crew_.abandoned_ended();
}

void Pool::leave(const Slot& slot) {
  const std::lock_guard lock(mutex_);
  crew_.ended(slot);
  worker_went_on_.notify_all();
}

// The watchdog
// -----------------------------------------------------------------------------------------------------------

void Pool::watch() {
  std::unique_lock lock(mutex_);
  while (!is_closed_) {
    // Before it looks: a handler that starts behind its back must find that it has to ring.
    look_at_ = MonotonicTime::max();
    const MonotonicTime now = real_now();
    Crew::Late late = relieve_workers(now);
    look_at_ = crew_.next_look(now + (fill_up() ? longest_sleep : thread_retry_interval));
    lock.unlock();
    ask_to_stop(late.running);
    post(std::move(late.answers));
    lock.lock();
    while (!is_closed_ && real_now() < look_at_.load()) watchdog_rings_.wait_until(lock, look_at_.load());
  }
}

Crew::Late Pool::relieve_workers(MonotonicTime now) {
  Crew::Late late = crew_.relieve(now, gate_);
  for (Chunk& chunk : late.not_started) {
    if (!is_stopping_) queue_.push_front(std::move(chunk));
  }
  worker_went_on_.notify_all();
  wake_worker();
  return late;
}

void Pool::post(std::vector<Answers> answers) {
  for (Answers& each : answers) gate_.post_inside(std::move(each));
}

// Drain
// ------------------------------------------------------------------------------------------------------------------

void Pool::drain(Completions& done, Duration grace) {
  const MonotonicTime deadline = real_now() + std::clamp(grace, Duration::zero(), grace_max);
  forget_waiting(done);
  std::vector<std::stop_source> running = running_for(&done);
  ask_to_stop(running);
  std::unique_lock lock(mutex_);
  const auto has_ended = [&] { return !crew_.has_any(done); };
  worker_went_on_.wait_until(lock, deadline, has_ended);
  std::vector<Answers> finished = crew_.give_up_running(done, gate_);
  if (!finished.empty()) replace_given_up();
  worker_went_on_.wait(lock, has_ended);  // Those that do not run are about to post.
  lock.unlock();
  post(std::move(finished));
  gate_.await(&done);
  lock.lock();
  draining_.erase(std::ranges::find(draining_, &done));
}

void Pool::forget_waiting(Completions& done) {
  std::vector<Chunk> waiting;  // Messages may be large: they are destroyed without the lock.
  std::vector<Chunk> in_hand;
  const std::lock_guard lock(mutex_);
  draining_.push_back(&done);
  waiting = queue_.forget(done);
  in_hand = crew_.forget(done);
}

/// Null: for anybody.
std::vector<std::stop_source> Pool::running_for(const Completions* done) {
  const std::lock_guard lock(mutex_);
  return crew_.running_for(done);
}

/// A fresh worker takes the place of each; the watchdog tries again if the system has no thread.
void Pool::replace_given_up() {
  if (fill_up()) return;
  look_at_ = real_now();
  watchdog_rings_.notify_one();
}

// Stop
// -------------------------------------------------------------------------------------------------------------------

void Pool::stop(Duration grace) {
  const std::lock_guard one_at_a_time(stop_mutex_);
  const MonotonicTime deadline = real_now() + std::clamp(grace, Duration::zero(), grace_max);
  forget_waiting();
  std::vector<std::stop_source> running = running_for(nullptr);
  ask_to_stop(running);
  await_workers(deadline);
  std::vector<Answers> finished;
  std::vector<Crew::Worker> workers = give_up_workers(finished);
  if (watchdog_.joinable()) watchdog_.join();
  post(std::move(finished));
  gate_.close();
  for (Crew::Worker& worker : workers) worker.has_ended ? worker.thread.join() : worker.thread.detach();
}

void Pool::forget_waiting() {
  // Messages may be large: they are destroyed without the lock.
  Queue forgotten;
  std::vector<Chunk> not_started;
  const std::lock_guard lock(mutex_);
  is_stopping_ = true;
  std::swap(forgotten, queue_);
  not_started = crew_.close();
  work_waits_.notify_all();
}

void Pool::await_workers(MonotonicTime deadline) {
  std::unique_lock lock(mutex_);
  worker_went_on_.wait_until(lock, deadline, [this] { return crew_.have_all_ended(); });
}

std::vector<Crew::Worker> Pool::give_up_workers(std::vector<Answers>& finished) {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  watchdog_rings_.notify_one();
  return crew_.give_up_all(gate_, finished);
}

}  // namespace makegood::local
