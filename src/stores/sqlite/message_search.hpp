// One page of messages that pass a filter, newest first, with a bounded amount of reading.
#pragma once

#include "base/standing.hpp"
#include "base/view_filter.hpp"
#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

/// With what has become of it. Nothing: somebody has deleted it.
Result<std::optional<MessageSummary>> read_summary(Connection& connection, const Standing& standing, Sequence sequence);

class MessageSearch {
 public:
  /// All of these must outlive it.
  MessageSearch(Connection& connection, const Standing& standing, const MessageFilter& filter, std::size_t rows_max);

  Result<MessagePage> run(Sequence before);

 private:
  // Each goes down with what finds the fewest strangers among what is wanted.
  Result<> look_up_event(Sequence before);
  Result<> look_for_state(MessageState state, Sequence before);
  Result<> pass_numbers(Rows numbers);
  Result<> pass_log(Sequence floor, Sequence before);

  /// False, and the page is told where to go on: no more may be looked at.
  bool may_look_at(Sequence sequence);
  Result<> look_at(Sequence sequence);
  Result<> look_at(const Rows& head);

  Connection& connection_;
  const Standing& standing_;
  const MessageFilter& filter_;
  const std::size_t rows_max_;
  std::size_t looked_ = 0;
  Sequence last_;  ///< That was looked at.
  bool is_cut_ = false;
  MessagePage page_;
};

}  // namespace makegood::sqlite
