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
// How far everybody has looked is written with the next turn that has something else to say, or that renews the lease.
// Until then it counts only as long as looks succeed: a database that comes back from a crash may draw numbers anew
// that we have passed.
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
// **Side lanes.** A scope that is paused, whose destination is broken, or that crowds the window out, leaves the lane
// as a whole: one turn gives it a position of its own, and the lane reads on past its rows. What it had in hand and not
// sent goes back to being numbers. All lanes share one window, one table of keys, one turn. Open numbers are kept by
// the main lane alone; when such a row appears, it is handed to the side lane that carries it, if that is past it
// already. A side lane merges into the lane around it when both have read equally far.
//
// **Suspects.** What was under way when an owner died is sent again. What was under way at two deaths goes alone, for a
// second at most, and the position says so first: if that owner dies too, we know who it was.
//
// Time: `now` is the monotonic clock of the process; the store's clock comes with each look and is carried on from
// there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/owned_lane.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/observe.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {

class Lane {
 public:
  /// `outbox` names the table in deliveries. `seed` is all the chance there is: the jitter of retries. `running_ahead`:
  /// schemes of transports that keep the limits of their destinations themselves.
  Lane(const DispatcherOptions& options, std::uint64_t seed, std::vector<std::string> running_ahead = {},
       Sharing sharing = {});

  /// New limits, destinations and routes count from the next exchange on. The outbox, the lease and where the registry
  /// is stay as they are.
  void configure(const DispatcherOptions& options);

  /// The lane is ours. `asked_at` is from before the taking, so that our lease ends before the store's.
  void begin(const Owner& owner, Taken taken, MonotonicTime asked_at);
  void forget();
  bool is_owner() const { return owned_ != nullptr; }
  const Owner& owner() const;

  LookFor look_for(MonotonicTime now);
  /// The look failed, or its connection is gone: the database may have forgotten what no turn of ours has covered.
  void look_failed();
  /// The turn to commit, valid until committed() or forget(); null when there is nothing to write.
  const Turn* decide(Found found, MonotonicTime now);
  void committed(const Committed& committed, MonotonicTime now);

  void answered(std::vector<Completion> completions, MonotonicTime now);
  /// What others of the process have done to the circuits that it shares with them.
  void hear(MonotonicTime now);
  /// What may be sent now. Never more than the destinations' limits, never after the lease.
  std::vector<Delivery> release(MonotonicTime now);

  /// Sends and reads nothing more; the next turn gives the lane up when nothing is in flight or `give_up` was called.
  void stop() { lasting_.is_stopping = true; }
  void give_up();

  /// When the next exchange is worth it; and when the next send is, if a rate holds it back.
  MonotonicTime next_exchange(MonotonicTime now) const;
  MonotonicTime next_release(MonotonicTime now);

  LaneFigures figures() const;
  /// For the simulator: what the parts know of each other agrees.
  void assert_consistent() const;
  Sequence reached() const;
  /// On our clock, a little before the store's.
  MonotonicTime lease_until() const;
  /// Nothing is handed to a transport after this, and nothing of it may leave.
  MonotonicTime send_until() const;
  /// The store's clock, as this owner reckons it.
  TimePoint store_time(MonotonicTime now) const;
  /// Whether the circuit of this destination is open.
  bool is_broken(std::string_view destination) const;
  /// Read for the first time, with a turn that is committed.
  std::vector<MessagePtr> take_enqueued() { return lasting_.reports.take_enqueued(); }
  std::vector<EndedAttempt> take_settled() { return lasting_.reports.take_settled(); }
  std::vector<Error> take_alarms() { return lasting_.reports.take_alarms(); }
  std::size_t take_replayed_count() { return lasting_.reports.take_replayed_count(); }
  std::vector<LaneNews> take_news() { return lasting_.reports.take_news(); }

 private:
  Lasting lasting_;
  std::unique_ptr<OwnedLane> owned_;  ///< Null: the lane is not ours, and we know nothing of it.
};

}  // namespace makegood::core
