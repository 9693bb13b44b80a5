#include "api/saga_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "api/asking.hpp"
#include "api/body.hpp"
#include "api/operation.hpp"
#include "api/route_table.hpp"
#include "api/saga_carriers.hpp"
#include "api/saga_document.hpp"
#include "api/saga_reading.hpp"
#include "api/saga_view_json.hpp"
#include "base/digest.hpp"
#include "base/key_header.hpp"
#include "base/nearest.hpp"
#include "base/saga_check.hpp"
#include "base/saga_children.hpp"
#include "base/saga_json.hpp"
#include "base/saga_settings.hpp"
#include "base/trace_context.hpp"
#include "makegood/id.hpp"

namespace makegood::api {
namespace {

constexpr RealRange wait_range{0, 30};
constexpr Duration first_look = std::chrono::milliseconds(2);
constexpr Duration look_max = std::chrono::milliseconds(50);
constexpr IntegerRange saga_version_range{1, std::numeric_limits<std::int64_t>::max()};
constexpr TextRule saga_id_rule{.bytes_max = 128,
                                .says =
                                    "Names the execution: the same start again is answered with the first one. "
                                    "Otherwise the header `Idempotency-Key`, else drawn."};

/// Elsewhere a tenant is a number.
std::string text_or_number(Fields& body, std::string_view name, std::string_view says) {
  const JsonValue* value = body.any(name, says);
  if (value == nullptr || value->kind == JsonValue::Kind::null) return {};
  if (value->kind == JsonValue::Kind::text) return value->text;
  if (value->kind == JsonValue::Kind::number) return std::string(value->source);
  body.mistake(name, "is neither a text nor a number");
  return {};
}

std::string one_of_two(Fields& body, std::string first, std::string second, std::string_view name) {
  if (!first.empty() && !second.empty() && first != second) body.mistake(name, "is said twice, and not the same");
  return first.empty() ? std::move(second) : std::move(first);
}

Duration wait_in(Fields& body) {
  const auto seconds = body.real("wait", wait_range, "So many seconds at most for the outcome.");
  const bool is_said = body.is_said("async");
  const bool is_async = body.flag("async", "false: as `wait` 30. true: the answer comes at once.");
  if (seconds) return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds));
  return is_said && !is_async ? std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wait_range.high))
                              : Duration::zero();
}

void take_input(Fields& body, NewMessage& row) {
  const JsonValue* ours = body.any("input", "Any JSON; `{}` if it is left out.");
  const JsonValue* theirs = body.any("inputData", "The same.");
  if (ours != nullptr && theirs != nullptr) body.mistake("inputData", "and input are the same thing; say one of them");
  const JsonValue* input = ours != nullptr ? ours : theirs;
  row.payload = input == nullptr ? "{}" : std::string(input->source);
}

/// Everything but what is executed.
void take_start(Fields& body, SagaStartCall& start) {
  NewMessage& row = start.row;
  const std::string tenant_id = one_of_two(body, body.text("tenant", {.says = "`default` if left out."}),
                                           text_or_number(body, "tenantId", "The same; a number too."), "tenant");
  if (!tenant_id.empty()) row.tenant_id = tenant_id;
  row.event_id = one_of_two(body, body.text("id", saga_id_rule), body.text("executionId", {.bytes_max = 128}), "id");
  row.dispatch_key = body.text(
      "key", {.bytes_min = 0,
              .says = "What it is about, as in `customer-7`: executions of one tenant and key run one after another."});
  if (const auto chosen = body.choice("on_busy", busy_words, "When another holds the key; default: as defined.")) {
    row.headers["saga-on-busy"] = busy_words[*chosen];
  }
  row.available_at = body.time("start_at", "Not before; until then it is pending.");
  take_input(body, row);
  start.wait = wait_in(body);
  const bool is_saga = body.flag("sagaMode", "true, or left out.");
  if (body.is_said("sagaMode") && !is_saga) body.mistake("sagaMode", "is false; here everything is a saga");
}

SagaStartCall start_in(Fields& body) {
  SagaStartCall start;
  start.row.topic = one_of_two(body, body.text("definition", {.says = "What to execute; or as `chainName`."}),
                               body.text("chainName"), "definition");
  if (start.row.topic.empty() && body.mistake_count() == 0) body.mistake("definition", "or chainName is missing");
  start.version = body.integer("version", saga_version_range, "Of the definition; the newest if left out.").value_or(0);
  take_start(body, start);
  return start;
}

