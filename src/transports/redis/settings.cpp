// The settings of a destination as JSON, and back.
#include "makegood/brokers.hpp"
#include "transports/broker/source_kind.hpp"
#include "transports/redis/dialect.hpp"

namespace makegood {
namespace {

constexpr auto describe_settings = [](auto& settings, auto& visit) {
  visit("stream", settings.stream);
  broker::describe(settings.access, visit);
  visit("database", settings.database);
  visit("max_length", settings.max_length);
  visit("replicas", settings.replicas);
  visit("repeat_guard", settings.repeat_guard);
};

constexpr auto describe_source = [](auto& settings, auto& visit) {
  visit("stream", settings.stream);
  visit("group", settings.group);
  visit.choice("begin", settings.begin, broker::begin_words);
  broker::describe(settings.access, visit);
  visit("database", settings.database);
};

}  // namespace

std::string encode(const RedisSourceSettings& settings) { return broker::settings_as_json(settings, describe_source); }

Result<RedisSourceSettings> decode_redis_source_settings(std::string_view json) {
  return broker::settings_from_json("Redis", json, RedisSourceSettings{}, describe_source);
}

std::string encode(const RedisSettings& settings) { return broker::settings_as_json(settings, describe_settings); }

Result<RedisSettings> decode_redis_settings(std::string_view json, RedisSettings present) {
  return broker::settings_from_json("Redis", json, std::move(present), describe_settings);
}

Result<Destination> redis_destination(const std::string& name, const RedisSettings& settings, Destination others) {
  const auto check = [&](const Destination& destination, Mistakes& mistakes) {
    redis::check_settings(settings, broker::trust_of(destination), mistakes);
  };
  return broker::destination_with(redis::scheme, name, encode(settings), std::move(others), check);
}

Result<std::unique_ptr<Transport>> new_redis_transport(BrokerOptions options, const Clock& clock) {
  return broker::new_broker_transport(std::make_unique<redis::Dialect>(), std::move(options), clock);
}

}  // namespace makegood
