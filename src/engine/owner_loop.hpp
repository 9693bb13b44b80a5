// The loop around what is owned: take it, make exchanges with the store, hand out the sends, give it up.
//
//   take      somebody must own it: asked for again and again until it is ours            Owned::take
//   look      what there is to do, and the decision about it                              Owned::look
//   commit    one turn, which renews the lease; one that certainly failed is repeated     Owned::commit
//   release   the sends that committed turns cover, for as long as the lease lasts        Owned::release
//   lose      the turn was fenced or is in doubt: nothing more leaves, and it is taken anew
//
// It knows the clocks, the lease, the troubles of the store and when the next round is due; what is owned knows
// everything else.
#pragma once

#include <memory>
#include <thread>

#include "base/descriptor.hpp"
#include "engine/change_poll.hpp"
#include "engine/owned.hpp"
#include "engine/wake_up.hpp"

namespace makegood::engine {

class OwnerLoop {
 public:
  /// All three must outlive the loop. `wake_up` is where what is owned signals that something has arrived.
  OwnerLoop(Owned& owned, WakeUp& wake_up, const Clock& clock);
  OwnerLoop(const OwnerLoop&) = delete;
  OwnerLoop& operator=(const OwnerLoop&) = delete;
  ~OwnerLoop();

  /// On a thread of its own, until `stop`.
  void start();
  /// Starts no new sends, waits up to `grace` for those under way, records what became of them, gives up what is owned.
  void stop(Duration grace);
  /// One round; waits for something to do until `deadline` at the latest. True if anything was done.
  bool run_once(MonotonicTime deadline);
  MonotonicTime next_wake();
  int wake_descriptor() const { return events_.number(); }  ///< Of the wake-up, and of the store's signs of change.

 private:
  /// When the exchange under way began, on both clocks.
  struct Began {
    Duration on_lease_clock;
    MonotonicTime at;
  };

  void run(const std::stop_token& stop);
  void finish(Duration grace);
  bool handle(bool is_woken);

  Began begin_exchange() const;
  void take();
  void listen();
  void exchange();
  bool look();
  void commit();
  Duration lease_end() const;
  void lose(const Error& error);
  void wait_after(const Error& error);

  // Constant after construction.
  Owned& owned_;
  WakeUp& wake_up_;
  const Clock& clock_;
  const Descriptor events_;  ///< Readable when the wake-up or the store has something.

  // Used by the loop's thread only.
  ChangePoll poll_;
  Owner owner_;  ///< Our last id: what is owned can be taken back from it at once.
  MonotonicTime take_at_ = {};
  Began began_ = {};
  std::shared_ptr<Lease> lease_ = std::make_shared<Lease>(Duration::min());  ///< Of this ownership; sends share it.
  MonotonicTime trouble_until_ = {};
  unsigned trouble_count_ = 0;
  bool is_listening_ = false;  ///< To the store's signs of change.
  bool is_finished_ = false;

  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace makegood::engine
