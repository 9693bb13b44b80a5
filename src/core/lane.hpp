// The lane: every decision about one log's deliveries, and no I/O.
//
// A lane carries the messages of one log to their destinations. Around it a loop does the talking:
//
//   take      the store hands over the last turn's position and the parked deliveries that block      begin()
//   look      what there is to do, in one snapshot                                                    look_for()
//   decide    this file: what is parked, what is done, how far we are now                             decide()
//   turn      one durable commit, right after the turn we remember, or nothing                        committed()
//   send      only what a committed turn covers                                                       release()
//   answers   come back at any time, from any thread, by ticket                                       answered()
//
// **The position** is `reached` and its holes. A row that has been read lies below `reached`; until it ends it is a
// hole, so whoever takes the lane next reads it again. A hole that is gone from the position, with no parked row, is
// delivered.
//
// **Fencing.** A turn must follow the very turn that we remember. If it does not, or its outcome is in doubt, forget()
// drops everything: what was in flight is a hole or a parked row that is under way, so nothing is lost, and the answers
// to it find no ticket any more.
//
// **What needs a turn first.** A row from the log is covered by the turn that read it: it may be sent at any time after
// that, and when it succeeds, the next of its key may go at once, because that one is a hole too. Everything else waits
// for the turn that says so: a retry (its attempt is counted in its row), a dead letter that frees its key, the end of
// a parked delivery.
//
// **Order.** Of each key one delivery goes at a time, by number. One that has to wait for its retry is parked and
// blocks its key; those in hand behind it, and those read later, are parked as `held`. When it ends, the lowest held
// one becomes due.
//
// Time: `now` is the monotonic clock of the process; the store's clock comes with each look and is carried on from
// there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/destinations.hpp"
#include "core/keys.hpp"
#include "core/window.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/observe.hpp"
#include "makegood/store.hpp"

namespace makegood::core {

class Lane {
 public:
  /// `outbox` names the table in deliveries. `seed` is all the chance there is: the jitter of retries.
  Lane(const DispatcherOptions& options, std::uint64_t seed);

  /// New limits, destinations and routes count from the next exchange on. The outbox and the lease stay. With a new
  /// destination the memory is dropped and the lane has to be taken anew: parked deliveries may be waiting for it.
  void configure(const DispatcherOptions& options);

  /// The lane is ours. `asked_at` is from before the taking, so that our lease ends before the store's.
  void begin(const Owner& owner, Taken taken, MonotonicTime asked_at);
  void forget();
  bool is_owner() const { return !owner_.empty(); }
  const Owner& owner() const { return owner_; }

  LookFor look_for(MonotonicTime now);
  /// The turn to commit, valid until committed() or forget(); null when there is nothing to write.
  const Turn* decide(Found found, MonotonicTime now);
  void committed(const Committed& committed, MonotonicTime now);

  void answered(std::vector<Completion> completions, MonotonicTime now);
  /// What may be sent now. Never more than the destinations' limits, never after the lease.
  std::vector<Delivery> release(MonotonicTime now);

  /// Sends and reads nothing more; the next turn gives the lane up when nothing is in flight or `give_up` was called.
  void stop() { is_stopping_ = true; }
  void give_up() { is_giving_up_ = true; }

  /// When the next exchange is worth it; and when the next send is, if a rate holds it back.
  MonotonicTime next_exchange(MonotonicTime now) const;
  MonotonicTime next_release(MonotonicTime now);

  LaneFigures figures() const;
  std::vector<Settled> take_settled() { return std::exchange(settled_, {}); }
  std::vector<Error> take_alarms() { return std::exchange(alarms_, {}); }
  std::size_t take_replayed_count() { return std::exchange(replayed_count_, 0); }

 private:
  struct Answer {
    CarriedIndex index;
    Outcome outcome;
    MonotonicTime at;
  };

  // One decision, in its order.
  void expect_due(const std::vector<NextDue>& next_due);
  void carry_out(const std::vector<Request>& requests);
  void record_answers();
  void take_in_due(std::vector<DueDelivery> due);
  void read(Found& found);
  void promote_freed();
  bool is_turn_due(MonotonicTime now) const;

