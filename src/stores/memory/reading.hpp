// What one lane reads from the log in one look, within its limits.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "stores/memory/state.hpp"

namespace makegood::memory {

struct ReadLimits {
  std::size_t rows_max = 0;
  std::size_t bytes_max = 0;   ///< Always at least one row.
  std::size_t passed_max = 0;  ///< 0 = no limit.
};

/// Tenant and key of rows that are there and were not read.
using KeysInWait = std::set<std::pair<std::string, std::string>>;
bool is_waiting(const KeysInWait& keys, const Message& row);

class Reading {
 public:
  /// What becomes of a row beyond. Left ones are `left` for later, and others pass them; at a stop the lane waits.
  enum class Choice { take, pass, leave, stop };
  using Choose = std::function<Choice(const Message&)>;

  Reading(const State& state, const ReadLimits& limits) : state_(state), limits_(limits) {}

  /// A number without a row costs no room: it will never appear. After one that does not fit nothing does, so that no
  /// row passes another.
  void read_numbers(std::vector<Sequence> numbers);
  /// What has appeared of these. When not all of it fits, half of the room is for those beyond; what is `left` tells
  /// its keys. While a number is unread there is no room.
  void read_late(const NumberSet& numbers);
  /// In (after, until]. Does nothing while a number is unread.
  void read_beyond(Sequence after, Sequence until, const Choose& choose);

  std::vector<MessagePtr> rows = {};
  std::vector<Sequence> unread = {};
  NumberSet left = {};
  KeysInWait keys_in_wait = {};
  Sequence looked_to = 0;  ///< By read_beyond: the last row looked at, or `until` if there is no more.
  bool is_cut = false;     ///< A limit cut it short.

 private:
  bool is_idle() const { return !unread.empty() || limits_.rows_max == 0; }
  bool has_room_for(const Message& row) const;
  bool is_full() const;
  void add(const MessagePtr& row);
  void leave(const Message& row);
  std::vector<MessagePtr> visible_of(const NumberSet& numbers) const;

  const State& state_;
  const ReadLimits limits_;
  std::size_t bytes_ = 0;
  std::size_t passed_ = 0;
};

}  // namespace makegood::memory
