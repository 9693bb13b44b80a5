// The dead letters that pass a filter. The server does the passing: only what is wanted comes over the wire.
#pragma once

#include <string>

#include "makegood/outbox_view.hpp"
#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

/// A pattern of topics as a statement takes it: `like` for LIKE, and what a topic must not begin with. Empty: all.
struct TopicPattern {
  explicit TopicPattern(std::string_view pattern);

  std::string like;
  std::string_view unless_it_begins_with;
};

/// A run of one of the statements in which $1 to $8 are a filter; `values` come after them.
template <class... Values>
Result<Rows> query_dead(Connection& connection, std::string_view sql, const DeadFilter& filter,
                        const Values&... values) {
  const std::string_view state = filter.state ? to_string(*filter.state) : std::string_view();
  const TopicPattern topic(filter.topic);
  return connection.query(sql, filter.tenant_id, filter.destination, filter.error_code, state, filter.changed_from,
                          filter.changed_until, topic.like, topic.unless_it_begins_with, values...);
}

/// A row of list_dead, list_dead_messages or read_dead_letter.
Result<DeadLetter> read_dead_letter(const Rows& row);
Result<std::vector<DeadLetter>> read_dead_letters(Rows rows);

}  // namespace makegood::postgres
