// A message as a record of Kafka.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/delivery.hpp"
#include "makegood/result.hpp"
#include "transports/kafka/target.hpp"

namespace makegood::kafka {

struct Record {
  std::string topic;
  std::string key;
  std::optional<std::string_view> value;  ///< Of the message, which must outlive it; nothing: a tombstone.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::int64_t timestamp_ms = 0;  ///< 0: when it is sent.
};

/// Kafka may have a topic of this name.
bool is_topic(std::string_view text);
/// Errc::invalid if there can be no such record, as when its topic has a letter that Kafka's have not.
Result<Record> record_of(const Delivery& delivery, const Target& target);

}  // namespace makegood::kafka
