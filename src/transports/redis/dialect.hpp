// Redis Streams as a kind of broker.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "makegood/brokers.hpp"
#include "transports/broker/kind.hpp"

namespace makegood::redis {

inline constexpr std::string_view scheme = "redis";

struct Target final : broker::Target {
  std::uint64_t max_length = 0;  ///< 0: everything is kept.
  std::uint64_t replicas = 0;
  Duration guarded_for = {};  ///< 0: repeats are stored again.
};

/// Each with where it is, or with nothing.
std::map<std::string, std::string> secrets_of(const RedisSettings& settings);
/// Servers, who we are, and the number of the database.
void check_who(const BrokerAccess& access, const std::string& database, net::Trust trust, Mistakes& mistakes);
/// The same, and whether this process would go there.
Result<broker::Access> access_of(const Destination& place, const BrokerAccess& access, const std::string& database,
                                 const BrokerOptions& options);
void check_settings(const RedisSettings& settings, net::Trust trust, Mistakes& mistakes);

class Dialect final : public broker::Dialect {
 public:
  std::string_view scheme() const override { return redis::scheme; }
  Result<broker::TargetPtr> target(const Destination& destination, const BrokerOptions& options) const override;
  std::unique_ptr<broker::Protocol> converse(const broker::Access& access,
                                             broker::Credentials credentials) const override;
};

}  // namespace makegood::redis
