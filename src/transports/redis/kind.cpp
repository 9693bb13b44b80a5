#include "transports/redis/kind.hpp"

#include <array>
#include <utility>

#include "transports/redis/dialect.hpp"
#include "transports/redis/source.hpp"

namespace makegood::redis {
namespace {

using FlagForm = SettingFlag::Form;

struct Rules {
  using Settings = RedisSettings;
  using Dialect = redis::Dialect;
  static constexpr std::string_view scheme = redis::scheme;
  static constexpr std::string_view least = "servers and a stream";
  static constexpr auto flags = std::to_array<SettingFlag>({
      broker::servers_flag,
      {"--stream", "stream", FlagForm::text, "TEMPLATE", "Where to, as in orders:{tenant}"},
      broker::username_flag,
      broker::password_flag,
      {"--max-length", "max_length", FlagForm::text, "N", "About so many entries are kept, read or not"},
      {"--replicas", "replicas", FlagForm::text, "N", "How many must have an entry before it counts as stored"},
  });
  static constexpr auto decode = decode_redis_settings;
  static constexpr auto destination = redis_destination;
  static Result<std::unique_ptr<Transport>> open(BrokerOptions options) {
    return new_redis_transport(std::move(options));
  }
  static constexpr auto secrets_of = redis::secrets_of;
  static constexpr auto new_source_kind = redis::new_source_kind;
};

}  // namespace

std::unique_ptr<const TransportKind> new_kind(BrokerOptions options) {
  return std::make_unique<broker::Kind<Rules>>(std::move(options));
}

}  // namespace makegood::redis
