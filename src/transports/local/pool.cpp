#include "transports/local/pool.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "base/real_time.hpp"
#include "makegood/assert.hpp"
#include "makegood/result.hpp"
#include "transports/local/run.hpp"

namespace makegood::local {
namespace {

constexpr std::size_t chunk_max = 32;
/// The watchdog's longest sleep, and how soon it tries again when the system had no thread for us.
constexpr Duration longest_sleep = std::chrono::minutes(1);
constexpr Duration thread_retry_interval = std::chrono::milliseconds(100);
/// Keeps `now + grace` from overflowing.
constexpr Duration grace_max = std::chrono::hours(24);

}  // namespace

Pool::Pool(HandlersOptions options) : options_(options) {
  MAKEGOOD_ASSERT(options_.threads > 0);
  MAKEGOOD_ASSERT(options_.abandoned_max > 0);
  workers_.reserve(options_.threads);
}

Pool::~Pool() { MAKEGOOD_ASSERT(workers_.empty() && !watchdog_.joinable()); }

HandlerRoutes& Pool::registration() {
  const std::lock_guard lock(mutex_);
  MAKEGOOD_ASSERT(!is_started_);
  return routes_;
}

TransportFeatures Pool::features() const { return {.scheme = scheme, .keeps_order_per_key = false}; }

void Pool::send(std::vector<Delivery> deliveries, Completions& done) {
  const std::lock_guard lock(mutex_);
  if (is_stopping_ || deliveries.empty()) return;
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
  try {
    while (!is_stopping_ && workers_.size() < options_.threads) spawn();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void Pool::spawn() {
  auto slot = std::make_shared<Slot>();
  std::thread thread([self = shared_from_this(), slot] { self->work(*slot); });
  workers_.push_back({.slot = std::move(slot), .thread = std::move(thread)});
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
  Chunk chunk;
  for (Next next = take(chunk); next != Next::end; next = take(chunk)) {
    if (next == Next::refuse) {
      refuse(chunk);
      continue;
    }
    slot.load(chunk);
    if (!work_off(slot)) {
      leave_abandoned();
      return;
    }
  }
  leave(slot);
}

Pool::Next Pool::take(Chunk& chunk) {
  std::unique_lock lock(mutex_);
  ++idle_count_;
  work_waits_.wait(lock, [this] { return is_stopping_ || !queue_.is_empty(); });
  --idle_count_;
  if (is_stopping_) return Next::end;
  queue_.take(chunk_size(), chunk);
  wake_worker();
  return abandoned_count_ < options_.abandoned_max ? Next::run : Next::refuse;
}

/// Runs what is in the slot. False when the worker was given up.
bool Pool::work_off(Slot& slot) {
  MonotonicTime posted_at = real_now();
  MonotonicTime look_at;
  Delivery delivery;
  for (MonotonicTime now = posted_at; slot.start(delivery, now, look_at); now = real_now()) {
    if (look_at < look_at_.load()) ring(look_at);
    if (now - posted_at > patience) {
      gate_.post(slot.take_finished());
      posted_at = now;
    }
    if (!slot.finish(run(routes_, delivery))) return false;
  }
  gate_.post(slot.take_finished());
  return true;
}

/// So many handlers have not returned that starting one more would only lose one more thread.
void Pool::refuse(Chunk& chunk) {
  const Outcome refused =
      Outcome::retry(std::string(to_string(Errc::unavailable)), "Too many handlers have not returned.");
  Answers answers{.done = chunk.done};
  for (const Delivery& delivery : chunk.deliveries) {
    answers.completions.push_back({.ticket = delivery.ticket, .outcome = refused});
  }
  chunk.deliveries.clear();
  gate_.post(std::move(answers));
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
  if (!is_closed_) --abandoned_count_;
}

void Pool::leave(const Slot& slot) {
  const std::lock_guard lock(mutex_);
  const auto worker = std::ranges::find_if(workers_, [&](const Worker& w) { return w.slot.get() == &slot; });
  if (worker == workers_.end()) return;
  worker->has_ended = true;
  worker_left_.notify_all();
}

// The watchdog
// -----------------------------------------------------------------------------------------------------------

void Pool::watch() {
  std::unique_lock lock(mutex_);
  while (!is_closed_) {
    // Before it looks: a handler that starts behind its back must find that it has to ring.
    look_at_ = MonotonicTime::max();
    const MonotonicTime now = real_now();
    std::vector<Answers> answers = relieve_workers(now);
    look_at_ = next_look(now);
    lock.unlock();
    for (Answers& each : answers) gate_.post(std::move(each));
    lock.lock();
    while (!is_closed_ && real_now() < look_at_.load()) watchdog_rings_.wait_until(lock, look_at_.load());
  }
}

std::vector<Answers> Pool::relieve_workers(MonotonicTime now) {
  std::vector<Answers> answers;
  for (Worker& worker : workers_) {
    Relief relief = worker.slot->relieve(now);
    if (!relief.finished.completions.empty()) answers.push_back(std::move(relief.finished));
    if (!is_stopping_) queue_.push_front(std::move(relief.not_started));
    if (!relief.is_abandoned) continue;
    ++abandoned_count_;
    worker.thread.detach();
  }
  std::erase_if(workers_, [](const Worker& worker) { return !worker.thread.joinable(); });
  worker_left_.notify_all();
  wake_worker();
  return answers;
}

MonotonicTime Pool::next_look(MonotonicTime now) {
  MonotonicTime look_at = now + (fill_up() ? longest_sleep : thread_retry_interval);
  for (const Worker& worker : workers_) look_at = worker.slot->look_at(look_at);
  return look_at;
}

// Stop
// -------------------------------------------------------------------------------------------------------------------

void Pool::stop(Duration grace) {
  const std::lock_guard one_at_a_time(stop_mutex_);
  const MonotonicTime deadline = real_now() + std::clamp(grace, Duration::zero(), grace_max);
  forget_waiting();
  await_workers(deadline);
  std::vector<Answers> finished;
  std::vector<Worker> workers = give_up_workers(finished);
  if (watchdog_.joinable()) watchdog_.join();
  for (Answers& each : finished) gate_.post(std::move(each));
  gate_.close();
  for (Worker& worker : workers) worker.has_ended ? worker.thread.join() : worker.thread.detach();
}

void Pool::forget_waiting() {
  // Messages may be large: they are destroyed without the lock.
  Queue forgotten;
  std::vector<Chunk> not_started;
  const std::lock_guard lock(mutex_);
  not_started.reserve(workers_.size());
  is_stopping_ = true;
  std::swap(forgotten, queue_);
  for (const Worker& worker : workers_) not_started.push_back(worker.slot->close());
  work_waits_.notify_all();
}

void Pool::await_workers(MonotonicTime deadline) {
  std::unique_lock lock(mutex_);
  worker_left_.wait_until(lock, deadline, [this] { return std::ranges::all_of(workers_, &Worker::has_ended); });
}

std::vector<Pool::Worker> Pool::give_up_workers(std::vector<Answers>& finished) {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  watchdog_rings_.notify_one();
  for (const Worker& worker : workers_) {
    if (!worker.has_ended) finished.push_back(worker.slot->abandon());
  }
  return std::exchange(workers_, {});
}

}  // namespace makegood::local
