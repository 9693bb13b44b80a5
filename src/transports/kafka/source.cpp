#include "transports/kafka/source.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "transports/broker/kind.hpp"
#include "transports/broker/source_kind.hpp"
#include "transports/kafka/record.hpp"
#include "transports/kafka/target.hpp"
#include "transports/kafka/topic_reader.hpp"

namespace makegood::kafka {
namespace {

using FlagForm = SettingFlag::Form;

constexpr std::size_t group_bytes_max = 255;
constexpr std::size_t topics_max = 100;

void check_reading(const KafkaSourceSettings& settings, Mistakes& mistakes) {
  if (settings.topics.empty() || settings.topics.size() > topics_max) {
    mistakes.add("topics", fmt::format("are {}; allowed: 1 to {}", settings.topics.size(), topics_max));
  }
  for (std::size_t index = 0; index < settings.topics.size(); ++index) {
    if (is_topic(settings.topics[index])) continue;
    mistakes.add(fmt::format("topics[{}]", index), "is no topic of Kafka; allowed: letters, digits and ._-");
  }
  if (settings.group.size() > group_bytes_max) mistakes.add("group", "is longer than 255 bytes");
}

struct SourceRules {
  using Settings = KafkaSourceSettings;
  static constexpr std::string_view scheme = kafka::scheme;
  static constexpr std::string_view least = "servers and topics";
  static constexpr auto flags = std::to_array<SettingFlag>({
      broker::servers_flag,
      {"--topic", "topics", FlagForm::texts, "NAME", "A topic of Kafka; may be repeated"},
      {"--group", "group", FlagForm::text, "NAME", "A group under which others see how far it is"},
      broker::begin_flag,
      {"--sasl", "sasl", FlagForm::text, "WORD", "plain, scram_sha_256, scram_sha_512 or oauthbearer"},
      broker::username_flag,
      broker::password_flag,
      {"--broker-token", "token", FlagForm::text, "WHERE", "Where the token is: env:VARIABLE or file:PATH"},
  });
  static constexpr auto decode = decode_kafka_source_settings;
  static void check(const Settings& settings, Mistakes& mistakes) {
    check_reading(settings, mistakes);
    check_client(settings.access, settings.sasl, settings.token, net::Trust::operators, mistakes);
  }
  static Result<broker::Access> access(const Destination& place, const Settings& settings,
                                       const BrokerOptions& options) {
    return checked_client(place, settings.access, settings.token, options);
  }
  static Result<std::unique_ptr<Source>> open(Settings settings, broker::Access access, const BrokerOptions& options,
                                              const Clock& clock) {
    auto reader = MAKEGOOD_TRY(TopicReader::open(std::move(settings), std::move(access), options, clock));
    return std::unique_ptr<Source>(std::move(reader));
  }
};

}  // namespace

std::unique_ptr<const SourceKind> new_source_kind(BrokerOptions options) {
  return std::make_unique<broker::ReadingKind<SourceRules>>(std::move(options));
}

}  // namespace makegood::kafka
