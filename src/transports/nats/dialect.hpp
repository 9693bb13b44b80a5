// NATS JetStream as a kind of broker.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "makegood/brokers.hpp"
#include "transports/broker/kind.hpp"

namespace makegood::nats {

inline constexpr std::string_view scheme = "nats";

/// Each with where it is, or with nothing.
std::map<std::string, std::string> secrets_of(const NatsSettings& settings);
inline constexpr broker::ServerSchemes schemes{.plain = "nats", .plain_port = 4222, .tls = "tls", .tls_port = 4222};
/// That it is said in one way only who we are.
void check_who(const BrokerAccess& access, const std::string& token, const std::string& user_key, Mistakes& mistakes);
void check_settings(const NatsSettings& settings, net::Trust trust, Mistakes& mistakes);

class Dialect final : public broker::Dialect {
 public:
  std::string_view scheme() const override { return nats::scheme; }
  Result<broker::TargetPtr> target(const Destination& destination, const BrokerOptions& options) const override;
  std::unique_ptr<broker::Protocol> converse(const broker::Access& access,
                                             broker::Credentials credentials) const override;
};

}  // namespace makegood::nats
