#include "transports/nats/dialect.hpp"

#include "transports/nats/protocol.hpp"

namespace makegood::nats {
std::map<std::string, std::string> secrets_of(const NatsSettings& settings) {
  return {{"password", settings.access.password}, {"token", settings.token}, {"user_key", settings.user_key}};
}

void check_who(const BrokerAccess& access, const std::string& token, const std::string& user_key, Mistakes& mistakes) {
  const bool has_password = !access.password.empty();
  if (has_password == access.username.empty()) mistakes.add("username", "and password must be given together");
  if (static_cast<int>(has_password) + static_cast<int>(!token.empty()) + static_cast<int>(!user_key.empty()) > 1) {
    mistakes.add("password", "or token or user_key can be given, and no two of them");
  }
}

void check_settings(const NatsSettings& settings, net::Trust trust, Mistakes& mistakes) {
  broker::check_access(settings.access, schemes, secrets_of(settings), trust, mistakes);
  broker::check_address("subject", settings.subject, '.', mistakes);
  check_who(settings.access, settings.token, settings.user_key, mistakes);
}

Result<broker::TargetPtr> Dialect::target(const Destination& destination, const BrokerOptions& options) const {
  const NatsSettings settings = MAKEGOOD_TRY(decode_nats_settings(destination.settings));
  MAKEGOOD_TRY(nats_destination(destination.name.substr(nats::scheme.size() + 1), settings, destination));
  auto target = std::make_shared<broker::Target>();
  target->access =
      MAKEGOOD_TRY(broker::checked_access(destination, settings.access, schemes, secrets_of(settings), options));
  target->address = MAKEGOOD_TRY(broker::AddressTemplate::parse(settings.subject, '.'));
  return broker::TargetPtr(std::move(target));
}

std::unique_ptr<broker::Protocol> Dialect::converse(const broker::Access& access,
                                                    broker::Credentials credentials) const {
  return std::make_unique<Protocol>(access.username, std::move(credentials));
}

}  // namespace makegood::nats
