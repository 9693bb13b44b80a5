// AMQP 0.9.1 as a kind of broker.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "makegood/brokers.hpp"
#include "transports/broker/kind.hpp"

namespace makegood::amqp {

inline constexpr std::string_view scheme = "amqp";
/// Of an exchange, a queue or a virtual host.
inline constexpr std::size_t name_bytes_max = 255;

struct Target final : broker::Target {
  std::string exchange = {};
};

/// Each with where it is, or with nothing.
std::map<std::string, std::string> secrets_of(const AmqpSettings& settings);
/// Servers, who we are, and the virtual host.
void check_who(const BrokerAccess& access, const std::string& vhost, net::Trust trust, Mistakes& mistakes);
/// The same, and whether this process would go there.
Result<broker::Access> access_of(const Destination& place, const BrokerAccess& access, const std::string& vhost,
                                 const BrokerOptions& options);
void check_settings(const AmqpSettings& settings, net::Trust trust, Mistakes& mistakes);

class Dialect final : public broker::Dialect {
 public:
  std::string_view scheme() const override { return amqp::scheme; }
  Result<broker::TargetPtr> target(const Destination& destination, const BrokerOptions& options) const override;
  std::unique_ptr<broker::Protocol> converse(const broker::Access& access,
                                             broker::Credentials credentials) const override;
};

}  // namespace makegood::amqp
