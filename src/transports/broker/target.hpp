// What a destination's settings come to, read and checked once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mistakes.hpp"
#include "makegood/brokers.hpp"
#include "makegood/destination.hpp"
#include "transports/broker/address_template.hpp"
#include "transports/broker/server.hpp"
#include "transports/net/guard.hpp"

namespace makegood::broker {

/// What a connection is made with. Destinations that agree in it share one.
struct Access {
  std::vector<Server> servers = {};
  net::Trust trust = net::Trust::operators;
  std::string realm = {};  ///< A part of the broker that a connection belongs to: a virtual host, a database.
  std::string username = {};
  std::map<std::string, std::string> secrets = {};  ///< What it is (`password`) → where it is.
  std::vector<std::string> places = {};             ///< Where its secrets may be.
  std::string ca_file = {};                         ///< These three are plain paths.
  std::string client_certificate = {};
  std::string client_key = {};
  bool operator==(const Access&) const = default;
};

/// A protocol adds what only it knows.
struct Target {
  Access access;
  AddressTemplate address;

  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  virtual ~Target() = default;
};
using TargetPtr = std::shared_ptr<const Target>;

net::Trust trust_of(const Destination& destination);

/// Servers, secrets and files. `secrets` are those of the settings that may be given, by name.
void check_access(const BrokerAccess& access, const ServerSchemes& schemes,
                  const std::map<std::string, std::string>& secrets, net::Trust trust, Mistakes& mistakes);
/// The same, and whether this process would go there: where its secrets are, which names, ports and addresses.
Result<Access> checked_access(const Destination& destination, const BrokerAccess& access, const ServerSchemes& schemes,
                              const std::map<std::string, std::string>& secrets, const BrokerOptions& options);
/// An address as a setting says it; empty is a mistake.
void check_address(std::string_view setting, std::string_view text, char separator, Mistakes& mistakes);

Result<net::Guard> broker_guard(const BrokerOptions& options);

}  // namespace makegood::broker
