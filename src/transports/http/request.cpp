#include "transports/http/request.hpp"

#include <fmt/format.h>

#include <utility>

#include "transports/http/cloud_event.hpp"
#include "transports/http/header_rules.hpp"
#include "transports/http/message_headers.hpp"
#include "transports/http/percent.hpp"

namespace makegood::http {
namespace {

constexpr std::size_t our_headers = 28;
constexpr std::string_view structured_type = "application/cloudevents+json";

void append_encoded_header(std::vector<std::string>& headers, std::string_view name, std::string_view value) {
  std::string& header = headers.emplace_back();
  header.reserve(name.size() + 2 + value.size());
  header.append(name).append(": ");
  append_header_text(header, value);
}

void append_number_header(std::vector<std::string>& headers, std::string_view name, std::int64_t number) {
  const fmt::format_int digits(number);
  append_header(headers, name, {digits.data(), digits.size()});
}

void append_delivery_headers(const Delivery& delivery, std::vector<std::string>& headers) {
  const Message& message = *delivery.message;
  append_encoded_header(headers, "makegood-outbox", delivery.outbox);
  append_encoded_header(headers, "makegood-tenant", message.tenant_id);
  append_encoded_header(headers, "makegood-topic", message.topic);
  append_number_header(headers, "makegood-sequence", message.sequence);
  if (!delivery.incarnation.empty()) append_encoded_header(headers, "makegood-incarnation", delivery.incarnation);
  append_number_header(headers, "makegood-attempt", delivery.attempt);
  if (!is_traceparent(message.traceparent)) return;
  append_header(headers, "traceparent", message.traceparent);
  if (const auto state = sound_tracestate(message); !state.empty()) append_header(headers, "tracestate", state);
}

Result<> append_secret_headers(const Target& target, Secrets& secrets, std::vector<std::string>& headers) {
  for (const auto& [name, reference] : target.settings.secret_headers) {
    const Secret secret = MAKEGOOD_TRY(secrets.read(reference));
    const std::string_view value = trimmed(secret.reveal());
    if (value.empty() || !is_header_value(value)) {
      return Error{
          Errc::config_invalid,
          fmt::format("The secret {} cannot be sent as the header {}; allowed: printable ASCII, at most {} bytes.",
                      reference, name, header_value_bytes_max)};
    }
    append_header(headers, name, value);
  }
  return {};
}

Result<> append_signature(const Target& target, Secrets& secrets, std::string_view id, std::int64_t seconds,
                          Request& request) {
  std::string header = "webhook-signature:";
  for (const std::string& reference : target.settings.signing_keys) {
    const SigningKey* key = MAKEGOOD_TRY(secrets.signing_key(reference));
    header += ' ';
    MAKEGOOD_TRY(key->sign(id, seconds, request.body, header));
  }
  if (!target.settings.signing_keys.empty()) request.headers.push_back(std::move(header));
  return {};
}

/// What a producer could have written with plain SQL, and what no header may hold.
Result<> check_message(const Message& message) {
  if (message.event_id.empty()) return Error{Errc::invalid, "The message has no event id."};
  if (is_header_value(message.content_type) && !trimmed(message.content_type).empty()) return {};
  return Error{Errc::invalid,
               "The message's content type cannot be sent; allowed: printable ASCII, such as application/json."};
}

}  // namespace

Result<Request> make_request(const Delivery& delivery, const Target& target, Secrets& secrets, TimePoint now) {
  const Message& message = *delivery.message;
  MAKEGOOD_TRY(check_message(message));
  Request request{.url = MAKEGOOD_TRY(url_for(target, message.topic)), .body = message.content};
  request.headers.reserve(our_headers + target.own_names.size());
  request.headers = target.constant_headers;
  if (target.settings.format == HttpSettings::Format::structured) {
    request.structured = MAKEGOOD_TRY(structured_event(delivery));
    request.body = request.structured;
    append_header(request.headers, "Content-Type", structured_type);
  } else {
    append_header(request.headers, "Content-Type", message.content_type);
    append_event_headers(delivery, request.headers);
  }
  append_delivery_headers(delivery, request.headers);

  std::string id;
  append_webhook_id(id, message.event_id);
  const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  append_header(request.headers, "Idempotency-Key", id);
  append_header(request.headers, "webhook-id", id);
  append_number_header(request.headers, "webhook-timestamp", seconds);
  MAKEGOOD_TRY(append_signature(target, secrets, id, seconds, request));
  MAKEGOOD_TRY(append_secret_headers(target, secrets, request.headers));
  MAKEGOOD_TRY(append_message_headers(message.headers, target.own_names, request.headers));
  return request;
}

}  // namespace makegood::http