struct InlineStart {
  SagaStartCall start = {};
  std::string document = {};  ///< JSON.
};
InlineStart inline_start_in(Fields& body) {
  InlineStart inlined;
  body.require("document");
  const JsonValue* document = body.any("document", "A saga; docs/reference/saga.schema.json describes it.");
  if (document != nullptr) inlined.document = document->source;
  take_start(body, inlined.start);
  return inlined;
}

/// Names of definitions are no topics, and have no schemas of payloads.
Result<> check_start(const NewMessage& row, const ApiContext& here) {
  EnqueueRules rules = here.enqueue_rules;
  rules.topic_grammar = TopicGrammar::any;
  rules.schemas = nullptr;
  return check_message(row, rules);
}

/// A conflict of the log is one of executions.
Error told(const SagaStartCall& call, const Error& error) {
  if (error.code != Errc::conflict) return error;
  return {Errc::conflict, fmt::format("There is an execution '{}' already, of another definition, input or key.",
                                      shown(call.row.event_id))};
}

struct SagaOutcomeView {
  SagaExecutionView view = {};
  std::string message = {};
};
void put_saga_outcome(Writer& writer, const SagaOutcomeView& outcome) {
  const SagaExecutionView& view = outcome.view;
  put(writer, "executionId", view.id);
  put(writer, "tenantId", view.tenant_id);
  put(writer, "chainName", view.definition);
  put_state(writer, view.state);
  put(writer, "message", outcome.message);
  put_or_null(writer, "waitsFor", view.waits_for);
  put_failure(writer, view);
  put_kept_json(writer, "output", view.output, view.is_hidden, "What the definition returns.");
  put_names(writer, "open", view.open, "Steps that may be done and are not undone.");
}

std::string message_about(SagaState state) {
  if (has_ended(state)) return fmt::format("Saga execution {}", to_string(state));
  if (state == SagaState::manual) return "Saga execution needs somebody to decide";
  return fmt::format("Saga execution is {}", to_string(state));
}

Answer outcome_answer(SagaExecutionView view) {
  const int status = has_ended(view.state) ? 200 : 202;
  std::string message = message_about(view.state);
  return answer_of(SagaOutcomeView{std::move(view), std::move(message)}, put_saga_outcome, status);
}

/// The same call again, a moment later.
Answer ask_again(const Call& call, MonotonicTime until, Duration patience) {
  Call again = call;
  again.waiting = Call::Waiting{.until = until, .patience = std::min(patience * 2, look_max)};
  return Answer{.later = std::make_shared<const Later>(Later{.call = std::move(again), .in = patience})};
}

struct OutcomeQuery {
  std::string tenant_id;
  double seconds;
};
OutcomeQuery outcome_query(Fields& query) {
  return {saga_tenant(query), query.real_or("wait", 0, wait_range, "So many seconds at most for its end.")};
}

Result<Answer> show_outcome(const RoutedCall& routed) {
  const Call& call = routed.call;
  const OutcomeQuery wanted = MAKEGOOD_TRY(read_query(call, outcome_query));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  const Sequence number = MAKEGOOD_TRY(find_saga(sagas, wanted.tenant_id, saga_id(routed)));
  SagaExecutionView view = MAKEGOOD_TRY(read_saga(sagas, number));
  const MonotonicTime now = system_clock().monotonic();
  const auto asked = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wanted.seconds));
  const Call::Waiting waiting = call.waiting.value_or(Call::Waiting{.until = now + asked, .patience = first_look});
  // Nobody decides within a call's patience.
  const bool is_over = has_ended(view.state) || view.state == SagaState::manual;
  if (!is_over && now < waiting.until) return ask_again(call, waiting.until, waiting.patience);
  view.is_hidden = !call.sees_contents;
  return outcome_answer(std::move(view));
}

std::string escaped_path(std::string_view text) {
  std::string whole;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    whole += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return whole;
}

/// Whoever starts an execution may see what it returns.
Answer wait_for_outcome(const NewMessage& row, Duration wait) {
  const Call outcome{.path = fmt::format("/api/saga/executions/{}/outcome", escaped_path(row.event_id)),
                     .query = fmt::format("tenant={}", escaped_path(row.tenant_id))};
  return ask_again(outcome, system_clock().monotonic() + wait, first_look);
}

