// One page of messages that pass a filter, newest first, with a bounded amount of reading. What is looked at comes in
// chunks, each with a few round trips: small ones first, because most pages are full after the first.
#pragma once

#include "base/standing.hpp"
#include "base/view_filter.hpp"
#include "stores/sql/database.hpp"

namespace makegood::relational {

/// With what has become of it. Nothing: somebody has deleted it.
Result<std::optional<MessageSummary>> read_summary(Database& database, const Standing& standing, Sequence sequence);

class MessageSearch {
 public:
  /// All of these must outlive it.
  MessageSearch(Database& database, const Standing& standing, const MessageFilter& filter, std::size_t rows_max);

  Result<MessagePage> run(Sequence before);

 private:
  // Each goes down with what finds the fewest strangers among what is wanted.
  Result<> look_up_event(Sequence before);
  Result<> look_for_state(MessageState state, Sequence before);
  template <class... Values>
  Result<> pass_numbers(Sequence before, std::string_view sql, const Values&... values);
  Result<> pass_log(Sequence floor, Sequence before);

  /// How many rows to ask for now: one more than the page has room for, and more each time.
  std::size_t next_chunk();
  /// False, and the page is told where to go on: no more may be looked at.
  bool may_look_at(Sequence sequence);
  Result<> look_at(const Numbers& numbers);
  /// Answers how many rows there were.
  Result<std::size_t> look_at(Rows& heads);

  Database& database_;
  const Statements& sql_;
  const Standing& standing_;
  const MessageFilter& filter_;
  const std::size_t rows_max_;
  std::size_t chunk_;
  std::size_t looked_ = 0;
  Sequence last_ = 0;  ///< That was looked at.
  bool is_cut_ = false;
  MessagePage page_;
};

}  // namespace makegood::relational
