#include "engine/arrival_message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "base/digest.hpp"
#include "base/header_rules.hpp"
#include "base/json_text.hpp"
#include "base/new_row.hpp"
#include "base/utf8.hpp"

namespace makegood {
namespace {

constexpr std::size_t event_id_bytes_max = 128;
constexpr std::size_t key_bytes_max = 255;
/// Of what is larger than any message, its beginning is kept.
constexpr std::size_t kept_of_too_large = content_bytes_highest;

// By these names producers tell who a message is: ours, those of CloudEvents, and those of Debezium's outbox router.
constexpr auto id_names = std::to_array<std::string_view>({"event_id", "ce_id", "id"});
constexpr auto topic_names = std::to_array<std::string_view>({"topic", "ce_type", "eventType"});
constexpr auto tenant_names = std::to_array<std::string_view>({"tenant_id", "ce_tenant"});
constexpr auto key_names = std::to_array<std::string_view>({"dispatch_key", "aggregateId"});
constexpr auto type_names = std::to_array<std::string_view>({"content-type", "ce_datacontenttype"});
/// What has a place of its own in a message, and what was true of its way here only.
constexpr auto known_names = std::to_array<std::string_view>({"event_id",
                                                              "ce_id",
                                                              "id",
                                                              "topic",
                                                              "ce_type",
                                                              "eventType",
                                                              "tenant_id",
                                                              "dispatch_key",
                                                              "aggregateId",
                                                              "content-type",
                                                              "ce_datacontenttype",
                                                              "traceparent",
                                                              "tracestate",
                                                              "envelope_id",
                                                              "sequence",
                                                              "outbox",
                                                              "incarnation",
                                                              "attempt",
                                                              "ce_specversion",
                                                              "ce_tenant",
                                                              "ce_sequence"});

bool is_same_name(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other,
                            [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

std::string_view header(const Arrival& arrival, std::string_view name) {
  for (const auto& [known, value] : arrival.headers) {
    if (is_same_name(known, name)) return value;
  }
  return {};
}

std::string_view first_of(const Arrival& arrival, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const std::string_view value = header(arrival, name); !value.empty()) return value;
  }
  return {};
}

std::string place_of(const Arrival& arrival, const ArrivalRules& rules) {
  return fmt::format("{}/{}@{}", rules.source, arrival.partition, arrival.at);
}

std::string id_by_place(const Arrival& arrival, const ArrivalRules& rules) {
  std::string place = place_of(arrival, rules);
  return place.size() <= event_id_bytes_max ? place : long_digest(place);
}

bool is_plain_text(std::string_view bytes) { return is_text(bytes) && is_printable(bytes); }

/// What is no text, or too long for a key, stands for itself by its digest: the order per key stays.
std::string key_of(const Arrival& arrival, std::string_view event_id) {
  const std::string_view said = first_of(arrival, key_names);
  const std::string_view key = said.empty() ? std::string_view(arrival.key) : said;
  if (key == event_id) return {};  // Our own producers name a message without a key so.
  if (key.size() <= key_bytes_max && is_plain_text(key)) return std::string(key);
  return long_digest(key);
}

bool says_json(std::string_view content_type) {
  const std::string_view kind = content_type.substr(0, content_type.find(';'));
  return content_type.empty() || is_same_name(kind, "application/json") || kind.ends_with("+json");
}

void take_content(const Arrival& arrival, NewMessage& message) {
  const std::string_view type = first_of(arrival, type_names);
  if (!arrival.value) {
    message.payload = "null";
    return;
  }
  if (says_json(type) && is_text(*arrival.value) && json::is_json(*arrival.value)) {
    message.payload = *arrival.value;
  } else {
    message.body = *arrival.value;
  }
  message.content_type = type;
}

Result<> take_headers(const Arrival& arrival, NewMessage& message) {
  for (const auto& [name, value] : arrival.headers) {
    if (std::ranges::any_of(known_names, [&](std::string_view known) { return is_same_name(known, name); })) continue;
    if (!is_plain_text(value)) {
      return Error{Errc::invalid, fmt::format("Its header {} is no text.", shown_header_name(name))};
    }
    message.headers.emplace(name, value);
  }
  return {};
}

Result<> check(const NewMessage& message) {
  for (const std::string_view text :
       {std::string_view(message.topic), std::string_view(message.event_id), std::string_view(message.tenant_id),
        std::string_view(message.content_type), std::string_view(message.envelope_id),
        std::string_view(message.traceparent), std::string_view(message.tracestate)}) {
    if (!is_text(text)) return Error{Errc::invalid, "One of its names is no UTF-8 text."};
  }
  MAKEGOOD_TRY(encode_headers(message.headers));
  return check_message(message, {.content_bytes_max = content_bytes_highest});
}

std::string or_else(std::string_view first, std::string_view second) {
  return std::string(first.empty() ? second : first);
}

}  // namespace

Result<NewMessage> message_of(const Arrival& arrival, const ArrivalRules& rules) {
  if (!arrival.unreadable_because.empty()) return Error{Errc::payload_too_large, arrival.unreadable_because};
  NewMessage message;
  message.topic = or_else(rules.topic, or_else(first_of(arrival, topic_names), arrival.topic));
  message.tenant_id = or_else(rules.tenant_id, or_else(first_of(arrival, tenant_names), default_tenant_id));
  const std::string_view said = first_of(arrival, id_names);
  message.event_id = said.empty() ? id_by_place(arrival, rules) : std::string(said);
  message.dispatch_key = key_of(arrival, said);
  message.envelope_id = header(arrival, "envelope_id");
  message.traceparent = header(arrival, "traceparent");
  message.tracestate = header(arrival, "tracestate");
  take_content(arrival, message);
  MAKEGOOD_TRY(take_headers(arrival, message));
  MAKEGOOD_TRY(check(message));
  return message;
}

NewMessage unreadable_message(const Arrival& arrival, const ArrivalRules& rules, const Error& why) {
  NewMessage message;
  message.topic = unreadable_topic;
  message.event_id = id_by_place(arrival, rules);
  message.body = arrival.value.value_or(std::string()).substr(0, kept_of_too_large);
  message.headers = {{"source", place_of(arrival, rules)},
                     {"code", std::string(to_string(why.code))},
                     {"because", std::string(cut(why.message, 1024))}};
  return message;
}

}  // namespace makegood
