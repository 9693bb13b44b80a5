// What a destination's settings come to, read and checked once.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/mistakes.hpp"
#include "makegood/brokers.hpp"
#include "transports/broker/address_template.hpp"
#include "transports/broker/target.hpp"

namespace makegood::kafka {

inline constexpr std::string_view scheme = "kafka";

struct Target {
  broker::Access access;
  KafkaSettings settings;
  broker::AddressTemplate topic;
  broker::AddressTemplate key;  ///< Of a setting that is empty: not used.
};

/// What it is (`password`) → where it is; empty where there is none.
std::map<std::string, std::string> secrets_of(const KafkaSettings& settings);
/// How the cluster is reached, and as whom: the same for those who write and who read.
void check_client(const BrokerAccess& access, KafkaSettings::Sasl sasl, const std::string& token, net::Trust trust,
                  Mistakes& mistakes);
/// The same, and whether this process would go there. `place` has the name for errors, and its tenant.
Result<broker::Access> checked_client(const Destination& place, const BrokerAccess& access, const std::string& token,
                                      const BrokerOptions& options);
/// What can be told without the options of a process.
void check_settings(const KafkaSettings& settings, net::Trust trust, Mistakes& mistakes);
/// Every mistake in one error.
Result<Target> target_of(const Destination& destination, const BrokerOptions& options);

}  // namespace makegood::kafka
