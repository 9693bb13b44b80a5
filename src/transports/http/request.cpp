#include "transports/http/request.hpp"

#include <fmt/format.h>

#include <utility>

#include "transports/http/cloud_event.hpp"
#include "transports/http/header_rules.hpp"
#include "transports/http/message_headers.hpp"
#include "transports/net/event_attributes.hpp"
#include "transports/net/header_text.hpp"

namespace makegood::http {
namespace {

/// Room for ours and a few of the message's.
constexpr std::size_t usual_header_bytes = 1536;
constexpr std::string_view structured_type = "application/cloudevents+json";

void append_encoded_header(HeaderLines& headers, std::string_view name, std::string_view value) {
  append_header_text(headers.begin(name), value);
}

void append_number_header(HeaderLines& headers, std::string_view name, std::int64_t number) {
  const fmt::format_int digits(number);
  headers.add(name, {digits.data(), digits.size()});
}

void append_trace(const Message& message, HeaderLines& headers) {
  const std::string_view trace = sound_traceparent(message);
  if (trace.empty()) return;
  headers.add("traceparent", trace);
  if (const auto state = sound_tracestate(message); !state.empty()) headers.add("tracestate", state);
}

void append_delivery_headers(const Delivery& delivery, HeaderLines& headers) {
  const Message& message = *delivery.message;
  append_encoded_header(headers, "makegood-outbox", delivery.outbox);
  append_encoded_header(headers, "makegood-tenant", message.tenant_id);
  append_encoded_header(headers, "makegood-topic", message.topic);
  append_number_header(headers, "makegood-sequence", message.sequence);
  if (!delivery.incarnation.empty()) append_encoded_header(headers, "makegood-incarnation", delivery.incarnation);
  append_number_header(headers, "makegood-attempt", delivery.attempt);
  if (!message.envelope_id.empty()) append_encoded_header(headers, "makegood-envelope-id", message.envelope_id);
  append_trace(message, headers);
}

/// What a participant has to know of a step; its key is the request's.
void append_step_headers(const Delivery& delivery, HeaderLines& headers) {
  const StepCall& call = *delivery.call;
  append_encoded_header(headers, "makegood-tenant", delivery.message->tenant_id);
  append_encoded_header(headers, "makegood-saga", delivery.message->topic);
  append_encoded_header(headers, "makegood-execution", call.execution);
  append_encoded_header(headers, "makegood-step", call.step);
  headers.add("makegood-direction", call.direction);
  append_number_header(headers, "makegood-round", call.round);
  append_number_header(headers, "makegood-attempt", call.attempt);
  append_number_header(headers, "makegood-deadline-ms", to_milliseconds(call.deadline));
  if (call.direction != "action") {
    append_encoded_header(headers, "makegood-action-key", call.action_key);
    append_number_header(headers, "makegood-action-round", call.action_round);
  }
  if (!call.callback_url.empty()) headers.add("makegood-callback", call.callback_url);
  append_trace(*delivery.message, headers);
}

Result<> append_secret_headers(const Target& target, Secrets& secrets, HeaderLines& headers) {
  for (const auto& [name, reference] : target.settings.secret_headers) {
    const Secret secret = MAKEGOOD_TRY(secrets.read(reference, target.secret_places));
    const std::string_view value = trimmed(secret.reveal());
    if (value.empty() || !is_header_value(value)) {
      return Error{
          Errc::config_invalid,
          fmt::format("The secret {} cannot be sent as the header {}; allowed: printable ASCII, at most {} bytes.",
                      reference, name, header_value_bytes_max)};
    }
    headers.add(name, value);
  }
  return {};
}

Result<> append_signature(const Target& target, Secrets& secrets, std::string_view id, std::int64_t seconds,
                          Request& request) {
  std::string signatures;
  for (const std::string& reference : target.settings.signing_keys) {
    const SigningKey* key = MAKEGOOD_TRY(secrets.signing_key(reference, target.secret_places));
    if (!signatures.empty()) signatures += ' ';
    MAKEGOOD_TRY(key->sign(id, seconds, request.body, signatures));
  }
  if (!signatures.empty()) request.headers.add("webhook-signature", signatures);
  return {};
}

/// What a producer could have written with plain SQL, and what no header may hold.
Result<> check_message(const Message& message) {
  if (message.event_id.empty()) return Error{Errc::invalid, "The message has no event id."};
  if (is_header_value(message.content_type) && !trimmed(message.content_type).empty()) return {};
  return Error{Errc::invalid,
               "The message's content type cannot be sent; allowed: printable ASCII, such as application/json."};
}

/// The body is the mapped input and nothing else, so that it is the same in every attempt.
void append_call(const Delivery& delivery, Request& request) {
  request.headers.add("Content-Type", delivery.message->content_type);
  append_step_headers(delivery, request.headers);
}

Result<> append_event(const Delivery& delivery, const Target& target, Request& request) {
  if (target.settings.format == HttpSettings::Format::structured) {
    request.structured = MAKEGOOD_TRY(structured_event(delivery));
    request.body = request.structured;
    request.headers.add("Content-Type", structured_type);
  } else {
    request.headers.add("Content-Type", delivery.message->content_type);
    append_event_headers(delivery, request.headers);
  }
  append_delivery_headers(delivery, request.headers);
  return {};
}

}  // namespace

Result<Request> make_request(const Delivery& delivery, const Target& target, Secrets& secrets, TimePoint now,
                             HeaderLines lines) {
  const Message& message = *delivery.message;
  MAKEGOOD_TRY(check_message(message));
  Request request{.url = MAKEGOOD_TRY(delivery.call != nullptr ? url_below(target, delivery.call->path)
                                                               : url_for(target, message.topic)),
                  .headers = std::move(lines),
                  .body = message.content};
  request.headers.reserve(usual_header_bytes);
  for (const std::string& line : target.constant_headers) request.headers.add_line(line);
  if (delivery.call != nullptr) {
    append_call(delivery, request);
  } else {
    MAKEGOOD_TRY(append_event(delivery, target, request));
  }

  std::string id;
  append_webhook_id(id, message.event_id);
  const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  request.headers.add("Idempotency-Key", id);
  request.headers.add("webhook-id", id);
  append_number_header(request.headers, "webhook-timestamp", seconds);
  MAKEGOOD_TRY(append_signature(target, secrets, id, seconds, request));
  MAKEGOOD_TRY(append_secret_headers(target, secrets, request.headers));
  MAKEGOOD_TRY(append_message_headers(message.headers, target.own_names, request.headers));
  return request;
}

}  // namespace makegood::http
