#include "transports/kafka/source.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "transports/broker/kind.hpp"
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

class ReadingKind final : public SourceKind {
 public:
  explicit ReadingKind(BrokerOptions options) : options_(std::move(options)) {}

  std::string_view scheme() const override { return kafka::scheme; }
  std::string_view least() const override { return "servers and topics"; }
  std::span<const SettingFlag> flags() const override { return known_flags; }

  Result<std::string> check(const std::string& name, std::string_view settings) const override {
    const KafkaSourceSettings read = MAKEGOOD_TRY(decode_kafka_source_settings(settings));
    MAKEGOOD_TRY(access_of(name, read));
    return encode(read);
  }

  Result<std::unique_ptr<Source>> open(const std::string& name, std::string_view settings,
                                       const Clock& clock) const override {
    KafkaSourceSettings read = MAKEGOOD_TRY(decode_kafka_source_settings(settings));
    broker::Access access = MAKEGOOD_TRY(access_of(name, read));
    auto member = MAKEGOOD_TRY(TopicReader::open(std::move(read), std::move(access), options_, clock));
    return std::unique_ptr<Source>(std::move(member));
  }

 private:
  static constexpr auto known_flags = std::to_array<SettingFlag>({
      broker::servers_flag,
      {"--topic", "topics", FlagForm::texts, "NAME", "A topic of Kafka; may be repeated"},
      {"--group", "group", FlagForm::text, "NAME", "A group under which others see how far it is"},
      {"--begin", "begin", FlagForm::text, "WORD", "Where nothing was read yet: earliest (usual) or latest"},
      {"--sasl", "sasl", FlagForm::text, "WORD", "plain, scram_sha_256, scram_sha_512 or oauthbearer"},
      broker::username_flag,
      broker::password_flag,
      {"--broker-token", "token", FlagForm::text, "WHERE", "Where the token is: env:VARIABLE or file:PATH"},
  });

  Result<broker::Access> access_of(const std::string& name, const KafkaSourceSettings& settings) const {
    Mistakes mistakes;
    check_reading(settings, mistakes);
    check_client(settings.access, settings.sasl, settings.token, net::Trust::operators, mistakes);
    if (!mistakes.empty()) return mistakes.as_error(fmt::format("The source {}", name), Errc::config_invalid);
    const Destination place{.name = name};
    return checked_client(place, settings.access, settings.token, options_);
  }

  const BrokerOptions options_;
};

}  // namespace

std::unique_ptr<const SourceKind> new_source_kind(BrokerOptions options) {
  return std::make_unique<ReadingKind>(std::move(options));
}

}  // namespace makegood::kafka
