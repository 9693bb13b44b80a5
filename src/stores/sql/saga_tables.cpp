#include "stores/sql/saga_tables.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

#include "base/log_row.hpp"
#include "base/utf8.hpp"

namespace makegood::relational {
namespace {

enum SummaryColumn : int {
  execution_column,
  tenant_column,
  id_column,
  definition_column,
  version_column,
  state_column,
  waits_for_column,
  step_column,
  code_column,
  error_column,
  started_at_column,
  ended_at_column,
  summary_columns,
};

Result<std::vector<Sequence>> numbers_in(Rows& rows) {
  std::vector<Sequence> numbers;
  while (MAKEGOOD_TRY(rows.next())) numbers.push_back(rows.integer(0));
  return numbers;
}

/// The columns of a summary, then those that only an end has.
Result<SagaEnd> read_end(const Rows& row) {
  return SagaEnd{.summary = MAKEGOOD_TRY(read_summary(row)),
                 .revision = row.integer(summary_columns),
                 .output = std::string(row.text(summary_columns + 1)),
                 .open = std::string(row.text(summary_columns + 2))};
}

SagaKeyHeld read_saga_key(const Rows& row) {
  return {.tenant_id = std::string(row.text(0)),
          .key = std::string(row.text(1)),
          .execution = row.integer(2),
          .id = std::string(row.text(3))};
}

SagaBlockedKey read_blocked(const Rows& row) {
  return {.held = read_saga_key(row),
          .holder_state = saga_state_from(row.text(4)).value_or(SagaState::running),
          .waiting_count = row.count(5),
          .first_waiting = std::string(row.text(6)),
          .waiting_since = row.time(7)};
}

SagaDefinitionRow read_definition(const Rows& row) {
  return {.name = std::string(row.text(0)),
          .version = row.integer(1),
          .document = std::string(row.text(2)),
          .source = std::string(row.text(3)),
          .created_at = row.time(4)};
}

Result<std::vector<SagaDefinitionRow>> definitions_in(Rows& rows) {
  std::vector<SagaDefinitionRow> definitions;
  while (MAKEGOOD_TRY(rows.next())) definitions.push_back(read_definition(rows));
  return definitions;
}

using LoadedByNumber = std::map<Sequence, SagaLoaded>;

Result<> read_starts(Rows& rows, LoadedByNumber& loaded) {
  while (MAKEGOOD_TRY(rows.next())) {
    MessagePtr start = read_message(rows);
    const Sequence execution = start->sequence;
    loaded[execution].start = std::move(start);
  }
  return {};
}

Result<> read_journals(Rows& rows, LoadedByNumber& loaded) {
  while (MAKEGOOD_TRY(rows.next())) {
    const auto execution = loaded.find(rows.integer(0));
    if (execution == loaded.end()) continue;
    execution->second.journal.push_back(
        {.execution = rows.integer(0), .revision = rows.integer(1), .records = std::string(rows.blob(2))});
  }
  return {};
}

Result<> read_ends(Rows& rows, LoadedByNumber& loaded) {
  while (MAKEGOOD_TRY(rows.next())) {
    const auto execution = loaded.find(rows.integer(0));
    if (execution != loaded.end()) execution->second.end = MAKEGOOD_TRY(read_end(rows));
  }
  return {};
}

Result<> read_key_waiters(Rows& rows, LoadedByNumber& loaded) {
  while (MAKEGOOD_TRY(rows.next())) {
    const auto execution = loaded.find(rows.integer(0));
    if (execution != loaded.end()) execution->second.waits_for_key = true;
  }
  return {};
}

}  // namespace

Result<SagaSummary> read_summary(const Rows& row) {
  const auto state = saga_state_from(row.text(state_column));
  if (!state) {
    return Error{Errc::store_corrupt, "An execution has a state that is not known.",
                 fmt::format("execution {}", row.integer(execution_column))};
  }
  return SagaSummary{.execution = row.integer(execution_column),
                     .tenant_id = std::string(row.text(tenant_column)),
                     .id = std::string(row.text(id_column)),
                     .definition = std::string(row.text(definition_column)),
                     .version = row.integer(version_column),
                     .state = *state,
                     .waits_for = std::string(row.text(waits_for_column)),
                     .step = std::string(row.text(step_column)),
                     .code = std::string(row.text(code_column)),
                     .error = std::string(row.text(error_column)),
                     .started_at = row.time(started_at_column),
                     .ended_at = row.time_or_null(ended_at_column)};
}

Result<std::vector<Sequence>> SagaTables::unfinished(Sequence from, Sequence to, std::size_t rows_max) {
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql().unfinished_starts, from, to, rows_max));
  return numbers_in(*rows);
}

