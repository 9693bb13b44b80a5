#include "transports/amqp/dialect.hpp"

#include "transports/amqp/protocol.hpp"

namespace makegood::amqp {
namespace {

constexpr broker::ServerSchemes schemes{.plain = "amqp", .plain_port = 5672, .tls = "amqps", .tls_port = 5671};
constexpr std::size_t name_bytes_max = 255;

}  // namespace

std::map<std::string, std::string> secrets_of(const AmqpSettings& settings) {
  return {{"password", settings.access.password}};
}

void check_settings(const AmqpSettings& settings, net::Trust trust, Mistakes& mistakes) {
  broker::check_access(settings.access, schemes, secrets_of(settings), trust, mistakes);
  broker::check_address("routing_key", settings.routing_key, '.', mistakes);
  if (settings.exchange.size() > name_bytes_max) mistakes.add("exchange", "is longer than 255 bytes");
  if (settings.vhost.size() > name_bytes_max) mistakes.add("vhost", "is longer than 255 bytes");
  if (settings.access.username.empty() != settings.access.password.empty()) {
    mistakes.add("username", "and password must be given together");
  }
}

Result<broker::TargetPtr> Dialect::target(const Destination& destination, const BrokerOptions& options) const {
  const AmqpSettings settings = MAKEGOOD_TRY(decode_amqp_settings(destination.settings));
  MAKEGOOD_TRY(amqp_destination(destination.name.substr(amqp::scheme.size() + 1), settings, destination));
  auto target = std::make_shared<Target>();
  target->access =
      MAKEGOOD_TRY(broker::checked_access(destination, settings.access, schemes, secrets_of(settings), options));
  target->access.realm = settings.vhost.empty() ? "/" : settings.vhost;
  target->address = MAKEGOOD_TRY(broker::AddressTemplate::parse(settings.routing_key, '.'));
  target->exchange = settings.exchange;
  return broker::TargetPtr(std::move(target));
}

std::unique_ptr<broker::Protocol> Dialect::converse(const broker::Access& access,
                                                    broker::Credentials credentials) const {
  return std::make_unique<Protocol>(access.username, access.realm, std::move(credentials));
}

}  // namespace makegood::amqp
