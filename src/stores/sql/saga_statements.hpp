// The statements about sagas that the shared code runs; each store writes them in its dialect.
#pragma once

#include <string_view>

namespace makegood::relational {

struct SagaStatements {
  // Executions. The columns of a summary are those of saga_tables.cpp.
  std::string_view find_start, read_starts, read_journals, read_ends, read_key_waiters, read_parked_saga,
      unfinished_starts, due_executions, next_due_execution, read_key_holder;
  // Lists.
  std::string_view saga_list_settings, list_sagas, newest_below, list_ended, looked_ended, list_waiting, looked_waiting,
      count_sagas, blocked_saga_keys, failed_sagas;
  // Definitions.
  std::string_view read_definition, read_versions, newest_definitions, lock_definition, append_definition;
  // What signs.
  std::string_view read_callback_key;
  // Upkeep and statistics.
  std::string_view read_upkeep, newest_to_fold, ends_to_fold, add_to_summary, set_folded, purgeable, purge_journals,
      purge_ends, purge_log, note_purged, purge_turns, read_summary_classes, count_unfinished;
};

/// Those of a store, whose statements are the members of `Sql`.
template <class Sql>
constexpr SagaStatements saga_statements_in() {
  return {
      .find_start = Sql::find_start,
      .read_starts = Sql::read_starts,
      .read_journals = Sql::read_journals,
      .read_ends = Sql::read_ends,
      .read_key_waiters = Sql::read_key_waiters,
      .read_parked_saga = Sql::read_parked_saga,
      .unfinished_starts = Sql::unfinished_starts,
      .due_executions = Sql::due_executions,
      .next_due_execution = Sql::next_due_execution,
      .read_key_holder = Sql::read_key_holder,
      .saga_list_settings = Sql::saga_list_settings,
      .list_sagas = Sql::list_sagas,
      .newest_below = Sql::newest_below,
      .list_ended = Sql::list_ended,
      .looked_ended = Sql::looked_ended,
      .list_waiting = Sql::list_waiting,
      .looked_waiting = Sql::looked_waiting,
      .count_sagas = Sql::count_sagas,
      .blocked_saga_keys = Sql::blocked_saga_keys,
      .failed_sagas = Sql::failed_sagas,
      .read_definition = Sql::read_definition,
      .read_versions = Sql::read_versions,
      .newest_definitions = Sql::newest_definitions,
      .lock_definition = Sql::lock_definition,
      .append_definition = Sql::append_definition,
      .read_callback_key = Sql::read_callback_key,
      .read_upkeep = Sql::read_upkeep,
      .newest_to_fold = Sql::newest_to_fold,
      .ends_to_fold = Sql::ends_to_fold,
      .add_to_summary = Sql::add_to_summary,
      .set_folded = Sql::set_folded,
      .purgeable = Sql::purgeable,
      .purge_journals = Sql::purge_journals,
      .purge_ends = Sql::purge_ends,
      .purge_log = Sql::purge_log,
      .note_purged = Sql::note_purged,
      .purge_turns = Sql::purge_turns,
      .read_summary_classes = Sql::read_summary_classes,
      .count_unfinished = Sql::count_unfinished,
  };
}

}  // namespace makegood::relational
