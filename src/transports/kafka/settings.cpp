// The settings of a destination as JSON, and back.
#include <array>
#include <utility>

#include "makegood/brokers.hpp"
#include "transports/broker/kind.hpp"
#include "transports/broker/source_kind.hpp"
#include "transports/kafka/target.hpp"

namespace makegood {
namespace {

constexpr auto sasl_words =
    std::to_array<std::string_view>({"none", "plain", "scram_sha_256", "scram_sha_512", "oauthbearer"});
constexpr auto header_words = std::to_array<std::string_view>({"cloudevents", "debezium"});
constexpr auto compression_words = std::to_array<std::string_view>({"none", "gzip", "snappy", "lz4", "zstd"});
constexpr auto time_words = std::to_array<std::string_view>({"sent", "created"});
constexpr auto tombstone_words = std::to_array<std::string_view>({"no", "yes"});
constexpr double bytes_highest = 1'000'000'000;

constexpr auto describe_settings = [](auto& settings, auto& visit) {
  visit("topic", settings.topic);
  visit("key", settings.key);
  visit.choice("headers", settings.headers, header_words);
  visit.choice("tombstones", settings.tombstones, tombstone_words);
  visit.choice("record_time", settings.record_time, time_words);
  visit.choice("compression", settings.compression, compression_words);
  visit("linger", settings.linger, About{.limits = {0, 60'000}});
  visit("batch_bytes", settings.batch_bytes, About{.limits = {1, bytes_highest}});
  visit("message_bytes_max", settings.message_bytes_max, About{.limits = {1000, bytes_highest}});
  visit.choice("sasl", settings.sasl, sasl_words);
  visit("token", settings.token);
  broker::describe(settings.access, visit);
};

constexpr auto describe_source = [](auto& settings, auto& visit) {
  visit("topics", settings.topics);
  visit("group", settings.group);
  visit.choice("begin", settings.begin, broker::begin_words);
  visit.choice("sasl", settings.sasl, sasl_words);
  visit("token", settings.token);
  broker::describe(settings.access, visit);
};

}  // namespace

std::string encode(const KafkaSourceSettings& settings) { return broker::settings_as_json(settings, describe_source); }

Result<KafkaSourceSettings> decode_kafka_source_settings(std::string_view json) {
  return broker::settings_from_json("Kafka", json, KafkaSourceSettings{}, describe_source);
}

std::string encode(const KafkaSettings& settings) { return broker::settings_as_json(settings, describe_settings); }

Result<KafkaSettings> decode_kafka_settings(std::string_view json, KafkaSettings present) {
  return broker::settings_from_json("Kafka", json, std::move(present), describe_settings);
}

Result<Destination> kafka_destination(const std::string& name, const KafkaSettings& settings, Destination others) {
  const auto check = [&](const Destination& destination, Mistakes& mistakes) {
    kafka::check_settings(settings, broker::trust_of(destination), mistakes);
  };
  return broker::destination_with(kafka::scheme, name, encode(settings), std::move(others), check);
}

}  // namespace makegood
