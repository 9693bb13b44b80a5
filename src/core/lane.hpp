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
// **Suspects.** What was under way when an owner died is sent again. What was under way at two deaths goes alone, and
// the position says so first: if that owner dies too, we know who it was.
//
// Time: `now` is the monotonic clock of the process; the store's clock comes with each look and is carried on from
// there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/destinations.hpp"
#include "core/keys.hpp"
#include "core/routings.hpp"
#include "core/side_lanes.hpp"
#include "core/window.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/observe.hpp"
#include "makegood/store.hpp"

namespace makegood::core {

class Lane {
 public:
  /// `outbox` names the table in deliveries. `seed` is all the chance there is: the jitter of retries. `running_ahead`:
  /// schemes of transports that keep the limits of their destinations themselves.
  Lane(const DispatcherOptions& options, std::uint64_t seed, std::vector<std::string> running_ahead = {});

  /// New limits, destinations and routes count from the next exchange on. The outbox, the lease and where the registry
  /// is stay as they are.
  void configure(const DispatcherOptions& options);

  /// The lane is ours. `asked_at` is from before the taking, so that our lease ends before the store's.
  void begin(const Owner& owner, Taken taken, MonotonicTime asked_at);
  void forget();
  bool is_owner() const { return !owner_.empty(); }
  const Owner& owner() const { return owner_; }

  LookFor look_for(MonotonicTime now);
  /// The look failed, or its connection is gone: the database may have forgotten what no turn of ours has covered.
  void look_failed();
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
  Sequence reached() const { return reached_; }
  /// The store's clock, as this owner reckons it.
  TimePoint store_time(MonotonicTime now) const { return store_now_ + (now - store_now_at_); }
  /// Whether the circuit of this destination is open.
  bool is_broken(std::string_view destination) const;
  /// Read for the first time, with a turn that is committed.
  std::vector<MessagePtr> take_enqueued() { return std::exchange(enqueued_, {}); }
  std::vector<Settled> take_settled() { return std::exchange(settled_, {}); }
  std::vector<Error> take_alarms() { return std::exchange(alarms_, {}); }
  std::size_t take_replayed_count() { return std::exchange(replayed_count_, 0); }
  std::vector<LaneNews> take_news() { return std::exchange(news_, {}); }

 private:
  struct Answer {
    CarriedIndex index;
    Outcome outcome;
    MonotonicTime at;
    bool is_spent = true;  ///< False: it was sent before the circuit opened, and is given its attempt back.
  };
  struct AskedSide {
    Side* side;  ///< Null when it is gone, or has got numbers back: what it looked up beyond them must wait.
    std::vector<Sequence> numbers;
  };
  /// How much of the window a scope holds.
  struct Crowd {
    std::size_t rows = 0;
    std::size_t bytes = 0;
  };
  /// Destinations and routes as they should be, because an operator asked for it.
  struct Change {
    std::int64_t request = 0;
    Routing routing = {};
  };

  // A new ownership.
  void load_figures(const Taken& taken);
  void load_holes(const Position& position, MonotonicTime now);
  void load_blockers(const std::vector<Parked>& blocking);

  // What to look for.
  LookFor::Side look_for_side(const Side& side, std::size_t free) const;
  MonotonicTime next_due_exchange(DestinationIndex index) const;
  MonotonicTime next_side_exchange(const Side& side, MonotonicTime now) const;
  void look_beyond(LookFor& wanted, std::size_t free);
  void look_for_due(LookFor& wanted, std::size_t free, MonotonicTime now);
  void look_for_sides(LookFor& wanted, MonotonicTime now);
  std::size_t due_places(DestinationIndex index, MonotonicTime now) const;
  bool is_retry_the_probe(DestinationIndex index, MonotonicTime now) const;
  bool has_unread(DestinationIndex index) const;
  bool has_room_for_open() const;

  // Destinations and routes: lane_registry.cpp.
  Routing wanted_routing() const;
  void propose_routing();
  bool leads_elsewhere();
  bool is_without_routes() const;
  void adopt_routing();
  void register_newest();
  std::int64_t oldest_routing() const;
  std::optional<std::string> change_registry(const Request& request);
  bool is_removed(DestinationIndex index) const;
  void wind_up_removed();
  void release_sides(DestinationIndex index);
  void put_back_unsent(DestinationIndex index);
  void release_from_dead_heads(DestinationIndex index);
  void unblock_dead_head(Key& key, Sequence sequence);

  // One decision, in its order.
  void expect_due(const std::vector<NextDue>& next_due);
  void carry_out(const std::vector<Request>& requests);
  void record_answers();
  void take_in_due(std::vector<DueDelivery> due);
  void read(Found& found);
  void promote_freed();
  bool is_turn_due(MonotonicTime now) const;

  // Requests of operators: lane_requests.cpp.
  std::optional<std::string> answer(const Request& request);
  std::string answer_about(const Request& request);
  std::string replay(const Parked& row);
  std::string quarantine(const Parked& row);
  std::string release_from_quarantine(const Parked& row);
  std::string unblock(const Parked& row);
  void let_others_pass(const Parked& row);
  std::string rewind();
  std::string pause(const NewRequest& asked);
  void stand_still(Side& side);
  std::string resume(const NewRequest& asked);
  std::string replay_history(const NewRequest& asked);
  std::string cancel_history(const NewRequest& asked);
  void cancel(Side& history);
  Sequence settled_at(DestinationIndex destination);

