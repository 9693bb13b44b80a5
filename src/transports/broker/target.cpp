#include "transports/broker/target.hpp"

#include <fmt/format.h>

#include "transports/net/secret_places.hpp"
#include "transports/net/secret_rules.hpp"
#include "transports/net/secrets.hpp"

namespace makegood::broker {
namespace {

constexpr std::size_t servers_max = 16;
constexpr std::size_t username_bytes_max = 255;

}  // namespace

net::Trust trust_of(const Destination& destination) {
  return destination.tenant_id.empty() ? net::Trust::operators : net::Trust::tenants;
}

Result<net::Guard> broker_guard(const BrokerOptions& options) {
  const net::Guard guard = MAKEGOOD_TRY(net::Guard::from(options.network));
  return guard.with_ports(options.tenant_ports, "brokers.tenant_ports");
}

void check_access(const BrokerAccess& access, const ServerSchemes& schemes,
                  const std::map<std::string, std::string>& secrets, net::Trust trust, Mistakes& mistakes) {
  if (access.servers.empty() || access.servers.size() > servers_max) {
    mistakes.add("servers", fmt::format("are {}; allowed: 1 to {}, as in {}://broker:{}", access.servers.size(),
                                        servers_max, schemes.plain, schemes.plain_port));
  }
  for (std::size_t index = 0; index < access.servers.size(); ++index) {
    const auto server = parse_server(access.servers.at(index), schemes);
    if (!server) mistakes.add(fmt::format("servers[{}]:", index), without_stop(server.error().message));
  }
  if (access.username.size() > username_bytes_max) mistakes.add("username", "is longer than 255 bytes");
  for (const auto& [name, reference] : secrets) {
    if (!reference.empty()) net::check_secret(name, reference, mistakes);
  }
  net::check_tls_files(access, trust, mistakes);
}

void check_address(std::string_view setting, std::string_view text, char separator, Mistakes& mistakes) {
  if (text.empty()) return mistakes.add(setting, "is missing");
  const auto address = AddressTemplate::parse(text, separator);
  if (!address) mistakes.add(fmt::format("{}:", setting), without_stop(address.error().message));
}

Result<Access> checked_access(const Destination& destination, const BrokerAccess& access, const ServerSchemes& schemes,
                              const std::map<std::string, std::string>& secrets, const BrokerOptions& options) {
  Access checked{.trust = trust_of(destination),
                 .username = access.username,
                 .places = net::places_for(destination.tenant_id, options.network),
                 .ca_file = std::string(net::path_of(access.ca_file)),
                 .client_certificate = std::string(net::path_of(access.client_certificate)),
                 .client_key = std::string(net::path_of(access.client_key))};
  Mistakes mistakes;
  check_access(access, schemes, secrets, checked.trust, mistakes);
  for (const auto& [name, reference] : secrets) {
    if (reference.empty()) continue;
    checked.secrets.emplace(name, reference);
    net::check_place(name, reference, checked.trust, checked.places, mistakes);
  }
  if (!checked.client_key.empty()) {
    net::check_place("client_key", "file:" + checked.client_key, checked.trust, checked.places, mistakes);
  }
  if (!mistakes.empty()) {
    return mistakes.as_error(fmt::format("The destination {}", destination.name), Errc::config_invalid);
  }
  const net::Guard guard = MAKEGOOD_TRY(broker_guard(options));
  for (const std::string& url : access.servers) {
    checked.servers.push_back(MAKEGOOD_TRY(parse_server(url, schemes)));
    MAKEGOOD_TRY(guard.check(checked.servers.back().host, checked.servers.back().port, checked.trust));
  }
  return checked;
}

}  // namespace makegood::broker
