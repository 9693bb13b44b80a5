// What the kinds of brokers do alike as a process knows them: settings that are read, changed, checked and said with
// flags.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/settings_json.hpp"
#include "base/sources.hpp"
#include "base/transports.hpp"
#include "makegood/brokers.hpp"
#include "transports/broker/protocol.hpp"
#include "transports/broker/transport.hpp"

namespace makegood::broker {

template <SettingsOf<BrokerAccess> Settings>
void describe(Settings& access, auto& visit) {
  visit("servers", access.servers);
  visit("username", access.username);
  visit("password", access.password);
  visit("ca_file", access.ca_file);
  visit("client_certificate", access.client_certificate);
  visit("client_key", access.client_key);
}

inline constexpr SettingFlag servers_flag = {"--broker", "servers", SettingFlag::Form::texts, "URL",
                                             "A server of the broker; may be repeated"};
inline constexpr SettingFlag username_flag = {"--username", "username", SettingFlag::Form::text, "NAME",
                                              "Who we are to the broker"};
inline constexpr SettingFlag password_flag = {"--password", "password", SettingFlag::Form::text, "WHERE",
                                              "Where the password is: env:VARIABLE or file:PATH"};

/// By `describe(settings, visit)`.
template <class Settings, class Describe>
std::string settings_as_json(const Settings& settings, Describe describe) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  json::SettingsToJson visit(writer);
  writer.StartObject();
  describe(settings, visit);
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

template <class Settings, class Describe>
Result<Settings> settings_from_json(std::string_view what, std::string_view text, Settings present, Describe describe) {
  const auto document = json::parse_object(text.empty() ? "{}" : text);
  if (!document) {
    return Error{Errc::config_invalid, fmt::format("The settings of a destination of {} must be a JSON object.", what)};
  }
  Mistakes mistakes;
  const json::Complain complain = [&](std::string_view name, std::string_view why) { mistakes.add(name, why); };
  json::SettingsFromJson visit(*document, complain);
  describe(present, visit);
  visit.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The JSON", Errc::config_invalid);
  return present;
}

/// `<scheme>:<name>`, with these settings; `check` adds what is wrong with them.
template <class Check>
Result<Destination> destination_with(std::string_view scheme, const std::string& name, std::string settings,
                                     Destination others, Check check) {
  Mistakes mistakes;
  others.name = fmt::format("{}:{}", scheme, name);
  if (name.empty() || !is_destination_name(others.name)) {
    mistakes.add("name", "cannot be used; allowed: letters, digits and _.:-/");
  }
  check(others, mistakes);
  if (!mistakes.empty()) return mistakes.as_error(fmt::format("The destination {}", others.name), Errc::config_invalid);
  others.settings = std::move(settings);
  return others;
}

/// A kind by its rules: `Settings`, `scheme`, `least`, `flags`, `decode`, `encode`, `destination`, `secrets_of`,
/// `Dialect`.
template <class Rules>
class Kind final : public TransportKind {
 public:
  explicit Kind(BrokerOptions options) : options_(std::move(options)) {
    if constexpr (requires { Rules::new_source_kind; }) source_ = Rules::new_source_kind(options_);
  }

  std::string_view scheme() const override { return Rules::scheme; }
  Instances instances() const override {
    if constexpr (requires { Rules::instances; }) return Rules::instances;
    return Instances::one_for_all;
  }
  std::string_view least() const override { return Rules::least; }
  std::span<const SettingFlag> flags() const override { return Rules::flags; }

  Result<Changed> change(std::string_view present, std::string_view document) const override {
    using Settings = typename Rules::Settings;
    const auto stored = Rules::decode(present, Settings{});
    const Settings before = stored ? *stored : Settings{};
    const Settings after = MAKEGOOD_TRY(Rules::decode(document, before));
    Changed changed{.settings = encode(after)};
    const auto left = Rules::secrets_of(after);
    for (const auto& [name, reference] : Rules::secrets_of(before)) {
      if (!reference.empty() && left.at(name).empty()) changed.lost_secrets.push_back(name);
    }
    if (!before.access.client_key.empty() && after.access.client_key.empty()) {
      changed.lost_secrets.emplace_back("client_key");
    }
    return changed;
  }

  Result<Destination> check(Destination destination) const override {
    const auto settings = MAKEGOOD_TRY(Rules::decode(destination.settings, typename Rules::Settings{}));
    const std::string name = destination.name.substr(Rules::scheme.size() + 1);
    Destination checked = MAKEGOOD_TRY(Rules::destination(name, settings, std::move(destination)));
    MAKEGOOD_TRY(typename Rules::Dialect().target(checked, options_));
    return checked;
  }

  Result<std::unique_ptr<Transport>> open() const override { return Rules::open(options_); }
  const SourceKind* source() const override { return source_.get(); }

 private:
  const BrokerOptions options_;
  std::unique_ptr<const SourceKind> source_;
};

}  // namespace makegood::broker
