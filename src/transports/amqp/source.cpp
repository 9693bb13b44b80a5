#include "transports/amqp/source.hpp"

#include <array>
#include <utility>

#include "transports/amqp/dialect.hpp"
#include "transports/amqp/queue_reader.hpp"
#include "transports/broker/kind.hpp"
#include "transports/broker/source_kind.hpp"

namespace makegood::amqp {
namespace {

using FlagForm = SettingFlag::Form;

struct SourceRules {
  using Settings = AmqpSourceSettings;
  static constexpr std::string_view scheme = amqp::scheme;
  static constexpr std::string_view least = "servers and a queue";
  static constexpr auto flags = std::to_array<SettingFlag>({
      broker::servers_flag,
      {"--queue", "queue", FlagForm::text, "NAME", "The queue that is read"},
      {"--vhost", "vhost", FlagForm::text, "NAME", "The virtual host; / without it"},
      broker::username_flag,
      broker::password_flag,
  });
  static constexpr auto decode = decode_amqp_source_settings;
  static void check(const Settings& settings, Mistakes& mistakes) {
    check_who(settings.access, settings.vhost, net::Trust::operators, mistakes);
    if (settings.queue.empty() || settings.queue.size() > name_bytes_max) {
      mistakes.add("queue", "is missing, or longer than 255 bytes");
    }
  }
  static Result<broker::Access> access(const Destination& place, const Settings& settings,
                                       const BrokerOptions& options) {
    return access_of(place, settings.access, settings.vhost, options);
  }
  static constexpr auto open = QueueReader::open;
};

}  // namespace

std::unique_ptr<const SourceKind> new_source_kind(BrokerOptions options) {
  return std::make_unique<broker::ReadingKind<SourceRules>>(std::move(options));
}

}  // namespace makegood::amqp
