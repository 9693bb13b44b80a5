#include "transports/kafka/kind.hpp"

#include <array>
#include <utility>

#include "transports/broker/kind.hpp"
#include "transports/kafka/source.hpp"
#include "transports/kafka/target.hpp"

namespace makegood::kafka {
namespace {

using FlagForm = SettingFlag::Form;

/// What reads the settings of a destination; Kafka's own client speaks its protocol.
struct Reader {
  Result<Target> target(const Destination& destination, const BrokerOptions& options) const {
    return target_of(destination, options);
  }
};

struct Rules {
  using Settings = KafkaSettings;
  using Dialect = Reader;
  static constexpr auto instances = TransportKind::Instances::one_per_lane;
  static constexpr std::string_view scheme = kafka::scheme;
  static constexpr std::string_view least = "servers";
  static constexpr auto flags = std::to_array<SettingFlag>({
      broker::servers_flag,
      {"--topic", "topic", FlagForm::text, "TEMPLATE", "Of Kafka, as in {tenant}.{topic}; usual: {topic}"},
      {"--sasl", "sasl", FlagForm::text, "WORD", "plain, scram_sha_256, scram_sha_512 or oauthbearer"},
      broker::username_flag,
      broker::password_flag,
      {"--broker-token", "token", FlagForm::text, "WHERE", "Where the token is: env:VARIABLE or file:PATH"},
  });
  static constexpr auto decode = decode_kafka_settings;
  static constexpr auto destination = kafka_destination;
  static Result<std::unique_ptr<Transport>> open(BrokerOptions options) {
    return new_kafka_transport(std::move(options));
  }
  static constexpr auto secrets_of = kafka::secrets_of;
  static constexpr auto new_source_kind = kafka::new_source_kind;
};

}  // namespace

std::unique_ptr<const TransportKind> new_kind(BrokerOptions options) {
  return std::make_unique<broker::Kind<Rules>>(std::move(options));
}

}  // namespace makegood::kafka
