#include "transports/kafka/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transports/broker/headers.hpp"

namespace makegood::kafka {
namespace {

constexpr std::size_t topic_bytes_max = 249;
constexpr std::string_view event_prefix = "ce_";

bool is_topic_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

/// As Debezium's outbox event router calls them; what it has no name for keeps ours.
std::string_view name_for_debezium(std::string_view name) {
  constexpr auto names = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"event_id", "id"}, {"topic", "eventType"}, {"dispatch_key", "aggregateId"}});
  const auto* found = std::ranges::find(names, name, &std::pair<std::string_view, std::string_view>::first);
  return found != names.end() ? found->second : name;
}

Result<> add_headers(const Delivery& delivery, KafkaSettings::Headers style, Record& record) {
  const bool is_debezium = style == KafkaSettings::Headers::debezium;
  record.headers.emplace_back("content-type", delivery.message->content_type);
  const std::string_view prefix = is_debezium ? std::string_view() : event_prefix;
  return broker::for_each_header(delivery, prefix, [&](std::string_view name, std::string_view value) {
    record.headers.emplace_back(is_debezium ? name_for_debezium(name) : name, value);
  });
}

bool is_tombstone(const Message& message, const KafkaSettings& settings) {
  return settings.tombstones == KafkaSettings::Tombstones::yes && message.is_json && message.content == "null";
}

Result<std::string> key_of(const Delivery& delivery, const Target& target) {
  if (!target.settings.key.empty()) return target.key.fill(delivery);
  const Message& message = *delivery.message;
  return std::string(message.dispatch_key.empty() ? message.event_id : message.dispatch_key);
}

}  // namespace

bool is_topic(std::string_view text) {
  return !text.empty() && text.size() <= topic_bytes_max && text != "." && text != ".." &&
         std::ranges::all_of(text, is_topic_letter);
}

Result<Record> record_of(const Delivery& delivery, const Target& target) {
  const Message& message = *delivery.message;
  Record record{.topic = MAKEGOOD_TRY(target.topic.fill(delivery)),
                .key = MAKEGOOD_TRY(key_of(delivery, target)),
                .value = std::nullopt};
  if (!is_topic(record.topic)) {
    return Error{Errc::invalid,
                 fmt::format("The message's topic does not make a topic of Kafka; allowed there: letters, "
                             "digits and ._-, at most {} bytes.",
                             topic_bytes_max)};
  }
  if (!is_tombstone(message, target.settings)) record.value = message.content;
  MAKEGOOD_TRY(add_headers(delivery, target.settings.headers, record));
  if (target.settings.record_time == KafkaSettings::RecordTime::created) {
    record.timestamp_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(message.created_at.time_since_epoch()).count();
  }
  return record;
}

}  // namespace makegood::kafka
