// What one lane reads from the log in one look, within its limits.
#pragma once

#include <functional>

#include "stores/memory/state.hpp"

namespace makegood::memory {

struct ReadLimits {
  std::size_t rows_max = 0;
  std::size_t bytes_max = 0;   ///< Always at least one row.
  std::size_t passed_max = 0;  ///< 0 = no limit.
};

class Reading {
 public:
  using Wants = std::function<bool(const Message&)>;

  Reading(const State& state, const ReadLimits& limits) : state_(state), limits_(limits) {}

  /// A number without a row costs no room: it is open, or it will never appear. After one that does not fit nothing
  /// does, so that no row passes another.
  void read_numbers(std::vector<Sequence> numbers);
  /// What is wanted in (after, until]; what is not is passed. Does nothing while a number is unread.
  void read_beyond(Sequence after, Sequence until, const Wants& wants);

  std::vector<MessagePtr> rows = {};
  std::vector<Sequence> unread = {};
  Sequence looked_to = 0;  ///< By read_beyond: the last row looked at, or `until` if there is no more.
  bool is_cut = false;     ///< A limit cut it short.

 private:
  bool has_room_for(const Message& row) const;
  bool is_full() const;
  void add(const MessagePtr& row);

  const State& state_;
  const ReadLimits limits_;
  std::size_t bytes_ = 0;
  std::size_t passed_ = 0;
};

}  // namespace makegood::memory
