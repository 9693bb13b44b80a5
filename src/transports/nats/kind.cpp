#include "transports/nats/kind.hpp"

#include <array>
#include <utility>

#include "transports/nats/dialect.hpp"
#include "transports/nats/source.hpp"

namespace makegood::nats {
namespace {

using FlagForm = SettingFlag::Form;

struct Rules {
  using Settings = NatsSettings;
  using Dialect = nats::Dialect;
  static constexpr std::string_view scheme = nats::scheme;
  static constexpr std::string_view least = "servers and a subject";
  static constexpr auto flags = std::to_array<SettingFlag>({
      broker::servers_flag,
      {"--subject", "subject", FlagForm::text, "TEMPLATE", "Where to, as in orders.{tenant}.{topic}"},
      broker::username_flag,
      broker::password_flag,
      {"--broker-token", "token", FlagForm::text, "WHERE", "Where the token is: env:VARIABLE or file:PATH"},
      {"--user-key", "user_key", FlagForm::text, "WHERE", "Where the seed of a user or a file of credentials is"},
  });
  static constexpr auto decode = decode_nats_settings;
  static constexpr auto destination = nats_destination;
  static Result<std::unique_ptr<Transport>> open(BrokerOptions options) {
    return new_nats_transport(std::move(options));
  }
  static constexpr auto secrets_of = nats::secrets_of;
  static constexpr auto new_source_kind = nats::new_source_kind;
};

}  // namespace

std::unique_ptr<const TransportKind> new_kind(BrokerOptions options) {
  return std::make_unique<broker::Kind<Rules>>(std::move(options));
}

}  // namespace makegood::nats
