// Failures of executions, grouped by what has failed and how.
#include <array>

#include "api/operation.hpp"
#include "api/paging.hpp"
#include "api/saga_view_json.hpp"

namespace makegood::api {
namespace {

/// Of the log's numbers, the newest: older failures are found with the list.
constexpr std::size_t failures_looked_max = 1'000'000;

struct FailureQuery {
  std::string tenant_id;
  std::string definition;
  std::size_t limit;
};
FailureQuery failure_query(Fields& query) {
  return {query.text("tenant", tenant_rule), query.text("definition", {.says = "Only executions of this saga."}),
          limit_of(query)};
}

void put_failures(Writer& writer, const SagaFailures& group) {
  put(writer, "chainName", group.definition);
  put_or_null(writer, "step", group.step);
  put(writer, "code", group.code);
  put_state(writer, group.state);
  put(writer, "count", group.count);
  put(writer, "since", group.since, "When the oldest of them was started.");
  put(writer, "until", group.until, "When the newest of them was started.");
  put(writer, "example", group.example, "The newest of them.");
  put(writer, "tenantId", group.example_tenant, "Of the example.");
}
void put_failure_groups(Writer& writer, const std::vector<SagaFailures>& groups) {
  put_list(writer, "SagaFailureGroup", groups, put_failures);
}

Result<Answer> list_failures(const RoutedCall& routed) {
  const FailureQuery wanted = MAKEGOOD_TRY(read_query(routed.call, failure_query));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  return answer_of(MAKEGOOD_TRY(sagas.failures(wanted.tenant_id, wanted.definition, wanted.limit, failures_looked_max)),
                   put_failure_groups);
}

constexpr auto about_failures = std::to_array<Operation>({
    shows("list_saga_failures", "/api/saga/failures", "sagas", list_failures,
          "What has failed, by saga, step, code and state: how many, since when, and one example",
          {200, "The most first, `limit` at most; there is no second page.", "SagaFailureGroupList",
           writes<put_failure_groups>},
          reads<failure_query>),
});

}  // namespace

Operations saga_failure_operations() { return about_failures; }

}  // namespace makegood::api
