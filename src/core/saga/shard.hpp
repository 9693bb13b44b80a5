// The shard: every decision about the executions of one log of requests, and no I/O. Around it a loop does the talking:
//
//   take      the store hands over the last turn's position                                           begin()
//   look      new requests, in one snapshot                                                           look_for(),
//   read() supply    what the requests speak of: executions that are not in memory, definitions              needs(),
//   supply() decide    answers, requests and timers become records                                             decide()
//   turn      one durable commit for all executions, right after the turn we remember, or nothing     committed()
//   call      only what a committed turn covers                                                       release()
//   answers   come back at any time, by ticket                                                        answered()
//
// **Memory.** An execution is in memory while it works. One that waits for longer than a moment is parked: its row says
// when it is due, and whoever owns the shard then reads its journal back. After a taking, what is neither parked nor
// ended is read back; what its last owner had under way may be done.
//
// **Position.** `reached` is how far requests are read: each was used by the turn that passed it, so each counts once.
// The lowest execution that is in memory is kept as under way, so that the next owner knows from where to look for
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/log_cursor.hpp"
#include "core/ownership.hpp"
#include "core/saga/judgement.hpp"
#include "core/saga/memory.hpp"
#include "core/saga/participants.hpp"
#include "core/saga/posts.hpp"
#include "core/saga/request.hpp"
#include "makegood/delivery.hpp"
#include "makegood/observe.hpp"

namespace makegood::core {

struct ShardOptions {
  Duration lease = std::chrono::seconds(10);
  std::size_t executions_max = 20'000;  ///< In memory; beyond it no start is read.
  std::size_t batch_rows_max = 1000;
  std::size_t batch_bytes_max = std::size_t{4} << 20;
  Duration park_after = std::chrono::seconds(3);  ///< What waits for longer is not kept in memory.
  Duration grace = std::chrono::seconds(5);       ///< After a taking, no deadline counts before this has passed.
  std::size_t revisions_max = saga_revisions_max;
  std::optional<SagaUpkeep> upkeep = {};                   ///< Nothing: there is none.
  Duration upkeep_interval = std::chrono::seconds(1);      ///< Between steps that have done all there was.
  Duration upkeep_pause = std::chrono::milliseconds(100);  ///< Between steps while there is more.
  CallbackAddress callback = {};                           ///< Of attempts that leave as messages.
};

/// A version of a definition; 0: the newest.
struct DefinitionName {
  std::string name;
  std::int64_t version = 0;
  auto operator<=>(const DefinitionName&) const = default;
};

/// What the store has to be asked before the shard can decide.
struct ShardNeeds {
  using Id = std::pair<std::string, std::string>;
  std::vector<Id> ids = {};  ///< Tenant and id of executions.
  std::vector<Sequence> executions = {};
  std::vector<DefinitionName> definitions = {};
  std::vector<Id> keys = {};                                     ///< Tenant and key.
  std::optional<std::pair<Sequence, Sequence>> unfinished = {};  ///< Between these numbers.
  std::size_t due_max = 0;                                       ///< So many that are due by then:
  TimePoint due_by = {};
  bool wants_next_due = false;
  std::size_t rows_max = 0;  ///< Of `unfinished`.

  bool empty() const {
    const bool wants_names = !ids.empty() || !executions.empty() || !definitions.empty() || !keys.empty();
    return !wants_names && !unfinished && due_max == 0 && !wants_next_due;
  }
};

/// The answers to one round of needs.
struct ShardSupply {
  std::vector<std::optional<Sequence>> ids = {};  ///< As asked for.
  std::vector<SagaLoaded> executions = {};
  std::vector<SagaDefinitionPtr> definitions = {};    ///< As asked for; null: there is none.
  std::vector<std::optional<SagaKeyHeld>> keys = {};  ///< As asked for.
  std::vector<Sequence> unfinished = {};
  std::vector<Sequence> due = {};
  std::optional<TimePoint> next_due = {};
};

/// A call that may leave.
struct SagaCallOut {
  Ticket ticket = 0;
  std::string uri;
  DestinationPtr destination;
  std::string path;  ///< Below it.
  MessagePtr start;  ///< Of its execution.
  std::string step;
  Direction direction = Direction::action;
  std::uint32_t round = 0;
  std::uint32_t attempt = 0;
  std::string key;
  std::string action_key = {};  ///< Of a compensation or a check: the highest round of its action.
  std::uint32_t action_round = 0;
  std::string body;
  TimePoint deadline = {};
  Duration timeout = {};
};

struct ShardFigures {
  bool is_owner = false;
  std::size_t in_memory = 0;
  std::size_t in_flight = 0;
  std::size_t open_circuits = 0;
};

/// What outlives an ownership.
struct ShardLasting {
  ShardLasting(ShardOptions wanted, std::uint64_t seed, Sharing sharing)
      : options(wanted), random_state(seed), participants(sharing) {}
  double unit_random();

  const ShardOptions options;
  std::uint64_t random_state;
  Ticket last_ticket = 0;
  bool is_stopping = false;
  Participants participants;
  std::vector<Error> alarms = {};
  std::vector<SagaNews> news = {};
  std::size_t upkept = 0;  ///< Rows that the upkeep went over.
  std::set<std::string> incarnations = {};
};

struct OwnedShard;

class Shard {
 public:
  Shard(ShardOptions options, std::uint64_t seed, Sharing sharing = {});
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  void configure(const std::vector<Destination>& participants) { lasting_.participants.configure(participants); }
  /// Ask at once which are registered: a step calls one that is not known.
  bool take_participants_wish() { return lasting_.participants.take_wish(); }

  void begin(const Owner& owner, Taken taken, MonotonicTime asked_at);
  void forget();
  bool is_owner() const { return owned_ != nullptr; }

  LookFor look_for(MonotonicTime now);
  void look_failed();
  void read(Found found, MonotonicTime now);
  ShardNeeds needs();
  void supply(const ShardNeeds& needed, ShardSupply supply);
  /// The turn to commit, valid until committed() or forget(); null when there is nothing to write. Nothing is needed.
  const SagaTurn* decide(MonotonicTime now);
  void committed(const Committed& committed, MonotonicTime now);

  void answered(std::vector<Report> reports, MonotonicTime now);
  std::vector<SagaCallOut> release(MonotonicTime now);

  void stop() { lasting_.is_stopping = true; }
  void give_up();

  MonotonicTime next_exchange(MonotonicTime now) const;
  MonotonicTime send_until() const;
  ShardFigures figures() const;
  /// For the simulator: what the parts know of each other agrees.
  void assert_consistent() const;
  std::vector<Error> take_alarms();
  /// Rows that the upkeep went over, since the last call.
  std::size_t take_upkept() { return std::exchange(lasting_.upkept, 0); }
  std::vector<SagaNews> take_news() { return std::exchange(lasting_.news, {}); }

 private:
  ShardLasting lasting_;
  std::unique_ptr<OwnedShard> owned_;  ///< Null: the shard is not ours, and we know nothing of it.
};

}  // namespace makegood::core