  // What a look has brought: lane_read.cpp.
  void read_fresh(const MessagePtr& message, bool was_open);
  void count_fresh(const MessagePtr& message, std::span<const DestinationIndex> destinations);
  void read_again(const MessagePtr& message, const std::vector<std::string>& destinations);
  void take_in(const MessagePtr& message, DestinationIndex destination, TurnNumber covered_by, Side* side);
  bool park_instead(const MessagePtr& message, DestinationIndex destination, unsigned deaths);
  void take_in_due(DueDelivery delivery, DestinationIndex destination);
  void try_again(DueDelivery delivery, DestinationIndex destination, Key* key);
  void route_again(const DueDelivery& due);
  void hold(Key& key, Parked row, bool was_counted);
  bool is_delayed(const Message& message) const;
  bool is_behind_a_blocker(const Message& message, DestinationIndex destination);
  void carry(Carried carried);
  void make_ready(CarriedIndex index);
  void queue_up(CarriedIndex index);
  void note_neighbours(const Message& message);
  void watch_open(bool had_room);
  void miss(Sequence number);
  bool changes(Sequence sequence, std::string_view destination) const;

  // Side lanes: lane_sides.cpp.
  Side* open_side(SideLane lane, DestinationIndex destination);
  void move_into(Side& side, Side* from);
  void choose_merging();
  bool may_merge(const Side& side) const;
  void close_sides();
  void close(Side& side, Side* into, LaneNews::Kind kind);
  void open_broken();
  void open_crowded(MonotonicTime now);
  void open_for_crowd(const Scope& scope);
  std::optional<Scope> find_crowd();
  bool would_help(const Scope& scope) const;
  std::vector<DestinationIndex> find_stalled(MonotonicTime now);
  void read_side(Side& side, const std::vector<Sequence>& asked, const Found::Side& found);
  void count_aside(const MessagePtr& message, const Side& side, const Side& carrier);
  bool is_under_way(DestinationIndex destination, Sequence sequence) const;
  void hand_over_history(const Message& message, std::span<const DestinationIndex> destinations);
  void take_from_queues(CarriedIndex index);
  void put_back(CarriedIndex index);
  void put_back_key(Key& key);
  void put_back_parked(CarriedIndex index);
  void disturb(const Side& side);
  void postpone_probe(const Side& side);
  std::size_t side_budget() const;
  std::size_t side_room(const Side& side, MonotonicTime now) const;
  bool may_probe_from(const Side& side, MonotonicTime now) const;
  bool has_unread_around(const Side& side) const;
  bool is_key_blocked(const Side& side) const;
  Sequence side_end(const Side& side) const;
  Sequence reached_around(const Side& side) const;
  std::optional<Filter> main_filter() const;

  // Suspects: lane_suspects.cpp.
  void count_deaths(const Taken& taken);
  bool is_to_blame(DestinationIndex destination, Sequence sequence, unsigned deaths) const;
  unsigned deaths_of(DestinationIndex destination, Sequence sequence) const;
  bool is_poison(unsigned deaths) const;
  bool goes_alone(const Carried& carried) const;
  void send_one_alone();
  void queue_first(CarriedIndex index);
  bool has_suspect_to_send() const;
  bool is_isolating() const;
  bool may_reach(const Carried& carried) const;

  // The end of one attempt: lane_settle.cpp.
  void start(CarriedIndex index, std::vector<Delivery>& deliveries, MonotonicTime now);
  std::deque<CarriedIndex>* next_ready(DestinationIndex index);
  std::deque<CarriedIndex>* next_isolated(DestinationIndex index);
  bool is_held_up(const Side& side) const;
  bool can_go(const std::deque<CarriedIndex>& ready) const;
  bool judge(const Outcome& outcome, const Carried& carried, MonotonicTime now);
  void delivered(CarriedIndex index, MonotonicTime at);
  std::optional<Outcome> refusal_of(const Carried& carried, MonotonicTime now) const;
  void end_unsent(CarriedIndex index, Outcome refusal, MonotonicTime now);
  void record(const Answer& answer);
  void give_back(CarriedIndex index);
  void put_back_followers(Key& key, Sequence sequence);
  void park_failed(const Answer& answer, Parked row);
  void report(const Carried& carried, Fate fate, const Outcome& outcome, MonotonicTime at);

  // Destinations that are gone, and what is told of it: lane_disable.cpp.
  void watch_health(DestinationIndex index, const Outcome& outcome, MonotonicTime now);
  void disable_hopeless();
  void disable(DestinationIndex index, const std::string& because);
  bool is_disabled_anew(const Side& side) const;
  void tell_of_death(const Message& message, const Parked& row);
  void tell(NewMessage event);

