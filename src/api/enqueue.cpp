#include "api/enqueue.hpp"

#include <fmt/format.h>

#include "api/asking.hpp"
#include "api/base64.hpp"
#include "api/body.hpp"
#include "api/fields.hpp"
#include "api/handlers.hpp"
#include "api/json_out.hpp"
#include "makegood/id.hpp"

namespace makegood::api {
namespace {

constexpr std::size_t messages_max = 10'000;
constexpr IntegerRange priority_range{std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
constexpr TextRule any_text{.bytes_min = 0, .may_be_long = true};
constexpr TextRule key_rule{.bytes_min = 0};

/// `payload` as it stands in the body, `payload_text` as it was before it became a text, or the bytes of `body_base64`.
void take_content(Fields& fields, NewMessage& message) {
  const JsonValue* payload = fields.any("payload");
  std::string text = fields.text("payload_text", any_text);
  const std::string base64 = fields.text("body_base64", any_text);
  const int given = int{payload != nullptr} + int{fields.has("payload_text")} + int{fields.has("body_base64")};
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

NewMessage message_from(Fields fields) {
  NewMessage message;
  message.topic = fields.text("topic", {.is_required = true});
  take_content(fields, message);
  message.event_id = fields.text("event_id", {.bytes_max = 128});
  if (message.event_id.empty()) message.event_id = new_uuid7();  // Here, so that the answer can tell it.
  if (auto tenant = fields.text("tenant_id"); !tenant.empty()) message.tenant_id = std::move(tenant);
  message.dispatch_key = fields.text("dispatch_key", key_rule);
  message.priority = static_cast<int>(fields.integer("priority", priority_range).value_or(0));
  message.content_type = fields.text("content_type", key_rule);
  message.headers = fields.texts("headers");
  message.envelope_id = fields.text("envelope_id", key_rule);
  message.traceparent = fields.text("traceparent", key_rule);
  message.tracestate = fields.text("tracestate", {.bytes_min = 0, .bytes_max = 4096});
  message.available_at = fields.time("available_at");
  message.expires_at = fields.time("expires_at");
  fields.refuse_the_rest();
  return message;
}

std::vector<NewMessage> messages_from(Fields& fields, Mistakes& mistakes) {
  std::vector<NewMessage> messages;
  const JsonValue* list = fields.array("messages");
  const auto elements =
      list == nullptr ? Result<std::vector<JsonValue>>(std::vector<JsonValue>()) : read_array(list->source);
  if (!elements || elements->empty() || elements->size() > messages_max) {
    fields.mistake("messages", fmt::format("has {}; allowed: 1 to {}", elements ? elements->size() : 0, messages_max));
    return messages;
  }
  messages.reserve(elements->size());
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const std::string name = fmt::format("messages[{}]", i);
    const JsonValue& element = (*elements)[i];
    if (element.kind != JsonValue::Kind::object) {
      mistakes.add(name, "is not an object");
    } else {
      messages.push_back(message_from(Fields::of_object(element.source, mistakes, name + ".")));
    }
  }
  return messages;
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

Result<EnqueueCall> decoded_enqueue(const Call& call, std::string outbox, const Surroundings& surroundings) {
  MAKEGOOD_TRY(refuse_query(call));
  EnqueueCall enqueue;
  enqueue.outbox = std::move(outbox);
  Mistakes mistakes;
  Fields fields = Fields::of_object(call.body, mistakes);
  enqueue.is_bulk = fields.has("messages");
  if (enqueue.is_bulk) {
    enqueue.messages = messages_from(fields, mistakes);
    fields.refuse_the_rest();
  } else {
    enqueue.messages.push_back(message_from(std::move(fields)));
  }
  if (!mistakes.empty()) return mistakes.as_error("The body");
  MAKEGOOD_TRY(check_all(enqueue, surroundings.enqueue_rules));
  let_expire(enqueue.messages, surroundings.expire_after);
  return enqueue;
}

void put_enqueued(Writer& writer, const NewMessage& message, const Enqueued& enqueued) {
  put(writer, "sequence", enqueued.sequence);
  put(writer, "event_id", message.event_id);
  put(writer, "was_there", enqueued.was_there);
}

}  // namespace

std::optional<Result<EnqueueCall>> decode_enqueue(const Call& call, const Surroundings& surroundings) {
  const auto route = find_route(call.method, call.path);
  const auto* found = std::get_if<Found>(&route);
  if (found == nullptr || found->row->handler != &api::enqueue) return std::nullopt;
  if (objection_to_body(call)) return std::nullopt;
  return decoded_enqueue(call, found->parameters.at("outbox"), surroundings);
}

Answer enqueue_answer(const EnqueueCall& call, const Result<std::vector<Enqueued>>& enqueued) {
  if (!enqueued) return problem(enqueued.error());
  if (!call.is_bulk) {
    return object_answer(201, [&](Writer& writer) { put_enqueued(writer, call.messages.front(), enqueued->front()); });
  }
  return object_answer(201, [&](Writer& writer) {
    json::write_name(writer, "items");
    writer.StartArray();
    for (std::size_t i = 0; i < enqueued->size(); ++i) {
      writer.StartObject();
      put_enqueued(writer, call.messages[i], (*enqueued)[i]);
      writer.EndObject();
    }
    writer.EndArray();
  });
}

Result<Answer> enqueue(const Question& question) {
  const EnqueueCall call =
      MAKEGOOD_TRY(decoded_enqueue(question.call, question.outbox(), question.desk.surroundings()));
  OutboxStore& store = *MAKEGOOD_TRY(question.desk.store(call.outbox));
  return enqueue_answer(call, MAKEGOOD_TRY(store.enqueue(call.messages)));
}

}  // namespace makegood::api
