// Statistics of executions: how many ended in which way in a period, and how long they took.
#include <array>

#include "api/operation.hpp"
#include "api/paging.hpp"
#include "api/saga_view_json.hpp"

namespace makegood::api {
namespace {

SagaStatisticsWanted statistics_query(Fields& query) {
  SagaStatisticsWanted wanted{.tenant_id = query.text("tenant", tenant_rule),
                              .definition = query.text("definition", {.says = "Only executions of this saga."})};
  wanted.from = query.time("from", "Begun at this moment or later. Hours (UTC) are not divided: the whole one counts.");
  wanted.until = query.time("until", "Begun before this moment, or in its hour.");
  wanted.rows_max = limit_of(query);
  return wanted;
}

std::optional<std::int64_t> whole_milliseconds(const std::optional<Duration>& time) {
  if (!time) return std::nullopt;
  return std::chrono::round<std::chrono::milliseconds>(*time).count();
}

void put_statistics_row(Writer& writer, const SagaStatistics& row) {
  const std::size_t ended = row.completed + row.compensated + row.failed + row.cancelled;
  put(writer, "chainName", row.definition);
  put(writer, "version", row.version, "0: not begun, or nobody knew the definition.");
  put(writer, "tenantId", row.tenant_id);
  put(writer, "ended", ended, "Of those that were begun in the period.");
  put(writer, "completed", row.completed);
  put(writer, "compensated", row.compensated);
  put(writer, "failed", row.failed);
  put(writer, "cancelled", row.cancelled);
  put(writer, "running", row.running, "Not ended at this moment, whenever they were started.");
  put(writer, "medianMs", whole_milliseconds(row.median), "How long those took that have completed, to a tenth.");
  put(writer, "p99Ms", whole_milliseconds(row.p99), "99 of 100 were faster.");
}

void put_statistics(Writer& writer, const SagaStatisticsPage& page) {
  put_objects(writer, "items", "SagaStatistics", page.items, put_statistics_row, "The most executions first.");
  put(writer, "isComplete", page.is_complete,
      "false: there are more than `limit`, or more than 100,000 ends that no summary counts yet.");
  put_purged(writer, page.purged_count, page.purged_before);
}

Result<Answer> show_statistics(const RoutedCall& routed) {
  const SagaStatisticsWanted wanted = MAKEGOOD_TRY(read_query(routed.call, statistics_query));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  return answer_of(MAKEGOOD_TRY(sagas.statistics(wanted)), put_statistics);
}

constexpr auto about_statistics = std::to_array<Operation>({
    shows("show_saga_statistics", "/api/saga/statistics", "sagas", show_statistics,
          "How many executions ended in which way and how long they took, by saga, version and tenant",
          {200, "At most `limit` rows; there is no second page.", "SagaStatisticsPage", writes<put_statistics>},
          reads<statistics_query>),
});

}  // namespace

Operations saga_statistics_operations() { return about_statistics; }

}  // namespace makegood::api
