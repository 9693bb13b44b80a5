// What executions look like in answers. The names are those that callers of such interfaces know: executionId,
// chainName, status in capitals; `state` has our own words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/json_out.hpp"
#include "api/saga_view.hpp"

namespace makegood::api {

/// `MANUAL_INTERVENTION` for manual, `RUNNING` also while it waits.
std::string_view status_of(SagaState state);

/// JSON that was kept; null: there is none, it is none, or it is hidden.
void put_kept_json(Writer& writer, std::string_view name, std::string_view json, bool is_hidden,
                   std::string_view says = {});
void put_names(Writer& writer, std::string_view name, const std::vector<std::string>& names,
               std::string_view says = {});
void put_state(Writer& writer, SagaState state);
/// What it failed with, or why somebody has to look.
void put_failure(Writer& writer, const SagaExecutionView& view);
void put_execution(Writer& writer, const SagaExecutionView& view);
void put_saga_summary(Writer& writer, const SagaSummary& summary);
void put_saga_count(Writer& writer, const SagaCounts& counts);
void put_record(Writer& writer, const JournalEntry& entry, bool is_hidden);

/// What no list has any more.
void put_purged(Writer& writer, std::size_t count, const std::optional<TimePoint>& before);

}  // namespace makegood::api
