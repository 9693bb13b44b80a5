// The executions that a shard has in memory: those that work, and those that wait for a moment only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/saga/steering.hpp"

namespace makegood::core {

/// One execution in hand, and what was decided about it since the last turn.
struct InHand {
  explicit InHand(MessagePtr start) : execution(std::move(start)) {}
  Execution execution;
  SagaDecisions decided = {};
  std::int64_t revision = 0;           ///< Of its last journal row.
  std::size_t calls = 0;               ///< Sent by this owner, and not answered.
  std::optional<TimePoint> wake = {};  ///< When it is looked at again.
  bool is_parked = false;              ///< It has a row in the store that says so.
  bool is_read_back = false;           ///< Just now, from its journal.
  bool had_ended = false;              ///< Its end is in the store.
  bool waits_for_key = false;          ///< Another execution holds it; it is parked until it is called.
  bool is_touched = false;             ///< Something happened to it since the last turn.
};

class SagaMemory {
 public:
  InHand& add(MessagePtr start);
  InHand* find(Sequence number);
  InHand* find(std::string_view tenant_id, std::string_view id);
  void remove(Sequence number);
  void clear();

  std::size_t count() const { return by_number_.size(); }
  /// The lowest that is in hand, but for those.
  std::optional<Sequence> lowest_without(const std::set<Sequence>& leaving) const;

  /// It is decided on in this turn.
  void touch(InHand& in_hand);
  /// It was taken as touched, and has to be looked at again.
  void keep_touched(InHand& in_hand) { touched_.push_back(&in_hand); }
  std::vector<InHand*> take_touched() { return std::exchange(touched_, {}); }
  const std::vector<InHand*>& touched() const { return touched_; }
  void set_wake(InHand& in_hand, std::optional<TimePoint> wake);
  /// All whose time has come are touched.
  void wake_until(TimePoint now);
  std::optional<TimePoint> next_wake() const;
  /// Between two turns: whatever is in hand is called, or wakes up.
  void assert_consistent() const;

 private:
  using Id = std::pair<std::string, std::string>;

  std::map<Sequence, std::unique_ptr<InHand>> by_number_;
  std::map<Id, Sequence, std::less<>> by_id_;
  std::set<std::pair<TimePoint, Sequence>> timers_;
  std::vector<InHand*> touched_;
};

}  // namespace makegood::core
