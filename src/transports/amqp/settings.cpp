// The settings of a destination as JSON, and back.
#include "makegood/brokers.hpp"
#include "transports/amqp/dialect.hpp"
#include "transports/broker/source_kind.hpp"

namespace makegood {
namespace {

constexpr auto describe_settings = [](auto& settings, auto& visit) {
  visit("exchange", settings.exchange);
  visit("routing_key", settings.routing_key);
  visit("vhost", settings.vhost);
  broker::describe(settings.access, visit);
};

constexpr auto describe_source = [](auto& settings, auto& visit) {
  visit("queue", settings.queue);
  visit("vhost", settings.vhost);
  visit("prefetch", settings.prefetch, About{.limits = {1, 65'535}});
  broker::describe(settings.access, visit);
};

}  // namespace

std::string encode(const AmqpSourceSettings& settings) { return broker::settings_as_json(settings, describe_source); }

Result<AmqpSourceSettings> decode_amqp_source_settings(std::string_view json) {
  return broker::settings_from_json("AMQP", json, AmqpSourceSettings{}, describe_source);
}

std::string encode(const AmqpSettings& settings) { return broker::settings_as_json(settings, describe_settings); }

Result<AmqpSettings> decode_amqp_settings(std::string_view json, AmqpSettings present) {
  return broker::settings_from_json("AMQP", json, std::move(present), describe_settings);
}

Result<Destination> amqp_destination(const std::string& name, const AmqpSettings& settings, Destination others) {
  const auto check = [&](const Destination& destination, Mistakes& mistakes) {
    amqp::check_settings(settings, broker::trust_of(destination), mistakes);
  };
  return broker::destination_with(amqp::scheme, name, encode(settings), std::move(others), check);
}

Result<std::unique_ptr<Transport>> new_amqp_transport(BrokerOptions options, const Clock& clock) {
  return broker::new_broker_transport(std::make_unique<amqp::Dialect>(), std::move(options), clock);
}

}  // namespace makegood