  // Requests of operators: lane_requests.cpp.
  std::string answer(const Request& request);
  std::string replay(const Parked& row);
  std::string quarantine(const Parked& row);
  std::string release_from_quarantine(const Parked& row);
  std::string rewind();

  // What a look has brought: lane_read.cpp.
  void read_fresh(const MessagePtr& message);
  void read_again(const MessagePtr& message, const std::vector<std::string>& destinations);
  void take_in(const MessagePtr& message, DestinationIndex destination, TurnNumber covered_by);
  void take_in_due(DueDelivery delivery, DestinationIndex destination);
  void try_again(DueDelivery delivery, DestinationIndex destination, Key* key);
  void route_again(const DueDelivery& due);
  void hold(Key& key, Parked row);
  bool is_delayed(const Message& message) const;
  bool is_behind_a_blocker(const Message& message, DestinationIndex destination);
  void carry(Carried carried);
  void make_ready(CarriedIndex index);

  // The end of one attempt: lane_settle.cpp.
  void delivered(CarriedIndex index, MonotonicTime at);
  void expired_in_hand(CarriedIndex index, MonotonicTime now);
  void record(const Answer& answer);
  void park_failed(const Answer& answer, Parked row);
  void report(const Carried& carried, Fate fate, const Outcome& outcome, MonotonicTime at);

  // Keys.
  void block(Key& key, Sequence sequence, Blocker blocker);
  void hold_followers(Key& key, Sequence sequence);
  void let_next_go(Key& key, TurnNumber not_before);
  void pass_on(Key& key);
  void drop_if_idle(Key& key);
  void promote(Key& key);
  bool blocks_key(const Parked& row) const;

  // Parked rows.
  void park(Parked row, std::optional<AttemptNote> note = {});
  void park_dead(const MessagePtr& message, Parked row, Errc code, std::string_view sentence);
  Parked row_of(const Message& message, std::string_view destination) const;
  Parked row_of(const Carried& carried) const;

  std::size_t room() const;
  bool may_send(MonotonicTime now) const;
  Position position();
  double unit_random();
  TimePoint store_time(MonotonicTime now) const { return store_now_ + (now - store_now_at_); }

  // Constant after construction.
  const std::string outbox_;
  const Duration lease_;

  DispatcherOptions options_;
  std::uint64_t random_state_;
  Destinations destinations_;

  // Memory of one ownership: forget() drops it all.
  Owner owner_;
  TurnNumber turn_ = 0;
  Sequence reached_ = 0;
  Sequence counter_ = 0;
  std::vector<Sequence> open_;
  std::map<Sequence, std::vector<std::string>> unread_;  ///< Holes of the position we took that we have not read yet.
  Window window_;
  Keys keys_;
  std::vector<Answer> answers_;  ///< Known, and waiting for the turn that records them.
  std::vector<Key*> freed_;      ///< A success has freed them, and the next one is parked: the next turn makes it due.
  std::vector<DestinationIndex> asked_due_;
  bool has_asked_rows_ = false;
  std::size_t in_flight_count_ = 0;
  Position committed_position_;
  MonotonicTime asked_at_ = {};     ///< When the exchange under way began.
  MonotonicTime lease_until_ = {};  ///< No send starts after this.
  MonotonicTime renewed_at_ = {};
  std::optional<MonotonicTime> unrecorded_since_;  ///< The oldest success that no turn has recorded.
  MonotonicTime looked_at_ = {};
  MonotonicTime clean_at_ = {};
  bool is_more_ = false;
  bool is_giving_up_ = false;
  TimePoint store_now_ = {};
  MonotonicTime store_now_at_ = {};
  std::optional<Turn> draft_;  ///< The turn that is being decided, or waits for its commit.

  bool is_stopping_ = false;
  std::vector<Settled> settled_;
  std::vector<Error> alarms_;
  std::size_t replayed_count_ = 0;
};

}  // namespace makegood::core
