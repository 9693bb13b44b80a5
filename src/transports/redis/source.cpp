#include "transports/redis/source.hpp"

#include <array>
#include <utility>

#include "transports/broker/kind.hpp"
#include "transports/broker/source_kind.hpp"
#include "transports/redis/dialect.hpp"
#include "transports/redis/entry_reader.hpp"

namespace makegood::redis {
namespace {

using FlagForm = SettingFlag::Form;

struct SourceRules {
  using Settings = RedisSourceSettings;
  static constexpr std::string_view scheme = redis::scheme;
  static constexpr std::string_view least = "servers and a stream";
  static constexpr auto flags = std::to_array<SettingFlag>({
      broker::servers_flag,
      {"--stream", "stream", FlagForm::text, "NAME", "The stream that is read"},
      {"--group", "group", FlagForm::text, "NAME", "A group under which others see how far it is"},
      broker::begin_flag,
      broker::username_flag,
      broker::password_flag,
  });
  static constexpr auto decode = decode_redis_source_settings;
  static void check(const Settings& settings, Mistakes& mistakes) {
    check_who(settings.access, settings.database, net::Trust::operators, mistakes);
    if (settings.stream.empty()) mistakes.add("stream", "is missing");
  }
  static Result<broker::Access> access(const Destination& place, const Settings& settings,
                                       const BrokerOptions& options) {
    return access_of(place, settings.access, settings.database, options);
  }
  static constexpr auto open = EntryReader::open;
};

}  // namespace

std::unique_ptr<const SourceKind> new_source_kind(BrokerOptions options) {
  return std::make_unique<broker::ReadingKind<SourceRules>>(std::move(options));
}

}  // namespace makegood::redis