Result<std::vector<Sequence>> SagaTables::due(TimePoint now, std::size_t rows_max) {
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql().due_executions, now, rows_max));
  return numbers_in(*rows);
}

Result<std::optional<TimePoint>> SagaTables::next_due() {
  const RowsPtr row = MAKEGOOD_TRY(database_.one(sql().next_due_execution));
  return row->time_or_null(0);
}

Result<std::optional<Sequence>> SagaTables::find(std::string_view tenant_id, std::string_view id) {
  // What no database takes for a text names nothing.
  if (!is_text(tenant_id) || !is_text(id)) return std::optional<Sequence>();
  const RowsPtr row = MAKEGOOD_TRY(database_.query(sql().find_start, tenant_id, id));
  if (!MAKEGOOD_TRY(row->next())) return std::optional<Sequence>();
  return std::optional(row->integer(0));
}

Result<std::vector<SagaLoaded>> SagaTables::load(std::span<const Sequence> executions) {
  std::vector<SagaLoaded> in_order;
  if (executions.empty()) return in_order;
  const Numbers numbers(executions.begin(), executions.end());
  const std::array steps = {Step(sql().read_starts, numbers), Step(sql().read_journals, numbers),
                            Step(sql().read_ends, numbers), Step(sql().read_key_waiters, numbers)};
  const auto answers = MAKEGOOD_TRY(database_.run(steps));
  LoadedByNumber loaded;
  MAKEGOOD_TRY(read_starts(*answers[0], loaded));
  MAKEGOOD_TRY(read_journals(*answers[1], loaded));
  MAKEGOOD_TRY(read_ends(*answers[2], loaded));
  MAKEGOOD_TRY(read_key_waiters(*answers[3], loaded));
  for (const Sequence execution : executions) {
    if (auto row = loaded.extract(execution)) in_order.push_back(std::move(row.mapped()));
  }
  return in_order;
}

Result<std::optional<SagaParked>> SagaTables::parked(Sequence execution) {
  const RowsPtr row = MAKEGOOD_TRY(database_.query(sql().read_parked_saga, execution));
  if (!MAKEGOOD_TRY(row->next())) return std::optional<SagaParked>();
  return std::optional(SagaParked{.summary = MAKEGOOD_TRY(read_summary(*row)),
                                  .due_at = row->time_or_null(summary_columns),
                                  .key = std::string(row->text(summary_columns + 1))});
}

Result<std::optional<SagaDefinitionRow>> SagaTables::definition(std::string_view name, std::int64_t version) {
  if (!is_text(name)) return std::optional<SagaDefinitionRow>();
  const RowsPtr row = MAKEGOOD_TRY(database_.query(sql().read_definition, name, version));
  if (!MAKEGOOD_TRY(row->next())) return std::optional<SagaDefinitionRow>();
  return std::optional(read_definition(*row));
}

Result<std::string> SagaTables::callback_key() {
  const RowsPtr row = MAKEGOOD_TRY(database_.query(sql().read_callback_key));
  if (!MAKEGOOD_TRY(row->next())) {
    return Error{Errc::store_corrupt, "The key that signs callbacks is missing; restore its row from a backup."};
  }
  return std::string(row->text(0));
}

Result<std::optional<SagaKeyHeld>> SagaTables::key_holder(std::string_view tenant_id, std::string_view key) {
  const RowsPtr row = MAKEGOOD_TRY(database_.query(sql().read_key_holder, tenant_id, key));
  if (!MAKEGOOD_TRY(row->next())) return std::optional<SagaKeyHeld>();
  return std::optional(read_saga_key(*row));
}

Result<std::vector<SagaBlockedKey>> SagaTables::blocked_keys(std::string_view tenant_id, std::size_t rows_max) {
  std::vector<SagaBlockedKey> blocked;
  if (!is_text(tenant_id)) return blocked;
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql().blocked_saga_keys, tenant_id, rows_max));
  while (MAKEGOOD_TRY(rows->next())) blocked.push_back(read_blocked(*rows));
  return blocked;
}

Result<std::vector<SagaDefinitionRow>> SagaTables::versions(std::string_view name) {
  if (!is_text(name)) return std::vector<SagaDefinitionRow>();
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql().read_versions, name));
  return definitions_in(*rows);
}

Result<std::vector<SagaDefinitionRow>> SagaTables::newest_definitions() {
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql().newest_definitions));
  return definitions_in(*rows);
}

}  // namespace makegood::relational
