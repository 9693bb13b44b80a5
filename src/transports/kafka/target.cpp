#include "transports/kafka/target.hpp"

#include <fmt/format.h>

#include <utility>

namespace makegood::kafka {
namespace {

constexpr broker::ServerSchemes schemes{.plain = "kafka", .plain_port = 9092, .tls = "kafkas", .tls_port = 9093};
/// A dot in a Kafka topic divides nothing.
constexpr char no_separator = 0;

void check_sasl(const KafkaSettings& settings, Mistakes& mistakes) {
  using Sasl = KafkaSettings::Sasl;
  const bool has_password = !settings.access.username.empty() && !settings.access.password.empty();
  if (settings.sasl == Sasl::oauthbearer && settings.token.empty()) {
    mistakes.add("token", "is missing: where is it? As in env:MAKEGOOD_SECRET_KAFKA_TOKEN");
  }
  if (settings.sasl != Sasl::none && settings.sasl != Sasl::oauthbearer && !has_password) {
    mistakes.add("username", "and password must be given for this sasl");
  }
  if (settings.sasl == Sasl::none && !settings.access.password.empty()) {
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

}  // namespace

std::map<std::string, std::string> secrets_of(const KafkaSettings& settings) {
  return {{"password", settings.access.password}, {"token", settings.token}};
}

void check_settings(const KafkaSettings& settings, net::Trust trust, Mistakes& mistakes) {
  broker::check_access(settings.access, schemes, secrets_of(settings), trust, mistakes);
  broker::check_address("topic", settings.topic, no_separator, mistakes);
  if (!settings.key.empty()) broker::check_address("key", settings.key, no_separator, mistakes);
  check_sasl(settings, mistakes);
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
