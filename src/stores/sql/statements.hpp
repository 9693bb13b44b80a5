// The statements that the shared code runs: each store writes them in its dialect, with these parameters and columns.
#pragma once

#include <string_view>

#include "stores/sql/saga_statements.hpp"

namespace makegood::relational {

struct Statements {
  // Turns and routes. The columns of a turn are those of base/turn_row.hpp.
  std::string_view newest_turn, turns_range, turn_from, fruitless_takings, read_routings;
  // Messages.
  std::string_view read_counter, heads_of, scan_messages, read_whole_message, parked_of, published_at, times_of,
      numbers_of_event, numbers_of_any_event, waiting_numbers, under_way_numbers, dead_numbers, count_rewind;
  // The backlog.
  std::string_view first_pending, count_waiting, count_held, count_dead, pass_beyond;
  // Dead letters.
  std::string_view list_dead, count_dead_letters, group_dead, read_dead_letter, blocked_keys;
  // Taking.
  std::string_view blocking_parked, earliest_due, parked_counts;
  // Cleaning.
  std::string_view clean_boundary, clean_range, keep_messages, clean_log, clean_turns, clean_done, clean_dead,
      clean_kept, clean_requests, retire_routings, clean_routings, is_drawn_again, read_anchor, mark_turn;
  // Requests.
  std::string_view append_request, answer_to, list_requests, requests_about;
  SagaStatements sagas = {};
};

/// Those of a store, whose statements are the members of `Sql`.
template <class Sql>
constexpr Statements statements_in() {
  return {
      .newest_turn = Sql::newest_turn,
      .turns_range = Sql::turns_range,
      .turn_from = Sql::turn_from,
      .fruitless_takings = Sql::fruitless_takings,
      .read_routings = Sql::read_routings,
      .read_counter = Sql::read_counter,
      .heads_of = Sql::heads_of,
      .scan_messages = Sql::scan_messages,
      .read_whole_message = Sql::read_whole_message,
      .parked_of = Sql::parked_of,
      .published_at = Sql::published_at,
      .times_of = Sql::times_of,
      .numbers_of_event = Sql::numbers_of_event,
      .numbers_of_any_event = Sql::numbers_of_any_event,
      .waiting_numbers = Sql::waiting_numbers,
      .under_way_numbers = Sql::under_way_numbers,
      .dead_numbers = Sql::dead_numbers,
      .count_rewind = Sql::count_rewind,
      .first_pending = Sql::first_pending,
      .count_waiting = Sql::count_waiting,
      .count_held = Sql::count_held,
      .count_dead = Sql::count_dead,
      .pass_beyond = Sql::pass_beyond,
      .list_dead = Sql::list_dead,
      .count_dead_letters = Sql::count_dead_letters,
      .group_dead = Sql::group_dead,
      .read_dead_letter = Sql::read_dead_letter,
      .blocked_keys = Sql::blocked_keys,
      .blocking_parked = Sql::blocking_parked,
      .earliest_due = Sql::earliest_due,
      .parked_counts = Sql::parked_counts,
      .clean_boundary = Sql::clean_boundary,
      .clean_range = Sql::clean_range,
      .keep_messages = Sql::keep_messages,
      .clean_log = Sql::clean_log,
      .clean_turns = Sql::clean_turns,
      .clean_done = Sql::clean_done,
      .clean_dead = Sql::clean_dead,
      .clean_kept = Sql::clean_kept,
      .clean_requests = Sql::clean_requests,
      .retire_routings = Sql::retire_routings,
      .clean_routings = Sql::clean_routings,
      .is_drawn_again = Sql::is_drawn_again,
      .read_anchor = Sql::read_anchor,
      .mark_turn = Sql::mark_turn,
      .append_request = Sql::append_request,
      .answer_to = Sql::answer_to,
      .list_requests = Sql::list_requests,
      .requests_about = Sql::requests_about,
      .sagas = saga_statements_in<Sql>(),
  };
}

}  // namespace makegood::relational
