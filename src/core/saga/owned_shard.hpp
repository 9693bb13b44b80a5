// All that is known of a shard while it is ours: to forget it is to destroy it.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/saga/definitions.hpp"
#include "core/saga/shard.hpp"

namespace makegood::core {

/// A row of the log that was read and is not decided on yet.
struct RowInHand {
  MessagePtr row;
  LogRequest request;
};

/// A call that was handed to its transport.
struct SagaCallInFlight {
  Sequence execution = 0;
  std::string step;
  std::string participant;  ///< The destination at which it has a place.
  Direction direction = Direction::action;
  std::uint32_t round = 0;
  std::uint32_t attempt = 0;
  bool is_probe = false;
};

struct ReplyInHand {
  SagaCallInFlight call;
  Reply reply;
};

/// After a taking: which executions its last owner may have had in memory.
struct Recovery {
  Sequence from = 0;
  Sequence to = 0;
  bool is_over() const { return from > to; }
};

struct OwnedShard {
  OwnedShard(ShardLasting& outliving, Ownership taken) : lasting(outliving), ownership(std::move(taken)) {}

  ShardLasting& lasting;
  Ownership ownership;
  LogCursor log = {};
  Position committed_position = {};
  std::vector<Position::Absence> absences = {};
  TimePoint grace_until = {};
  MonotonicTime asked_at = {};   ///< When the exchange under way began.
  MonotonicTime upkeep_at = {};  ///< When the next step of it is due.

  SagaMemory memory = {};
  Definitions definitions = {};
  Recovery recovery = {};
  NumberSet not_begun = {};  ///< Open when it was taken: who reads them begins them.
  std::deque<RowInHand> rows = {};
  std::vector<ReplyInHand> replies = {};
  std::map<Ticket, SagaCallInFlight> in_flight = {};

  std::set<Sequence> wanted = {};                   ///< To be read back from the store.
  std::set<ShardNeeds::Id> absent = {};             ///< Asked for, and not there.
  std::set<Sequence> gone = {};                     ///< Likewise, by number.
  std::map<ShardNeeds::Id, Sequence> numbers = {};  ///< Of executions that rows in hand speak of.
  /// Who holds which key, as far as it was asked for since the last decision.
  std::map<ShardNeeds::Id, std::optional<SagaKeyHeld>> keys = {};
  std::vector<SagaLoaded> unfolded = {};  ///< Read back; their definitions are not known yet.
  std::set<Sequence> recovered = {};      ///< Of `wanted`: their last owner had them in memory.
  std::optional<TimePoint> next_due = {};
  bool is_next_due_known = false;
  bool is_due_taken = false;  ///< What is next is asked for when the turn is committed.

  /// What the store was asked about rows in hand: it may answer otherwise the next time.
  void forget_answers() {
    absent.clear();
    gone.clear();
    numbers.clear();
    keys.clear();
  }

  std::optional<SagaTurn> draft = {};
  std::vector<Sequence> leaving = {};                             ///< They leave the memory with the turn.
  std::vector<std::pair<Sequence, SagaSend>> drafted_sends = {};  ///< Of the turn that is being decided.
  std::vector<std::pair<Sequence, SagaSend>> outgoing = {};       ///< Covered by a committed turn.
  std::vector<SagaNews> drafted_news = {};                        ///< Told when the turn is committed.
  bool is_more = true;
  bool is_giving_up = false;
  bool has_passed_rows = false;  ///< The turn has to say how far the log is read.
};

/// Whether one more may be taken into memory.
std::size_t room(const OwnedShard& shard);
/// What the row that starts an execution names.
DefinitionName definition_asked_for(const Message& start);
ShardNeeds needs_of(OwnedShard& shard);
/// A request in hand speaks of something that the store was not asked for yet.
bool is_row_unsupplied(OwnedShard& shard);
void take_supply(OwnedShard& shard, const ShardNeeds& needed, ShardSupply supply);
/// Its definition and the holder of its key, which it needs to begin.
void need_to_begin(const OwnedShard& shard, const Message& start, ShardNeeds& needs);
/// Begins it, if it has not begun and may. False: it is as it was, waits for its key, or is refused.
bool admit(OwnedShard& shard, SagaSurroundings& around, InHand& in_hand);
/// It has ended: its key goes to whoever waits for it.
void leave_key(OwnedShard& shard, const Execution& execution);
/// Answers, requests and timers become records, and these the turn's rows.
void decide_all(OwnedShard& shard, MonotonicTime now);

}  // namespace makegood::core
