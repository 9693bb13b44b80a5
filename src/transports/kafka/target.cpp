#include "transports/kafka/target.hpp"

#include <fmt/format.h>

#include <utility>

namespace makegood::kafka {
namespace {

constexpr broker::ServerSchemes schemes{.plain = "kafka", .plain_port = 9092, .tls = "kafkas", .tls_port = 9093};
/// A dot in a Kafka topic divides nothing.
constexpr char no_separator = 0;

void check_sasl(const BrokerAccess& access, KafkaSettings::Sasl sasl, const std::string& token, Mistakes& mistakes) {
  using Sasl = KafkaSettings::Sasl;
  const bool has_password = !access.username.empty() && !access.password.empty();
  if (sasl == Sasl::oauthbearer && token.empty()) {
    mistakes.add("token", "is missing: where is it? As in env:MAKEGOOD_SECRET_KAFKA_TOKEN");
  }
  if (sasl != Sasl::none && sasl != Sasl::oauthbearer && !has_password) {
    mistakes.add("username", "and password must be given for this sasl");
  }
  if (sasl == Sasl::none && !access.password.empty()) {
    mistakes.add("sasl", "must say how the password is used; allowed: plain, scram_sha_256, scram_sha_512");
  }
}

/// One client speaks either TLS with all or with none.
void check_servers(const broker::Access& access, Mistakes& mistakes) {
  for (const broker::Server& server : access.servers) {
    if (server.is_tls != access.servers.front().is_tls) {
      return mistakes.add("servers", "must all be kafka:// or all kafkas://");
    }
  }
}

std::map<std::string, std::string> secrets_in(const BrokerAccess& access, const std::string& token) {
  return {{"password", access.password}, {"token", token}};
}

}  // namespace

std::map<std::string, std::string> secrets_of(const KafkaSettings& settings) {
  return secrets_in(settings.access, settings.token);
}

void check_client(const BrokerAccess& access, KafkaSettings::Sasl sasl, const std::string& token, net::Trust trust,
                  Mistakes& mistakes) {
  broker::check_access(access, schemes, secrets_in(access, token), trust, mistakes);
  check_sasl(access, sasl, token, mistakes);
}

Result<broker::Access> checked_client(const Destination& place, const BrokerAccess& access, const std::string& token,
                                      const BrokerOptions& options) {
  broker::Access checked =
      MAKEGOOD_TRY(broker::checked_access(place, access, schemes, secrets_in(access, token), options));
  Mistakes mistakes;
  check_servers(checked, mistakes);
  if (mistakes.empty()) return checked;
  return mistakes.as_error(place.name, Errc::config_invalid);
}

void check_settings(const KafkaSettings& settings, net::Trust trust, Mistakes& mistakes) {
  check_client(settings.access, settings.sasl, settings.token, trust, mistakes);
  broker::check_address("topic", settings.topic, no_separator, mistakes);
  if (!settings.key.empty()) broker::check_address("key", settings.key, no_separator, mistakes);
}

Result<Target> target_of(const Destination& destination, const BrokerOptions& options) {
  Target target;
  target.settings = MAKEGOOD_TRY(decode_kafka_settings(destination.settings));
  const KafkaSettings& settings = target.settings;
  target.access =
      MAKEGOOD_TRY(broker::checked_access(destination, settings.access, schemes, secrets_of(settings), options));
  Mistakes mistakes;
  check_settings(settings, broker::trust_of(destination), mistakes);
  check_servers(target.access, mistakes);
  if (!mistakes.empty()) {
    return mistakes.as_error(fmt::format("The destination {}", destination.name), Errc::config_invalid);
  }
  target.topic = MAKEGOOD_TRY(broker::AddressTemplate::parse(settings.topic, no_separator));
  target.key = MAKEGOOD_TRY(broker::AddressTemplate::parse(settings.key, no_separator));
  return target;
}

}  // namespace makegood::kafka
