#include "transports/amqp/kind.hpp"

#include <array>
#include <utility>

#include "transports/amqp/dialect.hpp"
#include "transports/amqp/source.hpp"

namespace makegood::amqp {
namespace {

using FlagForm = SettingFlag::Form;

struct Rules {
  using Settings = AmqpSettings;
  using Dialect = amqp::Dialect;
  static constexpr std::string_view scheme = amqp::scheme;
  static constexpr std::string_view least = "servers and a routing_key";
  static constexpr auto flags = std::to_array<SettingFlag>({
      broker::servers_flag,
      {"--exchange", "exchange", FlagForm::text, "NAME", "The exchange; without it the routing key names a queue"},
      {"--routing-key", "routing_key", FlagForm::text, "TEMPLATE", "Where to, as in orders.{topic}"},
      {"--vhost", "vhost", FlagForm::text, "NAME", "The virtual host; / without it"},
      broker::username_flag,
      broker::password_flag,
  });
  static constexpr auto decode = decode_amqp_settings;
  static constexpr auto destination = amqp_destination;
  static Result<std::unique_ptr<Transport>> open(BrokerOptions options) {
    return new_amqp_transport(std::move(options));
  }
  static constexpr auto secrets_of = amqp::secrets_of;
  static constexpr auto new_source_kind = amqp::new_source_kind;
};

}  // namespace

std::unique_ptr<const TransportKind> new_kind(BrokerOptions options) {
  return std::make_unique<broker::Kind<Rules>>(std::move(options));
}

}  // namespace makegood::amqp
