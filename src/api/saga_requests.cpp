// What operators ask of an execution. Each request is in its journal, carried out or refused with a sentence.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <thread>

#include "api/asking.hpp"
#include "api/saga_reading.hpp"
#include "api/saga_view_json.hpp"
#include "base/key_header.hpp"
#include "base/mistakes.hpp"
#include "core/saga/request.hpp"

namespace makegood::api {
namespace {

enum class SagaVerb { pause, resume, cancel, retry, skip, compensate, decide, resolve, repin, annotate };
constexpr auto verb_words = std::to_array<std::string_view>(
    {"pause", "resume", "cancel", "retry", "skip", "compensate", "decide", "resolve", "repin", "annotate"});
constexpr auto seen_states =
    std::to_array<std::string_view>({"pending", "running", "waiting", "paused", "manual", "compensating", "completed",
                                     "compensated", "failed", "cancelled"});
constexpr auto decisions = std::to_array<std::string_view>({"approve", "reject"});
constexpr auto resolutions = std::to_array<std::string_view>({"done", "not_done", "undone"});

std::string step_in(Fields& body, bool is_required) {
  return body.text("step", {.is_required = is_required, .says = is_required ? "" : "Whatever is stuck, if left out."});
}

std::string word_in(Fields& body, std::string_view name, std::span<const std::string_view> words,
                    std::string_view says = {}) {
  const auto chosen = body.choice(name, words, says);
  return chosen ? std::string(words[*chosen]) : std::string();
}

std::string json_in(Fields& body, std::string_view name, std::string_view says) {
  const JsonValue* value = body.any(name, says);
  return value == nullptr ? std::string() : std::string(value->source);
}

constexpr IntegerRange version_range{1, std::numeric_limits<std::int32_t>::max()};

void take_step(Fields& body, SagaVerb verb, core::SagaRequest& request) {
  switch (verb) {
    case SagaVerb::pause:
    case SagaVerb::resume:
    case SagaVerb::cancel:
    case SagaVerb::annotate:
      return;
    case SagaVerb::repin:
      body.require("version");
      request.version =
          body.integer("version", version_range, "The one to go on by; its steps are the same.").value_or(0);
      return;
    case SagaVerb::retry:
    case SagaVerb::compensate:
      request.step = step_in(body, false);
      if (verb == SagaVerb::retry) request.body = json_in(body, "input", "Sent instead; any JSON.");
      return;
    case SagaVerb::skip:
      request.step = step_in(body, true);
      return;
    case SagaVerb::decide:
      request.step = step_in(body, true);
      body.require("decision");
      request.choice = word_in(body, "decision", decisions);
      request.body = json_in(body, "input", "Sent instead; any JSON.");
      return;
    case SagaVerb::resolve:
      request.step = step_in(body, true);
      body.require("outcome");
      request.choice = word_in(body, "outcome", resolutions, "What became of the step, as somebody knows.");
      request.body = json_in(body, "output", "What it answered, if it was done; any JSON.");
      return;
  }
}

template <SagaVerb Verb>
core::SagaRequest wish_in(Fields& body) {
  core::SagaRequest request{.verb = std::string(verb_words[static_cast<std::size_t>(Verb)])};
  constexpr bool is_note = Verb == SagaVerb::annotate;
  constexpr std::string_view says = is_note ? "What the next one should know." : "Why; kept in the journal.";
  request.reason = body.text("reason", {.is_required = true, .bytes_max = 1000, .says = says});
  request.seen_state = word_in(body, "state", seen_states, "As it was seen; a conflict if it is another by now.");
  take_step(body, Verb, request);
  return request;
}

Result<std::optional<core::SagaRecord>> await_record(SagaView& sagas, Sequence execution, Sequence request,
                                                     Duration limit) {
  constexpr Duration longest = std::chrono::milliseconds(25);
  const MonotonicTime end = system_clock().monotonic() + limit;
  Duration patience = std::chrono::milliseconds(1);
  while (true) {
    auto record = MAKEGOOD_TRY(record_of_request(sagas, execution, request));
    if (record || system_clock().monotonic() >= end) return record;
    std::this_thread::sleep_for(patience);
    patience = std::min(patience * 2, longest);
  }
}

struct AskedOfSaga {
  Sequence request = 0;
  bool is_done = false;
  SagaState state = SagaState::running;
};
void put_asked_of_saga(Writer& writer, const AskedOfSaga& asked) {
  put(writer, "request", asked.request, "The journal names it.");
  put_one_of(writer, "result", asked.is_done ? "done" : "open", {"done", "open"});
  put_state(writer, asked.state);
}

/// `id`: of an event that may be sent again; empty: each request is another one.
Result<Answer> ask_of_saga(const RoutedCall& routed, core::SagaRequest request, const std::string& id = {}) {
  request.operator_name = operator_of(routed.call);
  const SagaExecutionView seen = MAKEGOOD_TRY(routed_saga(routed));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  NewMessage row = core::request_row(seen.id, request);
  row.tenant_id = seen.tenant_id;
  if (!id.empty()) row.event_id = fmt::format("event:{}:{}", seen.id, id);
  const Sequence number = MAKEGOOD_TRY(sagas.append({&row, 1})).front().sequence;
  routed.connections.sagas_changed();
  const Duration wait = routed.connections.api_context().answer_wait;
  const auto record = MAKEGOOD_TRY(await_record(sagas, seen.number, number, wait));
  if (!record) return answer_of(AskedOfSaga{number, false, seen.state}, put_asked_of_saga, 202);
  if (record->kind == core::RecordKind::refused) return Error{Errc::conflict, "It was refused: " + record->error};
  const SagaState state = MAKEGOOD_TRY(read_saga(sagas, seen.number)).state;
  return answer_of(AskedOfSaga{number, true, state}, put_asked_of_saga);
}

template <SagaVerb Verb>
Result<Answer> ask_saga(const RoutedCall& routed) {
  return ask_of_saga(routed, MAKEGOOD_TRY(read_body(routed.call, wish_in<Verb>)));
}

template <SagaVerb Verb>
constexpr Operation asks_saga(std::string_view id, std::string_view path, std::string_view schema,
                              std::string_view summary) {
  return {.id = id,
          .method = "POST",
          .path = path,
          .role = Role::operate,
          .handler = ask_saga<Verb>,
          .tag = "sagas",
          .summary = summary,
          .query = reads<saga_tenant>,
          .body = {schema, reads<wish_in<Verb>>},
          .replies = {{{200, was_done, "SagaRequestAnswer", writes<put_asked_of_saga>},
                       {202, "Asked for, and not carried out yet; the journal will name the request.",
                        "SagaRequestAnswer", writes<put_asked_of_saga>}}},
          .also = {409, 507}};
}

// --- Events ---

constexpr TextRule event_id_rule{.bytes_max = 100,
                                 .says = "The same event again counts once. Otherwise the header `Idempotency-Key`."};

struct ToldEvent {
  core::SagaRequest request = {.verb = "event"};
  std::string id = {};
};
ToldEvent event_in(Fields& body) {
  ToldEvent told;
  told.request.event = body.text("event", {.is_required = true, .bytes_max = 128, .says = "Its name."});
  told.request.body = json_in(body, "data", "The output of the step that waits for it; any JSON.");
  told.id = body.text("id", event_id_rule);
  return told;
}

Result<Answer> tell_event(const RoutedCall& routed) {
  ToldEvent told = MAKEGOOD_TRY(read_body(routed.call, event_in));
  if (told.id.empty()) told.id = key_in_header(routed.call.idempotency_key);
  return ask_of_saga(routed, std::move(told.request), told.id);
}

constexpr Operation tells_event = {
    .id = "tell_event",
    .method = "POST",
    .path = "/api/saga/executions/{execution}/events",
    .role = Role::producer,
    .handler = tell_event,
    .tag = "sagas",
    .summary = "Tell of an event that a step waits for, or will wait for",
    .description =
        R"(An event that comes before its step is kept, and each counts once. A caller with something to commit
inserts a row into the log of sagas in its own transaction instead.
)",
    .query = reads<saga_tenant>,
    .body = {"SagaEvent", reads<event_in>, {R"({"event": "paid", "data": {"cents": 1990}, "id": "payment-12"})"}},
    .replies = {{{200, "It is kept, or used.", "SagaRequestAnswer", writes<put_asked_of_saga>},
                 {202, "Told, and not read yet; the journal will name the request.", "SagaRequestAnswer",
                  writes<put_asked_of_saga>}}},
    .also = {409, 507}};

constexpr auto asked_of_sagas = std::to_array<Operation>({
    asks_saga<SagaVerb::pause>("pause_execution", "/api/saga/executions/{execution}/pause", "PauseSaga",
                               "Begin nothing new; answers are still recorded"),
    asks_saga<SagaVerb::resume>("resume_execution", "/api/saga/executions/{execution}/resume", "ResumeSaga",
                                "Go on after a pause, or after somebody has looked"),
    asks_saga<SagaVerb::cancel>("cancel_execution", "/api/saga/executions/{execution}/cancel", "CancelSaga",
                                "Undo everything because somebody asks; refused once the pivot may be done"),
    asks_saga<SagaVerb::retry>("retry_execution", "/api/saga/executions/{execution}/retry", "RetrySaga",
                               "Try the stuck step again, or what could not be undone; this replays a dead letter"),
    asks_saga<SagaVerb::skip>("skip_step", "/api/saga/executions/{execution}/skip", "SkipStep", "Leave a step out"),
    asks_saga<SagaVerb::compensate>("compensate_execution", "/api/saga/executions/{execution}/compensate",
                                    "CompensateSaga", "Undo what may be done, also again after it has failed"),
    asks_saga<SagaVerb::decide>("decide_step", "/api/saga/executions/{execution}/decide", "DecideStep",
                                "Approve or reject a step that waits for it"),
    asks_saga<SagaVerb::resolve>("resolve_step", "/api/saga/executions/{execution}/resolve", "ResolveStep",
                                 "Say what became of a step, as somebody knows who has looked"),
    asks_saga<SagaVerb::repin>("repin_execution", "/api/saga/executions/{execution}/repin", "RepinSaga",
                               "Go on by another version of its definition, whose steps are the same"),
    asks_saga<SagaVerb::annotate>("annotate_execution", "/api/saga/executions/{execution}/annotate", "AnnotateSaga",
                                  "Leave a note in the journal, in any state; it changes nothing else"),
    tells_event,
});

}  // namespace

Operations saga_request_operations() { return asked_of_sagas; }

}  // namespace makegood::api
