// The worker threads of in-process delivery, and the watchdog that keeps a slow or lost handler from holding up the
// rest.
//
// A worker takes a chunk of deliveries from the queue into its slot, runs their handlers one by one and posts the
// completions together. The watchdog sleeps until a handler runs longer than it should. After `patience` it posts what
// the worker has finished and puts what it has not started back into the queue. At the destination's timeout it answers
// for the handler and gives the worker up: the thread is detached, its late answer dropped, a fresh worker takes its
// place. A given-up thread keeps the pool alive through a shared_ptr until its handler returns, if it ever does.
//
// Locks are taken in this order: mutex_, then a slot's. Completions are posted with neither held.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "transports/local/crew.hpp"
#include "transports/local/gate.hpp"
#include "transports/local/queue.hpp"
#include "transports/local/routes.hpp"

namespace makegood::local {

std::stop_token stop_token_of_this_thread();

class Pool : public Transport, public std::enable_shared_from_this<Pool> {
 public:
  explicit Pool(HandlersOptions options);
  ~Pool() override;

  /// To be filled before the first send; the workers read it without a lock.
  HandlerRoutes& registration();
  const HandlerRoutes& routes() const { return routes_; }

  TransportFeatures features() const override;
  void send(std::vector<Delivery> deliveries, Completions& done) override;
  void drain(Completions& done, Duration grace) override;
  /// Drains everybody, and takes nothing more.
  void stop(Duration grace);

 private:
  enum class Next { run, refuse, end };

  // With mutex_ held.
  void start_threads();
  bool fill_up();
  std::size_t chunk_size() const;
  void wake_worker();
  Crew::Late relieve_workers(MonotonicTime now);
  void replace_given_up();

  // On a worker's thread.
  void work(Slot& slot);
  Next take(Slot& slot, Chunk& spare);
  bool work_off(Slot& slot);
  void post_finished(Slot& slot);
  void ring(MonotonicTime look_at);
  void leave_abandoned();
  void leave(const Slot& slot);

  void watch();

  // Steps of drain and stop.
  void forget_waiting(Completions& done);
  void forget_waiting();
  std::vector<std::stop_source> running_for(const Completions* done);
  void await_workers(MonotonicTime deadline);
  std::vector<Crew::Worker> give_up_workers(std::vector<Answers>& finished);
  void post(std::vector<Answers> answers);

  // Constant after the first send.
  const HandlersOptions options_;
  HandlerRoutes routes_;

  Gate gate_;
  std::mutex stop_mutex_;  ///< One stop at a time.
  /// When the watchdog looks next. Written with mutex_ held; workers read it without, to see whether they must ring.
  std::atomic<MonotonicTime> look_at_ = MonotonicTime::max();

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable work_waits_;
  std::condition_variable watchdog_rings_;
  std::condition_variable worker_went_on_;  ///< Or left.
  Queue queue_;
  Crew crew_;
  std::thread watchdog_;
  std::vector<const Completions*> draining_;  ///< Nothing is taken from them.
  std::size_t idle_count_ = 0;
  bool is_started_ = false;
  bool is_stopping_ = false;  ///< Nothing is started any more.
  bool is_closed_ = false;    ///< The watchdog ends too.
};

}  // namespace makegood::local
