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
void check_settings(const NatsSettings& settings, net::Trust trust, Mistakes& mistakes);

class Dialect final : public broker::Dialect {
 public:
  std::string_view scheme() const override { return nats::scheme; }
  Result<broker::TargetPtr> target(const Destination& destination, const BrokerOptions& options) const override;
  std::unique_ptr<broker::Protocol> converse(const broker::Access& access,
                                             broker::Credentials credentials) const override;
};

}  // namespace makegood::nats
