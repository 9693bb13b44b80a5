#include "transports/redis/dialect.hpp"

#include <charconv>

#include "base/duration_text.hpp"
#include "transports/broker/repeats.hpp"
#include "transports/redis/protocol.hpp"

namespace makegood::redis {
namespace {

constexpr broker::ServerSchemes schemes{.plain = "redis", .plain_port = 6379, .tls = "rediss", .tls_port = 6379};
constexpr std::uint64_t database_max = 65535;
constexpr std::uint64_t replicas_max = 100;
constexpr std::uint64_t length_max = 1'000'000'000'000;
constexpr std::string_view no_guard = "off";

/// Nothing: it is no number up to the highest. Empty is 0.
std::optional<std::uint64_t> number_in(const std::string& text, std::uint64_t highest) {
  std::uint64_t number = 0;
  if (text.empty()) return number;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = failed == std::errc() && end == text.data() + text.size();
  return is_whole && number <= highest ? std::optional(number) : std::nullopt;
}

void check_number(std::string_view setting, const std::string& text, std::uint64_t highest, Mistakes& mistakes) {
  if (!number_in(text, highest)) mistakes.add(setting, fmt::format("is not a number; allowed: 0 to {}", highest));
}

}  // namespace

std::map<std::string, std::string> secrets_of(const RedisSettings& settings) {
  return {{"password", settings.access.password}};
}

void check_who(const BrokerAccess& access, const std::string& database, net::Trust trust, Mistakes& mistakes) {
  broker::check_access(access, schemes, {{"password", access.password}}, trust, mistakes);
  check_number("database", database, database_max, mistakes);
  if (!access.username.empty() && access.password.empty()) {
    mistakes.add("username", "needs a password; without a username the password is that of the user default");
  }
}

Result<broker::Access> access_of(const Destination& place, const BrokerAccess& access, const std::string& database,
                                 const BrokerOptions& options) {
  auto checked = MAKEGOOD_TRY(broker::checked_access(place, access, schemes, {{"password", access.password}}, options));
  checked.realm = database;
  return checked;
}

void check_settings(const RedisSettings& settings, net::Trust trust, Mistakes& mistakes) {
  check_who(settings.access, settings.database, trust, mistakes);
  broker::check_address("stream", settings.stream, ':', mistakes);
  check_number("max_length", settings.max_length, length_max, mistakes);
  check_number("replicas", settings.replicas, replicas_max, mistakes);
  const bool has_time = !settings.repeat_guard.empty() && settings.repeat_guard != no_guard;
  if (has_time && parse_duration(settings.repeat_guard).value_or(Duration::zero()) <= Duration::zero()) {
    mistakes.add("repeat_guard", "is neither a time such as 24h nor off");
  }
}

Result<broker::TargetPtr> Dialect::target(const Destination& destination, const BrokerOptions& options) const {
  const RedisSettings settings = MAKEGOOD_TRY(decode_redis_settings(destination.settings));
  MAKEGOOD_TRY(redis_destination(destination.name.substr(redis::scheme.size() + 1), settings, destination));
  auto target = std::make_shared<Target>();
  target->access = MAKEGOOD_TRY(access_of(destination, settings.access, settings.database, options));
  target->address = MAKEGOOD_TRY(broker::AddressTemplate::parse(settings.stream, ':'));
  target->max_length = *number_in(settings.max_length, length_max);
  target->replicas = *number_in(settings.replicas, replicas_max);
  if (settings.repeat_guard != no_guard) {
    target->guarded_for = parse_duration(settings.repeat_guard).value_or(broker::repeats_for(destination));
  }
  return broker::TargetPtr(std::move(target));
}

std::unique_ptr<broker::Protocol> Dialect::converse(const broker::Access& access,
                                                    broker::Credentials credentials) const {
  return std::make_unique<Protocol>(access.username, access.realm, std::move(credentials));
}

}  // namespace makegood::redis
