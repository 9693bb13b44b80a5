// The settings of a destination as JSON, and back.
#include "makegood/brokers.hpp"
#include "transports/broker/source_kind.hpp"
#include "transports/nats/dialect.hpp"

namespace makegood {
namespace {

constexpr auto describe_settings = [](auto& settings, auto& visit) {
  visit("subject", settings.subject);
  broker::describe(settings.access, visit);
  visit("token", settings.token);
  visit("user_key", settings.user_key);
};

constexpr auto describe_source = [](auto& settings, auto& visit) {
  visit("stream", settings.stream);
  visit("subject", settings.subject);
  visit.choice("begin", settings.begin, broker::begin_words);
  broker::describe(settings.access, visit);
  visit("token", settings.token);
  visit("user_key", settings.user_key);
};

}  // namespace

std::string encode(const NatsSourceSettings& settings) { return broker::settings_as_json(settings, describe_source); }

Result<NatsSourceSettings> decode_nats_source_settings(std::string_view json) {
  return broker::settings_from_json("NATS", json, NatsSourceSettings{}, describe_source);
}

std::string encode(const NatsSettings& settings) { return broker::settings_as_json(settings, describe_settings); }

Result<NatsSettings> decode_nats_settings(std::string_view json, NatsSettings present) {
  return broker::settings_from_json("NATS", json, std::move(present), describe_settings);
}

Result<Destination> nats_destination(const std::string& name, const NatsSettings& settings, Destination others) {
  const auto check = [&](const Destination& destination, Mistakes& mistakes) {
    nats::check_settings(settings, broker::trust_of(destination), mistakes);
  };
  return broker::destination_with(nats::scheme, name, encode(settings), std::move(others), check);
}

Result<std::unique_ptr<Transport>> new_nats_transport(BrokerOptions options, const Clock& clock) {
  return broker::new_broker_transport(std::make_unique<nats::Dialect>(), std::move(options), clock);
}

}  // namespace makegood
