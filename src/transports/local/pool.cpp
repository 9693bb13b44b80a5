#include "transports/local/pool.hpp"

#include <algorithm>
#include <string>
#include <system_error>
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
  if (!is_closed_) --abandoned_count_;
}

void Pool::leave(const Slot& slot) {
  const std::lock_guard lock(mutex_);
  const auto worker = std::ranges::find_if(workers_, [&](const Worker& w) { return w.slot.get() == &slot; });
  if (worker == workers_.end()) return;
  worker->has_ended = true;
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
    std::vector<std::stop_source> late;
    std::vector<Answers> answers = relieve_workers(now, late);
    look_at_ = next_look(now);
    lock.unlock();
    ask_to_stop(late);
    for (Answers& each : answers) gate_.post_inside(std::move(each));
    lock.lock();
    while (!is_closed_ && real_now() < look_at_.load()) watchdog_rings_.wait_until(lock, look_at_.load());
  }
}

std::vector<Answers> Pool::relieve_workers(MonotonicTime now, std::vector<std::stop_source>& late) {
  std::vector<Answers> answers;
  for (Worker& worker : workers_) {
    Relief relief = worker.slot->relieve(now);
    if (!relief.finished.reports.empty()) {
      gate_.enter(relief.finished.done);
      answers.push_back(std::move(relief.finished));
    }
    if (!is_stopping_) queue_.push_front(std::move(relief.not_started));
    if (!relief.is_abandoned) continue;
    ++abandoned_count_;
    late.push_back(worker.slot->stop_source());
    worker.thread.detach();
  }
  std::erase_if(workers_, [](const Worker& worker) { return !worker.thread.joinable(); });
  worker_went_on_.notify_all();
  wake_worker();
  return answers;
}

/// So that a fresh worker takes the place of each; the watchdog tries again if the system has no thread.
void Pool::replace_given_up() {
  std::erase_if(workers_, [](const Worker& worker) { return !worker.thread.joinable(); });
  if (fill_up()) return;
  look_at_ = real_now();
  watchdog_rings_.notify_one();
}

MonotonicTime Pool::next_look(MonotonicTime now) {
  MonotonicTime look_at = now + (fill_up() ? longest_sleep : thread_retry_interval);
  for (const Worker& worker : workers_) look_at = worker.slot->look_at(look_at);
  return look_at;
}

// Drain
// ------------------------------------------------------------------------------------------------------------------

void Pool::drain(Completions& done, Duration grace) {
  const MonotonicTime deadline = real_now() + std::clamp(grace, Duration::zero(), grace_max);
  forget_waiting(done);
  std::vector<std::stop_source> running = running_for(&done);
  ask_to_stop(running);
  std::unique_lock lock(mutex_);
  const auto has_ended = [&] { return !has_any(done); };
  worker_went_on_.wait_until(lock, deadline, has_ended);
  std::vector<Answers> finished = give_up_running(done);
  worker_went_on_.wait(lock, has_ended);  // Those that do not run are about to post.
  lock.unlock();
  for (Answers& each : finished) gate_.post_inside(std::move(each));
  gate_.await(&done);
  lock.lock();
  draining_.erase(std::ranges::find(draining_, &done));
}

void Pool::forget_waiting(Completions& done) {
  std::vector<Chunk> forgotten;  // Messages may be large: they are destroyed without the lock.
  const std::lock_guard lock(mutex_);
  draining_.push_back(&done);
  forgotten = queue_.forget(done);
  for (const Worker& worker : workers_) forgotten.push_back(worker.slot->forget(done));
}

/// Null: for anybody.
std::vector<std::stop_source> Pool::running_for(const Completions* done) {
  std::vector<std::stop_source> running;
  const std::lock_guard lock(mutex_);
  for (const Worker& worker : workers_) {
    if (done == nullptr || worker.slot->has_any(*done)) running.push_back(worker.slot->stop_source());
  }
  return running;
}

bool Pool::has_any(const Completions& done) const {
  return std::ranges::any_of(workers_, [&](const Worker& worker) { return worker.slot->has_any(done); });
}

/// As the watchdog does at a timeout, but nobody is told.
std::vector<Answers> Pool::give_up_running(Completions& done) {
  std::vector<Answers> finished;
  for (Worker& worker : workers_) {
    auto answers = worker.slot->abandon_running(done);
    if (!answers) continue;
    gate_.enter(&done);
    finished.push_back(std::move(*answers));
    ++abandoned_count_;
    worker.thread.detach();
  }
  if (!finished.empty()) replace_given_up();
  return finished;
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
  std::vector<Worker> workers = give_up_workers(finished);
  if (watchdog_.joinable()) watchdog_.join();
  for (Answers& each : finished) gate_.post_inside(std::move(each));
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
  worker_went_on_.wait_until(lock, deadline, [this] { return std::ranges::all_of(workers_, &Worker::has_ended); });
}

std::vector<Pool::Worker> Pool::give_up_workers(std::vector<Answers>& finished) {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  watchdog_rings_.notify_one();
  for (const Worker& worker : workers_) {
    if (worker.has_ended) continue;
    gate_.enter(worker.slot->done());
    finished.push_back(worker.slot->abandon());
  }
  return std::exchange(workers_, {});
}

}  // namespace makegood::local
