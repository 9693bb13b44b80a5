// The settings of a destination as JSON, and back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/settings_json.hpp"
#include "makegood/http.hpp"
#include "transports/http/settings_check.hpp"

namespace makegood {
namespace {

using Texts = std::vector<std::string>;

constexpr auto format_words = std::to_array<std::string_view>({"binary", "structured"});
constexpr auto version_words = std::to_array<std::string_view>({"automatic", "http1", "http2"});

template <SettingsOf<HttpSettings> Settings>
void describe(Settings& settings, auto& visit) {
  visit("url", settings.url);
  visit("raw_prefixes", settings.raw_prefixes);
  visit("headers", settings.headers);
  visit("secret_headers", settings.secret_headers);
  visit("signing_keys", settings.signing_keys);
  visit.choice("format", settings.format, format_words);
  visit.choice("version", settings.version, version_words);
  visit("ca_file", settings.ca_file);
  visit("client_certificate", settings.client_certificate);
  visit("client_key", settings.client_key);
  visit("answers", settings.answers);
}

}  // namespace

std::string encode(const HttpSettings& settings) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  json::SettingsToJson visit(writer);
  writer.StartObject();
  describe(settings, visit);
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

Result<HttpSettings> decode_http_settings(std::string_view json) { return decode_http_settings(json, {}); }

Result<HttpSettings> decode_http_settings(std::string_view json, HttpSettings present) {
  const auto document = json::parse_object(json);
  if (!document) return Error{Errc::config_invalid, "The settings of an HTTP destination must be a JSON object."};
  if (document->HasMember("url")) present.raw_prefixes.clear();
  if (document->HasMember("raw_prefixes")) present.url.clear();
  Mistakes mistakes;
  const json::Complain complain = [&](std::string_view name, std::string_view why) { mistakes.add(name, why); };
  json::SettingsFromJson visit(*document, complain);
  describe(present, visit);
  visit.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The JSON", Errc::config_invalid);
  return present;
}

std::vector<std::string> lost_secrets(const HttpSettings& from, const HttpSettings& to) {
  Texts lost;
  for (const std::string& key : from.signing_keys) {
    if (std::ranges::find(to.signing_keys, key) == to.signing_keys.end()) lost.push_back("signing_keys " + key);
  }
  for (const auto& [name, reference] : from.secret_headers) {
    if (!to.secret_headers.contains(name)) lost.push_back("secret_headers." + name);
  }
  if (!from.client_key.empty() && to.client_key.empty()) lost.emplace_back("client_key");
  return lost;
}

Result<Destination> http_destination(const std::string& name, const HttpSettings& settings, Destination others) {
  Mistakes mistakes;
  others.name = "http:" + name;
  if (name.empty() || !is_destination_name(others.name)) {
    mistakes.add("name", "cannot be used; allowed: letters, digits and _.:-/");
  }
  http::check_settings(settings, others.tenant_id.empty() ? http::Trust::operators : http::Trust::tenants, mistakes);
  http::check_credentials(settings, mistakes);
  if (!mistakes.empty()) return mistakes.as_error(fmt::format("The destination {}", others.name), Errc::config_invalid);
  others.settings = encode(settings);
  return others;
}

}  // namespace makegood