Result<Answer> answer_at_once(SagaView& sagas, const NewMessage& row, const Enqueued& appended) {
  if (appended.was_there) {
    SagaExecutionView view = MAKEGOOD_TRY(read_saga(sagas, appended.sequence));
    std::string message = "It was started before: " + message_about(view.state);
    return answer_of(SagaOutcomeView{std::move(view), std::move(message)}, put_saga_outcome);
  }
  SagaOutcomeView outcome{.message = "Saga execution started"};
  outcome.view.id = row.event_id;
  outcome.view.tenant_id = row.tenant_id;
  outcome.view.definition = row.topic;
  return answer_of(outcome, put_saga_outcome, 202);
}

Result<SagaStartCall> completed_start(SagaStartCall start, const Call& call, const ApiContext& here) {
  NewMessage& row = start.row;
  if (row.event_id.empty()) row.event_id = key_in_header(call.idempotency_key);
  row.is_id_drawn = row.event_id.empty();
  if (row.is_id_drawn) row.event_id = new_uuid7();
  if (start.version > 0) row.headers["saga-version"] = fmt::format("{}", start.version);
  if (is_traceparent(call.traceparent)) row.traceparent = call.traceparent;
  MAKEGOOD_TRY(check_start(row, here));
  return start;
}

Result<SagaStartCall> decoded_start(const Call& call, const ApiContext& here) {
  return completed_start(MAKEGOOD_TRY(read_body(call, start_in)), call, here);
}

Result<Answer> append_start(const RoutedCall& routed, SagaView& sagas, const SagaStartCall& start) {
  const auto appended = sagas.append({&start.row, 1});
  routed.connections.sagas_changed();
  if (!appended) return told(start, appended.error());
  if (start.wait > Duration::zero()) return wait_for_outcome(start.row, start.wait);
  return answer_at_once(sagas, start.row, appended->front());
}

Result<Answer> execute_saga(const RoutedCall& routed) {
  const SagaStartCall start = MAKEGOOD_TRY(decoded_start(routed.call, routed.connections.api_context()));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  MAKEGOOD_TRY(check_saga_definition(sagas, start));
  return append_start(routed, sagas, start);
}

/// The same document is the same definition, whoever starts it and how often.
Result<SagaDefinitionRow> inline_definition(const std::string& document) {
  DocumentNode node = MAKEGOOD_TRY(node_from_json(document));
  if (node.kind == DocumentNode::Kind::map && node.find("name") == nullptr) name_document(node, "inline");
  SagaDefinition definition = MAKEGOOD_TRY(saga_from(node));
  if (definition.version != 0)
    return Error{Errc::invalid, "/document/version is for definitions that are stored by name."};
  definition.name += ".inline-" + short_digest(encode(definition));
  MAKEGOOD_TRY(check(definition));
  return SagaDefinitionRow{.name = definition.name, .document = encode(definition), .source = json_of(node)};
}

Result<Answer> execute_inline(const RoutedCall& routed) {
  InlineStart inlined = MAKEGOOD_TRY(read_body(routed.call, inline_start_in));
  const SagaDefinitionRow row = MAKEGOOD_TRY(inline_definition(inlined.document));
  inlined.start.row.topic = row.name;
  const auto start =
      MAKEGOOD_TRY(completed_start(std::move(inlined.start), routed.call, routed.connections.api_context()));
  const SagaDefinition definition = MAKEGOOD_TRY(decode_saga_definition(row.document));
  MAKEGOOD_TRY(check_carriers(routed.connections, definition));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas_to_define());
  MAKEGOOD_TRY(check_children(sagas, definition));
  MAKEGOOD_TRY(sagas.put_definition(row));
  return append_start(routed, sagas, start);
}

constexpr std::string_view ended_reply = "It has ended, or was started before.";
constexpr std::string_view not_ended_reply = "It is started, and has not ended yet.";

constexpr std::array<HeaderParameter, 2> start_headers = {
    {{"traceparent", "W3C Trace Context of the execution; ignored when it is not valid."},
     {"Idempotency-Key", "The execution's id, if the body has none."}}};

