#include "transports/nats/source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "transports/broker/kind.hpp"
#include "transports/broker/source_kind.hpp"
#include "transports/nats/dialect.hpp"
#include "transports/nats/protocol.hpp"
#include "transports/nats/stream_reader.hpp"

namespace makegood::nats {
namespace {

using FlagForm = SettingFlag::Form;

constexpr std::size_t stream_bytes_max = 255;

/// It is a part of the subjects by which a stream is asked for.
bool is_stream(std::string_view name) {
  const auto is_bad = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7F || std::string_view(".*>/\\").contains(c);
  };
  return !name.empty() && name.size() <= stream_bytes_max && std::ranges::none_of(name, is_bad);
}

/// With `*` and `>` where whole levels may stand.
bool is_filter(std::string_view subject) {
  std::string plain(subject);
  if (plain == ">") return true;
  if (plain.ends_with(".>")) plain.erase(plain.size() - 2);
  std::ranges::replace(plain, '*', '_');
  return is_subject(plain);
}

std::map<std::string, std::string> secrets_of_source(const NatsSourceSettings& settings) {
  return {{"password", settings.access.password}, {"token", settings.token}, {"user_key", settings.user_key}};
}

struct SourceRules {
  using Settings = NatsSourceSettings;
  static constexpr std::string_view scheme = nats::scheme;
  static constexpr std::string_view least = "servers and a stream";
  static constexpr auto flags = std::to_array<SettingFlag>({
      broker::servers_flag,
      {"--stream", "stream", FlagForm::text, "NAME", "The stream that is read"},
      {"--subject", "subject", FlagForm::text, "SUBJECT", "Only what was published to it, as in orders.>"},
      broker::begin_flag,
      broker::username_flag,
      broker::password_flag,
      {"--broker-token", "token", FlagForm::text, "WHERE", "Where the token is: env:VARIABLE or file:PATH"},
      {"--user-key", "user_key", FlagForm::text, "WHERE", "Where the seed of a user or a file of credentials is"},
  });
  static constexpr auto decode = decode_nats_source_settings;
  static void check(const Settings& settings, Mistakes& mistakes) {
    broker::check_access(settings.access, schemes, secrets_of_source(settings), net::Trust::operators, mistakes);
    check_who(settings.access, settings.token, settings.user_key, mistakes);
    if (!is_stream(settings.stream)) mistakes.add("stream", "is no name of a stream");
    if (!settings.subject.empty() && !is_filter(settings.subject)) mistakes.add("subject", "is no subject of NATS");
  }
  static Result<broker::Access> access(const Destination& place, const Settings& settings,
                                       const BrokerOptions& options) {
    return broker::checked_access(place, settings.access, schemes, secrets_of_source(settings), options);
  }
  static constexpr auto open = StreamReader::open;
};

}  // namespace

std::unique_ptr<const SourceKind> new_source_kind(BrokerOptions options) {
  return std::make_unique<broker::ReadingKind<SourceRules>>(std::move(options));
}

}  // namespace makegood::nats
