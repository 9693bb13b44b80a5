// The loop around a lane: take what has happened, make one exchange with the store, hand out the sends.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/lane.hpp"
#include "engine/completion_queue.hpp"
#include "makegood/dispatcher.hpp"

namespace makegood {

class Dispatcher::Loop {
 public:
  Loop(std::unique_ptr<OutboxStore> store, std::vector<Transport*> transports, DispatcherOptions options,
       Observer* observer, const Clock& clock);
  ~Loop();

  void start();
  void stop(Duration grace);
  bool run_once(MonotonicTime deadline);
  MonotonicTime next_wake();
  int wake_descriptor() const { return events_.number(); }  ///< Of the inbox, and of the store's signs of change.
  void wake() { inbox_.wake(); }
  void reconfigure(DispatcherOptions options);

 private:
  void run(const std::stop_token& stop);
  void finish(Duration grace);

  bool handle(engine::Happened happened);
  void take_answers(std::vector<std::vector<Completion>> completions);
  void take_new_options();
  void take_lane();
  bool may_have_changed();
  Duration wait_without_signs(MonotonicTime now) const;
  void expect_more();
  void exchange();
  void begin_exchange();
  void look_failed(const Error& error);
  void commit(const Turn& turn);
  void send(std::vector<Delivery> deliveries);
  void lose(const Error& error);
  void wait_after(const Error& error);
  void report();
  Transport* transport_for(const Destination& destination) const;
  void answer_unsendable(const std::vector<Delivery>& deliveries);

  // Constant after construction.
  const std::unique_ptr<OutboxStore> store_;
  const std::vector<Transport*> transports_;
  Observer& observer_;
  const Clock& clock_;
  const std::string outbox_;

  // Used by the lane's thread only.
  DispatcherOptions options_;
  core::Lane lane_;
  Owner former_;                       ///< Our last id: a lane can be taken back from it at once.
  const Turn* uncommitted_ = nullptr;  ///< Decided, and certainly not written yet.
  MonotonicTime poll_at_ = {};         ///< When the store is asked whether anything has changed.
  MonotonicTime stirred_until_ = {};   ///< Somebody writes: it may become visible until then.
  MonotonicTime busy_until_ = {};      ///< Something has come, so that more may follow.
  Duration poll_wait_ = {};
  MonotonicTime take_at_ = {};
  MonotonicTime asked_at_ = {};     ///< When the exchange under way began.
  MonotonicTime lease_until_ = {};  ///< On our clock, a little before the store's.
  Duration boot_asked_at_ = {};     ///< As `asked_at_`, on the clock of the lease.
  std::shared_ptr<Lease> lease_ =
      std::make_shared<Lease>(Duration::min());  ///< Of this ownership; deliveries share it.
  MonotonicTime trouble_until_ = {};
  unsigned trouble_count_ = 0;
  bool is_listening_ = false;  ///< To the store's signs of change.
  bool is_finished_ = false;

  // Shared with other threads.
  engine::CompletionQueue inbox_;
  Descriptor events_;  ///< Readable when the inbox or the store has something.
  std::mutex mutex_;
  std::optional<DispatcherOptions> new_options_;  ///< Guarded by mutex_.

  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace makegood