constexpr auto about_starts = std::to_array<Operation>({
    {.id = "execute_saga",
     .method = "POST",
     .path = "/api/saga/execute",
     .role = Role::producer,
     .handler = execute_saga,
     .tag = "sagas",
     .summary = "Start an execution; at once, or wait up to 30 s for its outcome",
     .description =
         R"(A caller with something to commit starts it in its own transaction instead. The same id (or
`Idempotency-Key`) again is answered with the first execution; with another definition, input or key it is a conflict.
)",
     .headers = start_headers,
     .body = {"StartSaga",
              reads<start_in>,
              {R"({"definition": "orderProcess", "id": "order-7", "input": {"userId": 1001}, "wait": 10})",
               R"({"tenantId": 1, "chainName": "orderProcess", "async": true, "inputData": {"userId": 1001}})"}},
     .replies = {{{200, ended_reply, "SagaOutcome", writes<put_saga_outcome>},
                  {202, not_ended_reply, "SagaOutcome", writes<put_saga_outcome>}}},
     .also = {404, 409, 507}},
    {.id = "execute_inline_saga",
     .method = "POST",
     .path = "/api/saga/execute/inline",
     .role = Role::operate,
     .handler = execute_inline,
     .tag = "sagas",
     .summary = "Start an execution of a definition that comes with it",
     .description =
         R"(The document is stored under its name and a digest of what it says, so the same one again is the same
definition. Who may do this may define sagas; other callers start those that are defined.
)",
     .headers = start_headers,
     .body = {"StartInlineSaga",
              reads<inline_start_in>,
              {R"({"document": {"name": "greet", "steps": [{"name": "a", "action": "fn:hello", "effect": "none"}]}})"}},
     .replies = {{{200, ended_reply, "SagaOutcome", writes<put_saga_outcome>},
                  {202, not_ended_reply, "SagaOutcome", writes<put_saga_outcome>}}},
     .also = {409, 500, 507}},
    {.id = "show_outcome",
     .method = "GET",
     .path = "/api/saga/executions/{execution}/outcome",
     .handler = show_outcome,
     .tag = "sagas",
     .summary = "What became of an execution; waits up to 30 s for its end",
     .query = reads<outcome_query>,
     .replies = {{{200, "It has ended.", "SagaOutcome", writes<put_saga_outcome>},
                  {202, "It has not ended yet.", "SagaOutcome", writes<put_saga_outcome>}}},
     .also = {409}},
});

}  // namespace

Operations saga_start_operations() { return about_starts; }

std::optional<Result<SagaStartCall>> decode_saga_start(const Call& call, const ApiContext& api_context) {
  const auto route = find_route(call.method, call.path);
  const auto* found = std::get_if<FoundRoute>(&route);
  if (found == nullptr || found->operation->handler != execute_saga || objection_to_body(call)) return std::nullopt;
  if (const auto fine = refuse_query(call); !fine) return fine.error();
  return decoded_start(call, api_context);
}

Result<> check_saga_definition(SagaView& sagas, const SagaStartCall& start) {
  if (MAKEGOOD_TRY(sagas.definition(start.row.topic, start.version))) return {};
  std::vector<std::string> names;
  for (const SagaDefinitionRow& row : MAKEGOOD_TRY(sagas.definitions())) names.push_back(row.name);
  const std::string meant = nearest(start.row.topic, names);
  std::string hint = fmt::format(" There are: {}.", fmt::join(names, ", "));
  if (names.empty()) hint = " None is defined; `makegood apply` does it.";
  if (!meant.empty()) hint = fmt::format(" Is it {}?", meant);
  if (std::ranges::find(names, start.row.topic) != names.end()) hint = "";
  const std::string of_version = start.version == 0 ? "" : fmt::format(" in version {}", start.version);
  return Error{Errc::not_found, fmt::format("There is no saga '{}'{}.{}", shown(start.row.topic), of_version, hint)};
}

Answer saga_start_answer(SagaView& sagas, const SagaStartCall& call, const Enqueued& appended) {
  auto answer = answer_at_once(sagas, call.row, appended);
  return answer ? *std::move(answer) : problem(answer.error());
}

Answer saga_start_problem(const SagaStartCall& call, const Error& error) { return problem(told(call, error)); }

Answer saga_completed_answer(const SagaCompleted& completed) {
  SagaExecutionView view;
  view.id = completed.id;
  view.tenant_id = completed.tenant_id;
  view.definition = completed.definition;
  view.state = SagaState::completed;
  view.output = completed.output;
  return outcome_answer(std::move(view));
}

/// That of a completed one says all of it; of another one the journal knows more.
Answer saga_end_answer(SagaView& sagas, const SagaEnd& end) {
  const SagaSummary& summary = end.summary;
  if (summary.state != SagaState::completed) return saga_standing(sagas, summary.execution);
  return saga_completed_answer({summary.tenant_id, summary.id, summary.definition, end.output});
}

Answer saga_standing(SagaView& sagas, Sequence execution) {
  auto view = read_saga(sagas, execution);
  return view ? outcome_answer(*std::move(view)) : problem(view.error());
}

}  // namespace makegood::api
