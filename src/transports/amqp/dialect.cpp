#include "transports/amqp/dialect.hpp"

#include "transports/amqp/protocol.hpp"

namespace makegood::amqp {
namespace {

constexpr broker::ServerSchemes schemes{.plain = "amqp", .plain_port = 5672, .tls = "amqps", .tls_port = 5671};

}  // namespace

std::map<std::string, std::string> secrets_of(const AmqpSettings& settings) {
  return {{"password", settings.access.password}};
}

void check_who(const BrokerAccess& access, const std::string& vhost, net::Trust trust, Mistakes& mistakes) {
  broker::check_access(access, schemes, {{"password", access.password}}, trust, mistakes);
  if (vhost.size() > name_bytes_max) mistakes.add("vhost", "is longer than 255 bytes");
  if (access.username.empty() != access.password.empty()) {
    mistakes.add("username", "and password must be given together");
  }
}

Result<broker::Access> access_of(const Destination& place, const BrokerAccess& access, const std::string& vhost,
                                 const BrokerOptions& options) {
  auto checked = MAKEGOOD_TRY(broker::checked_access(place, access, schemes, {{"password", access.password}}, options));
  checked.realm = vhost.empty() ? "/" : vhost;
  return checked;
}

void check_settings(const AmqpSettings& settings, net::Trust trust, Mistakes& mistakes) {
  check_who(settings.access, settings.vhost, trust, mistakes);
  broker::check_address("routing_key", settings.routing_key, '.', mistakes);
  if (settings.exchange.size() > name_bytes_max) mistakes.add("exchange", "is longer than 255 bytes");
}

Result<broker::TargetPtr> Dialect::target(const Destination& destination, const BrokerOptions& options) const {
  const AmqpSettings settings = MAKEGOOD_TRY(decode_amqp_settings(destination.settings));
  MAKEGOOD_TRY(amqp_destination(destination.name.substr(amqp::scheme.size() + 1), settings, destination));
  auto target = std::make_shared<Target>();
  target->access = MAKEGOOD_TRY(access_of(destination, settings.access, settings.vhost, options));
  target->address = MAKEGOOD_TRY(broker::AddressTemplate::parse(settings.routing_key, '.'));
  target->exchange = settings.exchange;
  return broker::TargetPtr(std::move(target));
}

std::unique_ptr<broker::Protocol> Dialect::converse(const broker::Access& access,
                                                    broker::Credentials credentials) const {
  return std::make_unique<Protocol>(access.username, access.realm, std::move(credentials));
}

}  // namespace makegood::amqp