  // Keys.
  void block(Key& key, Sequence sequence, Blocker blocker);
  void hold_followers(Key& key, Sequence sequence);
  void let_next_go(Key& key, TurnNumber not_before);
  void pass_on(Key& key);
  void drop_if_idle(Key& key);
  void promote(Key& key);
  bool blocks_key(const Parked& row);

  // Parked rows. `was_counted`: its row was among the waiting and held ones before.
  void park(Parked row, std::optional<AttemptNote> note, bool was_counted);
  void park_dead(const MessagePtr& message, Parked row, Errc code, std::string_view sentence, bool was_counted);
  Parked row_of(const Message& message, std::string_view destination) const;
  Parked row_of(const Carried& carried) const;
  AttemptNote note_on(const Parked& row, std::string_view outcome, TimePoint at) const;
  AttemptNote note_of_failure(const Parked& row, std::string_view outcome, TimePoint at) const;

  void end(CarriedIndex index);
  void drop(CarriedIndex index);
  std::size_t room() const;
  bool may_send(MonotonicTime now) const;
  bool is_all_sent() const;
  Position position();
  double unit_random();

  // Constant after construction.
  const std::string outbox_;
  const Duration lease_;
  const bool is_registry_in_store_;

  DispatcherOptions options_;
  std::uint64_t random_state_;
  Destinations destinations_;
  std::set<std::string> incarnations_;  ///< All that were seen: deliveries under way point at them.

  // Memory of one ownership: forget() drops it all.
  Owner owner_;
  std::string_view incarnation_;
  TurnNumber turn_ = 0;
  Sequence reached_ = 0;
  Sequence counter_ = 0;
  NumberSet open_;
  std::map<Sequence, std::vector<std::string>> unread_;  ///< The main lane's holes that are not in hand.
  Window window_;
  Keys keys_;
  Routings routings_;
  bool leads_as_wanted_ = false;           ///< The newest version does, as far as the options tell.
  std::optional<Routing> new_routing_;     ///< Counts from the exchange under way on.
  std::optional<Change> change_;           ///< To be proposed with the next look.
  std::vector<DestinationIndex> removed_;  ///< What waits for them is wound up with the next turn.
  SideLanes sides_;
  std::vector<AskedSide> asked_sides_;
  std::size_t side_turn_ = 0;  ///< Which side lane looks first.
  std::size_t in_side_hands_ = 0;
  std::vector<Answer> answers_;  ///< Known, and waiting for the turn that records them.
  std::vector<Key*> freed_;      ///< A success has freed them, and the next one is parked: the next turn makes it due.
  std::vector<Scope> overheld_;  ///< Keys with too many held behind them.
  std::map<DestinationIndex, std::string> gone_;  ///< To be disabled with the next turn, and why.
  std::vector<DestinationIndex> asked_due_;
  bool has_asked_rows_ = false;
  bool is_away_ = false;       ///< At the store, from a look to the next release.
  bool is_disturbed_ = false;  ///< Numbers came back while a look was under way: what it read beyond them must wait.
  std::size_t in_flight_count_ = 0;
  Position committed_position_;
  std::map<std::pair<DestinationIndex, Sequence>, unsigned> suspects_;  ///< Holes, and how many owners died with them.
  std::deque<CarriedIndex> waiting_alone_;
  std::optional<CarriedIndex> alone_;
  std::optional<Position::Alone> isolated_;     ///< Nothing else is sent until the position no longer names it.
  std::optional<Position::Alone> taken_alone_;  ///< Who was alone when we took the lane.
  bool is_after_death_ = false;
  std::size_t careful_rows_ = 0;    ///< So many rows are still to be read one at a time.
  MonotonicTime asked_at_ = {};     ///< When the exchange under way began.
  MonotonicTime lease_until_ = {};  ///< No send starts after this.
  MonotonicTime renewed_at_ = {};
  std::optional<MonotonicTime> unrecorded_since_;  ///< The oldest success that no turn has recorded.
  std::optional<MonotonicTime> full_since_;        ///< Since when there is more to read than room.
  MonotonicTime looked_at_ = {};
  MonotonicTime clean_at_ = {};
  bool is_more_ = false;
  bool is_turn_needed_ = false;  ///< Something in hand waits for the turn that is being decided.
  bool is_giving_up_ = false;
  bool has_look_failed_ = false;  ///< Since the last turn: what a number meant may be forgotten, and drawn anew.
  TimePoint store_now_ = {};
  MonotonicTime store_now_at_ = {};
  std::optional<Turn> draft_;  ///< The turn that is being decided, or waits for its commit.

  bool is_stopping_ = false;
  bool has_seen_tenants_ = false;  ///< More than the one that everybody has who names none.
  int highest_priority_ = 0;       ///< Seen so far, of messages without a key.
  std::vector<MessagePtr> fresh_;  ///< Read for the first time, with the turn that is being decided.
  std::vector<MessagePtr> enqueued_;
  std::vector<Settled> settled_;
  std::vector<Error> alarms_;
  std::vector<LaneNews> news_;
  std::size_t replayed_count_ = 0;
};

/// Whether a parked row is among those that the bound per destination speaks of.
bool counts(const Parked& row);

}  // namespace makegood::core
