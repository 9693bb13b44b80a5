// The settings of a destination as JSON, and back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "makegood/http.hpp"
#include "transports/http/mistakes.hpp"
#include "transports/http/settings_check.hpp"

namespace makegood {
namespace {

constexpr auto format_names = std::to_array<std::string_view>({"binary", "structured"});
constexpr auto version_names = std::to_array<std::string_view>({"automatic", "http1", "http2"});
constexpr std::size_t shown_value_max = 64;

using json::Value;
using json::Writer;
using Texts = std::vector<std::string>;
using TextMap = std::map<std::string, std::string>;

void write_texts(Writer& writer, std::string_view name, const Texts& texts) {
  if (texts.empty()) return;
  json::write_name(writer, name);
  writer.StartArray();
  for (const std::string& text : texts) json::write_text(writer, text);
  writer.EndArray();
}

void write_map(Writer& writer, std::string_view name, const TextMap& texts) {
  if (texts.empty()) return;
  json::write_name(writer, name);
  writer.StartObject();
  for (const auto& [key, text] : texts) json::write(writer, key, std::string_view(text));
  writer.EndObject();
}

void write_if_set(Writer& writer, std::string_view name, const std::string& text) {
  if (!text.empty()) json::write(writer, name, std::string_view(text));
}

/// Reads one JSON object into settings; what does not fit is noted, and the rest is read on.
class SettingsReader {
 public:
  explicit SettingsReader(http::Mistakes& mistakes) : mistakes_(mistakes) {}

  HttpSettings read(const Value& object) {
    for (const auto& member : object.GetObject()) {
      const std::string name = json::text_of(member.name);
      if (!read_member(name, member.value)) mistakes_.add(shown(name), "is not a setting; allowed: " + known_names());
    }
    return std::move(settings_);
  }

 private:
  struct Setting {
    std::string_view name;
    void (SettingsReader::*read)(std::string_view name, const Value& value);
  };

  template <auto Member>
  void text(std::string_view name, const Value& value) {
    if (!value.IsString()) return mistakes_.add(name, "is not a text");
    settings_.*Member = json::text_of(value);
  }

  template <auto Member>
  void texts(std::string_view name, const Value& value) {
    const auto is_text = [](const Value& element) { return element.IsString(); };
    if (!value.IsArray() || !std::all_of(value.Begin(), value.End(), is_text)) {
      return mistakes_.add(name, "is not a list of texts");
    }
    for (const Value& element : value.GetArray()) (settings_.*Member).push_back(json::text_of(element));
  }

  template <auto Member>
  void map(std::string_view name, const Value& value) {
    const auto is_text = [](const auto& member) { return member.value.IsString(); };
    if (!value.IsObject() || !std::all_of(value.MemberBegin(), value.MemberEnd(), is_text)) {
      return mistakes_.add(name, "is not an object of texts");
    }
    for (const auto& member : value.GetObject()) {
      if (!(settings_.*Member).emplace(json::text_of(member.name), json::text_of(member.value)).second) {
        mistakes_.add(name, "has a name twice");
      }
    }
  }

  template <auto Member, const auto& Names>
  void choice(std::string_view name, const Value& value) {
    const std::string chosen = value.IsString() ? json::text_of(value) : "?";
    const auto found = std::ranges::find(Names, chosen);
    if (found == Names.end()) {
      return mistakes_.add(name, fmt::format("is '{}'; allowed: {}", shown(chosen), fmt::join(Names, ", ")));
    }
    settings_.*Member = static_cast<std::remove_reference_t<decltype(settings_.*Member)>>(found - Names.begin());
  }

  static const std::array<Setting, 11> known;

  bool read_member(const std::string& name, const Value& value) {
    const auto* const setting = std::ranges::find(known, name, &Setting::name);
    if (setting == known.end()) return false;
    (this->*setting->read)(setting->name, value);
    return true;
  }

  static std::string known_names() {
    Texts names;
    for (const Setting& setting : known) names.emplace_back(setting.name);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  /// Short, and without what would disturb a terminal.
  static std::string shown(std::string text) {
    if (text.size() > shown_value_max) text.resize(shown_value_max);
    std::ranges::replace_if(text, [](char c) { return c < 0x20 || c > 0x7E; }, '?');
    return text;
  }

  http::Mistakes& mistakes_;
  HttpSettings settings_;
};

const std::array<SettingsReader::Setting, 11> SettingsReader::known = {{
    {"url", &SettingsReader::text<&HttpSettings::url>},
    {"raw_prefixes", &SettingsReader::texts<&HttpSettings::raw_prefixes>},
    {"headers", &SettingsReader::map<&HttpSettings::headers>},
    {"secret_headers", &SettingsReader::map<&HttpSettings::secret_headers>},
    {"signing_keys", &SettingsReader::texts<&HttpSettings::signing_keys>},
    {"format", &SettingsReader::choice<&HttpSettings::format, format_names>},
    {"version", &SettingsReader::choice<&HttpSettings::version, version_names>},
    {"ca_file", &SettingsReader::text<&HttpSettings::ca_file>},
    {"client_certificate", &SettingsReader::text<&HttpSettings::client_certificate>},
    {"client_key", &SettingsReader::text<&HttpSettings::client_key>},
    {"answers", &SettingsReader::map<&HttpSettings::answers>},
}};

}  // namespace

std::string encode(const HttpSettings& settings) {
  const HttpSettings absent;
  rapidjson::StringBuffer text;
  Writer writer(text);
  writer.StartObject();
  write_if_set(writer, "url", settings.url);
  write_texts(writer, "raw_prefixes", settings.raw_prefixes);
  write_map(writer, "headers", settings.headers);
  write_map(writer, "secret_headers", settings.secret_headers);
  write_texts(writer, "signing_keys", settings.signing_keys);
  if (settings.format != absent.format) {
    json::write(writer, "format", format_names.at(static_cast<std::size_t>(settings.format)));
  }
  if (settings.version != absent.version) {
    json::write(writer, "version", version_names.at(static_cast<std::size_t>(settings.version)));
  }
  write_if_set(writer, "ca_file", settings.ca_file);
  write_if_set(writer, "client_certificate", settings.client_certificate);
  write_if_set(writer, "client_key", settings.client_key);
  write_map(writer, "answers", settings.answers);
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

Result<HttpSettings> decode_http_settings(std::string_view json) {
  const auto document = json::parse_object(json);
  if (!document) return Error{Errc::config_invalid, "The settings of an HTTP destination must be a JSON object."};
  http::Mistakes mistakes;
  HttpSettings settings = SettingsReader(mistakes).read(*document);
  if (!mistakes.empty()) return mistakes.as_error("The JSON");
  return settings;
}

Result<Destination> http_destination(const std::string& name, const HttpSettings& settings, Destination others) {
  http::Mistakes mistakes;
  others.name = "http:" + name;
  if (name.empty() || !is_destination_name(others.name)) {
    mistakes.add("name", "cannot be used; allowed: letters, digits and _.:-/");
  }
  http::check_settings(settings, others.tenant_id.empty() ? http::Trust::operators : http::Trust::tenants, mistakes);
  http::check_credentials(settings, mistakes);
  if (!mistakes.empty()) return mistakes.as_error(fmt::format("The destination {}", others.name));
  others.settings = encode(settings);
  return others;
}

}  // namespace makegood
