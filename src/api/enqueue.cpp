#include "api/enqueue.hpp"

#include <fmt/format.h>

#include <array>

#include "api/asking.hpp"
#include "api/body.hpp"
#include "api/json_out.hpp"
#include "api/operation.hpp"
#include "api/route_table.hpp"
#include "base/base64.hpp"
#include "base/digest.hpp"
#include "base/key_header.hpp"
#include "base/key_rules.hpp"
#include "base/trace_context.hpp"
#include "makegood/id.hpp"

namespace makegood::api {
namespace {

constexpr std::size_t messages_max = 10'000;
constexpr IntegerRange priority_range{std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
constexpr TextRule content_rule(std::string_view says) { return {.bytes_min = 0, .may_be_long = true, .says = says}; }
constexpr TextRule key_rule{.bytes_min = 0};
constexpr std::size_t tracestate_bytes_max = 4096;

/// `payload` as it stands in the body, `payload_text` as it was before it became a text, or the bytes of `body_base64`.
void take_content(Fields& fields, NewMessage& message) {
  constexpr auto names = std::to_array<std::string_view>({"payload", "payload_text", "body_base64"});
  const JsonValue* payload = fields.any(names[0], "Any JSON, kept as the exact text that it has in this body.");
  std::string text = fields.text(names[1], content_rule("The same as a text."));
  const std::string base64 = fields.text(names[2], content_rule("Bytes that are not JSON."));
  const int given = fields.count_of(names);
  if (given != 1) {
    fields.mistake("payload", fmt::format("or payload_text or body_base64 must be given, one of them; there {} {}",
                                          given == 0 ? "is" : "are", given == 0 ? "none" : std::to_string(given)));
  } else if (payload != nullptr) {
    message.payload = payload->source;
  } else if (fields.has("payload_text")) {
    if (!is_json(text)) fields.mistake("payload_text", "is not JSON; use body_base64 for what is not");
    message.payload = std::move(text);
  } else {
    message.body = from_base64(base64);
    if (!message.body) fields.mistake("body_base64", "is not base 64 with padding");
  }
}

NewMessage message_in(Fields& fields) {
  NewMessage message;
  message.topic = fields.text("topic", {.is_required = true});
  take_content(fields, message);
  message.event_id =
      fields.text("event_id", {.bytes_max = 128, .says = "Deduplicates per tenant; drawn if it is left out."});
  if (auto tenant = fields.text("tenant_id", {.absent = default_tenant_id}); !tenant.empty()) {
    message.tenant_id = std::move(tenant);
  }
  message.dispatch_key =
      fields.text("dispatch_key", {.bytes_min = 0, .says = "Messages of one tenant and key are delivered in order."});
  message.priority = static_cast<int>(fields.integer_or("priority", 0, priority_range));
  message.content_type = fields.text("content_type", key_rule);
  message.headers = fields.texts("headers");
  message.envelope_id = fields.text("envelope_id", key_rule);
  message.traceparent = fields.text("traceparent", key_rule);
  message.tracestate = fields.text("tracestate", {.bytes_min = 0, .bytes_max = tracestate_bytes_max});
  message.available_at = fields.time("available_at", "Not before.");
  message.expires_at = fields.time("expires_at", "Not after.");
  return message;
}

std::vector<NewMessage> messages_in(Fields& fields) {
  std::vector<NewMessage> messages;
  fields.objects("messages", "NewMessage", {1, messages_max},
                 [&](Fields& message) { messages.push_back(message_in(message)); });
  return messages;
}
void describe_messages(Fields& fields) {
  fields.require("messages");
  messages_in(fields);
}

Result<> check_all(const EnqueueCall& call, const EnqueueRules& rules) {
  for (std::size_t i = 0; i < call.messages.size(); ++i) {
    Result<> checked = check_message(call.messages[i], rules);
    if (checked) continue;
    if (call.is_bulk) checked.error().message = fmt::format("messages[{}]: {}", i, checked.error().message);
    return checked;
  }
  return {};
}

void let_expire(std::vector<NewMessage>& messages, Duration after) {
  if (after == Duration::zero()) return;
  const TimePoint now = system_clock().now();
  for (NewMessage& message : messages) {
    if (!message.expires_at) message.expires_at = message.available_at.value_or(now) + after;
  }
}

/// A message that names no trace belongs to that of its call.
void lend_trace(std::vector<NewMessage>& messages, const Call& call) {
  if (!is_traceparent(call.traceparent)) return;
  for (NewMessage& message : messages) {
    if (!message.traceparent.empty()) continue;
    message.traceparent = call.traceparent;
    message.tracestate = call.tracestate.size() <= tracestate_bytes_max ? call.tracestate : std::string();
  }
}

/// Every message gets its id here, so that the answer can tell it. With a key it is made from that: the log itself then
/// knows a repeated call, in the same commit.
Result<> name_messages(EnqueueCall& enqueue, const Call& call) {
  enqueue.has_key = !call.idempotency_key.empty();
  const std::string key = key_in_header(call.idempotency_key);
  if (enqueue.has_key && !check_key({.key = key})) {
    return Error{Errc::invalid,
                 "The Idempotency-Key must be 1 to 255 bytes without control characters, quoted or bare."};
  }
  for (std::size_t i = 0; i < enqueue.messages.size(); ++i) {
    std::string& event_id = enqueue.messages[i].event_id;
    if (!event_id.empty()) continue;
    event_id = enqueue.has_key ? fmt::format("key-{}", long_digest(fmt::format("{}:{}", i, key))) : new_uuid7();
  }
  return {};
}

Result<EnqueueCall> decoded_enqueue(const Call& call, std::string outbox, const ApiContext& api_context) {
  MAKEGOOD_TRY(refuse_query(call));
  EnqueueCall enqueue;
  enqueue.outbox = std::move(outbox);
  Mistakes mistakes;
  Fields fields = Fields::of_object(call.body, mistakes);
  enqueue.is_bulk = fields.has("messages");
  if (enqueue.is_bulk) {
    enqueue.messages = messages_in(fields);
  } else {
    enqueue.messages.push_back(message_in(fields));
  }
  fields.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The body");
  MAKEGOOD_TRY(name_messages(enqueue, call));
  lend_trace(enqueue.messages, call);
  MAKEGOOD_TRY(check_all(enqueue, api_context.enqueue_rules));
  let_expire(enqueue.messages, api_context.expire_after);
  return enqueue;
}

/// One of a call's messages, and what became of it.
struct EnqueuedMessage {
  std::string_view event_id = {};
  Enqueued enqueued = {};
};
void put_enqueued(Writer& writer, const EnqueuedMessage& message) {
  put(writer, "sequence", message.enqueued.sequence);
  put(writer, "event_id", message.event_id);
  put(writer, "was_there", message.enqueued.was_there, "The same event was enqueued before; this is its number.");
}
void put_all_enqueued(Writer& writer, const std::vector<EnqueuedMessage>& messages) {
  put_objects(writer, "items", "Enqueued", messages, put_enqueued);
}

/// Under an Idempotency-Key, other content for the same id is other content for the same key.
Error told(const EnqueueCall& call, const Error& error) {
  if (!call.has_key || error.code != Errc::conflict) return error;
  return {Errc::idempotent_mismatch, "This Idempotency-Key was used for a call with other content."};
}

Result<Answer> enqueue_now(const RoutedCall& routed) {
  const EnqueueCall call =
      MAKEGOOD_TRY(decoded_enqueue(routed.call, routed.outbox(), routed.connections.api_context()));
  OutboxStore& store = *MAKEGOOD_TRY(routed.connections.store(call.outbox));
  const auto enqueued = store.enqueue(call.messages);
  if (!enqueued) return told(call, enqueued.error());
  return enqueue_answer(call, enqueued);
}

constexpr auto about_enqueue = std::to_array<Operation>({
    {.id = "enqueue",
     .method = "POST",
     .path = "/api/outboxes/{outbox}/messages",
     .role = Role::producer,
     .handler = enqueue_now,
     .tag = "messages",
     .summary = "Enqueue one message, or up to 10,000 at once",
     .description =
         R"(For tools and tests. A producer with something to commit enqueues in its own transaction. Several messages
are enqueued all or none. The same event again, with the same content, is answered with its first number. With the
header `Idempotency-Key`, quoted or bare, messages without an `event_id` get one from it: the same call again is
answered as the first, and 422 with other content.
)",
     .headers = {{{"traceparent", "W3C Trace Context, for messages that name none; ignored when it is not valid."},
                  {"tracestate", "Belongs to it."}}},
     .body = {"NewMessage|NewMessages",
              describe_messages,
              {R"({"topic": "order.placed", "dispatch_key": "order-7", "payload": {"order": 7, "total": 12.50}})",
               R"({"messages": [{"topic": "order.placed", "payload": {"order": 7}},
                                            {"topic": "order.paid", "payload": {"order": 7}}]})"}},
     .replies = {Reply{201, "Committed.", "Enqueued|EnqueuedList", writes<put_all_enqueued>}},
     .also = {409, 422, 507}},
});

}  // namespace

Operations enqueue_operations() { return about_enqueue; }

std::optional<Result<EnqueueCall>> decode_enqueue(const Call& call, const ApiContext& api_context) {
  const auto route = find_route(call.method, call.path);
  const auto* found = std::get_if<FoundRoute>(&route);
  if (found == nullptr || found->operation->handler != enqueue_now) return std::nullopt;
  if (objection_to_body(call)) return std::nullopt;
  return decoded_enqueue(call, found->parameters.at("outbox"), api_context);
}

Answer enqueue_answer(const EnqueueCall& call, const Result<std::vector<Enqueued>>& enqueued) {
  if (!enqueued) return problem(told(call, enqueued.error()));
  std::vector<EnqueuedMessage> messages;
  messages.reserve(enqueued->size());
  for (std::size_t i = 0; i < enqueued->size(); ++i) messages.push_back({call.messages[i].event_id, (*enqueued)[i]});
  return call.is_bulk ? answer_of(messages, put_all_enqueued, 201) : answer_of(messages.front(), put_enqueued, 201);
}

}  // namespace makegood::api
