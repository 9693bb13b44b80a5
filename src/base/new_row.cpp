#include "base/new_row.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/header_rules.hpp"
#include "base/row_names.hpp"
#include "makegood/events.hpp"
#include "makegood/schema.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood {
namespace {

constexpr std::size_t topic_max = 255;
constexpr std::size_t versioned_topic_max = 127;
constexpr std::size_t event_id_max = 128;
constexpr std::size_t tenant_id_max = 255;
constexpr std::size_t dispatch_key_max = 255;

bool is_versioned_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// `v` and a number.
bool is_version(std::string_view part) {
  return part.size() >= 2 && part.front() == 'v' && std::ranges::all_of(part.substr(1), is_digit);
}

/// `<module>.<aggregate>.<event>.vN`; the first three may have dots of their own.
bool is_versioned_topic(std::string_view topic) {
  if (topic.size() > versioned_topic_max) return false;
  std::size_t parts = 0;
  while (true) {
    const std::size_t dot = topic.find('.');
    const std::string_view part = topic.substr(0, dot);
    if (part.empty() || !std::ranges::all_of(part, is_versioned_letter)) return false;
    ++parts;
    if (dot == std::string_view::npos) return parts >= 4 && is_version(part);
    topic.remove_prefix(dot + 1);
  }
}

Error refused(std::string sentence) { return {Errc::invalid, std::move(sentence)}; }

Result<> check_text(std::string_view name, std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max && is_printable(text)) return {};
  return refused(fmt::format("The {} must have at most {} bytes and no control characters.", name, bytes_max));
}

/// Seconds of today, taken for milliseconds, are a day of January 1970: it would be due or expired at once.
Result<> check_moment(std::string_view name, const std::optional<TimePoint>& time) {
  if (!time || !looks_like_seconds(*time)) return {};
  return refused(fmt::format("{} lies in {:%Y}: it counts milliseconds since 1970, and this looks like seconds.", name,
                             fmt::gmtime(std::chrono::floor<std::chrono::seconds>(*time))));
}

Result<> check_topic(std::string_view topic, TopicGrammar grammar) {
  if (topic.empty()) return refused("A message needs a topic.");
  switch (grammar) {
    case TopicGrammar::any:
      return check_text("topic", topic, topic_max);
    case TopicGrammar::versioned:
      if (is_versioned_topic(topic)) return {};
      return refused(
          fmt::format("The topic must read <module>.<aggregate>.<event>.vN in lower case letters, digits and -, "
                      "at most {} bytes.",
                      versioned_topic_max));
  }
  std::unreachable();
}

void append_json_text(std::string& json, std::string_view text) {
  json += '"';
  for (std::size_t special = text.find_first_of("\"\\"); special != std::string_view::npos;
       special = text.find_first_of("\"\\")) {
    json.append(text.substr(0, special)).append(1, '\\').append(1, text[special]);
    text.remove_prefix(special + 1);
  }
  json.append(text) += '"';
}

}  // namespace

TraceContext trace_of(const NewMessage& message, const TraceSource& source) {
  if (message.traceparent.empty() && source) return source();
  return {.traceparent = message.traceparent, .tracestate = message.tracestate};
}

NewRow row_of(const NewMessage& message, std::string_view headers_json, const TraceContext& trace) {
  return {
      .topic = message.topic,
      .content = message.body ? *message.body : message.payload,
      .is_body = message.body.has_value(),
      .event_id = message.event_id,
      .tenant_id = message.tenant_id,
      .dispatch_key = message.dispatch_key,
      .priority = message.priority,
      .content_type = message.content_type,
      .headers = headers_json,
      .envelope_id = message.envelope_id,
      .traceparent = trace.traceparent,
      .tracestate = trace.tracestate,
      .available_at = message.available_at,
      .expires_at = message.expires_at,
  };
}

Result<std::string> encode_headers(const std::map<std::string, std::string>& headers) {
  if (headers.empty()) return std::string();
  std::string json;
  HeaderCheck check;
  for (const auto& [name, value] : headers) {
    MAKEGOOD_TRY(check.take(name, value));
    json += json.empty() ? '{' : ',';
    append_json_text(json, name);
    json += ':';
    append_json_text(json, value);
  }
  json += '}';
  return json;
}

Result<> check_message(const NewMessage& message, const EnqueueRules& rules) {
  const TraceContext trace = trace_of(message, {});
  return check_row(row_of(message, {}, trace), rules);
}

Result<> check_producer_topic(std::string_view topic) {
  if (!is_event_topic(topic)) return {};
  return refused("Topics that begin with \"makegood.\" are kept for what Makegood itself has to tell; choose another.");
}

Result<> check_request_topics(std::span<const NewMessage> requests) {
  for (const NewMessage& request : requests) {
    if (!request.topic.starts_with(saga_request_topics)) MAKEGOOD_TRY(check_producer_topic(request.topic));
  }
  return {};
}

Result<> check_names(std::string_view tenant_id, std::string_view event_id, std::string_view dispatch_key) {
  if (tenant_id.empty()) return refused("The tenant must not be empty; leave it at \"default\".");
  MAKEGOOD_TRY(check_text("tenant", tenant_id, tenant_id_max));
  MAKEGOOD_TRY(check_text("event id", event_id, event_id_max));
  return check_text("dispatch key", dispatch_key, dispatch_key_max);
}

Result<> check_row(const NewRow& row, const EnqueueRules& rules) {
  if (!rules.may_tell) MAKEGOOD_TRY(check_producer_topic(row.topic));
  MAKEGOOD_TRY(check_topic(row.topic, rules.topic_grammar));
  MAKEGOOD_TRY(check_names(row.tenant_id, row.event_id, row.dispatch_key));
  for (const std::string_view text : {row.content_type, row.envelope_id, row.traceparent, row.tracestate}) {
    if (!is_printable(text)) return refused("Content type, envelope id and trace must have no control characters.");
  }
  if (row.content.empty() && !row.is_body) {
    return refused("The payload is empty, and that is not JSON; give {} or null, or an empty body.");
  }
  MAKEGOOD_TRY(check_moment("available_at", row.available_at));
  MAKEGOOD_TRY(check_moment("expires_at", row.expires_at));
  if (row.content.size() > rules.content_bytes_max) {
    return Error{Errc::payload_too_large, fmt::format("The content has {} bytes; the limit is {}.", row.content.size(),
                                                      rules.content_bytes_max)};
  }
  if (rules.schemas != nullptr && !row.is_body) return rules.schemas->check(row.topic, row.content);
  return {};
}

}  // namespace makegood
