// The whole table of operations, and those that only a server has.
#include <array>

#include "api/operation.hpp"

namespace makegood::api {
namespace {

constexpr auto event_kinds = std::to_array<std::string_view>(
    {"delivered", "retried", "died", "news", "ownership", "alarm", "saga", "step", "source", "key", "key_told"});

void describe_event_filter(Fields& query) {
  query.text("outbox");
  query.text("topic", {.says = "A pattern."});
  query.text("tenant");
  query.choice("kind", event_kinds);
}

Result<Answer> show_openapi(const RoutedCall& /*routed*/) {
  return Answer{.content_type = "application/yaml", .body = std::string(openapi())};
}

constexpr Reply text_reply(std::string_view says, std::string_view type = "text/plain") {
  return {.status = 200, .says = says, .content_type = type};
}

constexpr auto of_the_process = std::to_array<Operation>({
    {.id = "openapi",
     .method = "GET",
     .path = "/api/openapi.yaml",
     .handler = show_openapi,
     .tag = "process",
     .summary = "This document",
     .replies = {text_reply("OpenAPI 3.1.", "application/yaml")}},
    {.id = "follow_events",
     .method = "GET",
     .path = "/api/events",
     .tag = "messages",
     .summary = "What happens now, as server-sent events",
     .description = "`event:` is the kind, `data:` a JSON object. Never a payload. A reader that is too slow loses "
                    "events, not\nthe others' time.\n",
     .query = describe_event_filter,
     .replies = {text_reply("Until one of the two hangs up.", "text/event-stream")},
     .also = {404}},
    {.id = "healthz",
     .method = "GET",
     .path = "/healthz",
     .tag = "process",
     .summary = "The process answers",
     .replies = {text_reply("It does.")}},
    {.id = "readyz",
     .method = "GET",
     .path = "/readyz",
     .tag = "process",
     .summary = "The process can do its work",
     .replies = {text_reply("It can.")},
     .also = {503}},
    {.id = "metrics",
     .method = "GET",
     .path = "/metrics",
     .role = Role::metrics,
     .tag = "process",
     .summary = "Metrics for Prometheus",
     .replies = {text_reply("In its text format.")}},
    {.id = "metrics_at_the_second_path",
     .method = "GET",
     .path = "/debug/prometheus",
     .role = Role::metrics,
     .tag = "process",
     .summary = "The same metrics, under a path that the configuration can change",
     .replies = {text_reply("In its text format.")}},
});

std::vector<const Operation*> collected() {
  std::vector<const Operation*> all;
  for (const Operations part : {status_operations(),
                                outbox_operations(),
                                message_operations(),
                                enqueue_operations(),
                                lane_operations(),
                                request_operations(),
                                destination_operations(),
                                test_operations(),
                                route_operations(),
                                apply_operations(),
                                dead_operations(),
                                idempotency_operations(),
                                job_operations(),
                                source_operations(),
                                saga_definition_operations(),
                                saga_operations(),
                                saga_start_operations(),
                                saga_request_operations(),
                                saga_key_operations(),
                                saga_statistics_operations(),
                                saga_bulk_operations(),
                                saga_failure_operations(),
                                saga_answer_operations(),
                                process_operations()}) {
    for (const Operation& operation : part) all.push_back(&operation);
  }
  return all;
}

}  // namespace

Operations process_operations() { return of_the_process; }

const std::vector<const Operation*>& operations() {
  static const std::vector<const Operation*> all = collected();
  return all;
}

}  // namespace makegood::api
